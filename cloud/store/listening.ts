/**
 * The one connection of a process on which notifications of PostgreSQL arrive (D223). A notification is lost with its
 * connection, and a connection can die without a sign: so it is asked every few seconds whether it lives, and whoever
 * listens is told when something may have been missed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { Hosts } from './server-pool.ts';

export interface Hearing {
  heard(payload: string): void;
  /** The connection is new, or was lost: notifications may have passed by. */
  missed(): void;
}

export interface Listening {
  stop(): Promise<void>;
}

/** In milliseconds. */
export interface ListeningTimes {
  /** Between two questions whether the connection lives. */
  beat: number;
  /** Longest wait for a connection or an answer. */
  answer: number;
  /** Between two tries to connect. */
  again: number;
}

const TIMES: ListeningTimes = { beat: 15_000, answer: 4_000, again: 1_000 };

/** Listens at the host that takes writes, and again wherever it goes, until it is stopped. */
export function listenAt(hosts: Hosts, channel: string, hearing: Hearing, times = TIMES): Listening {
  const ending = new AbortController();
  const pause = (ms: number): Promise<void> => sleep(ms, undefined, { signal: ending.signal }).catch(() => undefined);
  const work = async (): Promise<void> => {
    let isLive = false;
    const heard: Hearing = {
      heard: hearing.heard,
      missed: () => {
        isLive = true;
        hearing.missed();
      },
    };
    while (!ending.signal.aborted) {
      await listenOnce(hosts, channel, heard, times, ending.signal).catch(() => undefined);
      if (ending.signal.aborted) return;
      if (isLive) hearing.missed();
      isLive = false;
      if (hosts.isChoice) await hosts.find();
      await pause(times.again);
    }
  };
  const working = work();
  return {
    stop: () => {
      ending.abort();
      return working;
    },
  };
}

/** Returns or rejects when the connection is over. */
async function listenOnce(
  hosts: Hosts,
  channel: string,
  hearing: Hearing,
  { beat, answer }: ListeningTimes,
  signal: AbortSignal,
): Promise<void> {
  const client = new Client({
    connectionString: hosts.current,
    connectionTimeoutMillis: answer,
    query_timeout: answer,
    keepAlive: true,
  });
  const over = new AbortController();
  const either = AbortSignal.any([over.signal, signal]);
  client.on('error', () => over.abort());
  client.on('end', () => over.abort());
  client.on('notification', ({ payload = '' }) => hearing.heard(payload));
  // A stop waits for no database.
  const leave = (): void => void client.connection.stream.destroy();
  signal.addEventListener('abort', leave);
  try {
    await client.connect();
    hosts.holds(client);
    await hosts.check(client);
    await client.query(`listen ${channel}`);
    hearing.missed();
    for (;;) {
      await sleep(beat, undefined, { signal: either }).catch(() => undefined);
      if (either.aborted) return;
      // A primary that has become a standby keeps its connections, and notifies no more.
      const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
      if (rows[0]?.standby !== false) return;
    }
  } finally {
    signal.removeEventListener('abort', leave);
    leave();
  }
}
