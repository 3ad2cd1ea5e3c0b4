/** Channels that follow `GET /v1/changes` (D229): from a commit in the ledger to the last of them, and what each costs. */
import { once } from 'node:events';
import { connect } from 'node:net';
import path from 'node:path';
import { explanationId } from '../../../agent/ledger/explanations/explanations.ts';
import { addChannel } from '../../../agent/ledger/serving/channels.ts';
import { openLedger } from '../../../agent/ledger/storage/ledger.ts';
import { newEntry, receive } from '../../support/agent/ledger.ts';
import { applyMove } from '../../../agent/ledger/transitions.ts';
import { startPart } from '../../support/process.ts';
import { median, quantile, valueRow, type Bench } from '../bench.ts';
import { pause, taken } from './idle.ts';

const CHANNELS = 200;
const TICKERS = 1_000;
const WITHDRAWALS = 100;

export const changes: Bench = {
  name: 'changes',
  about: `a withdrawal to ${CHANNELS} channels that follow ${TICKERS} tickers`,
  run: async (fixture) => {
    const file = path.join(fixture.folder('changes'), 'ledger.sqlite');
    const provision = startPart('agent/provision/main.ts', {
      env: {
        CAUSEWAY_LEDGER: file,
        CAUSEWAY_PROVISION_LISTEN: '127.0.0.1:0',
        CAUSEWAY_DEMO: '1',
        // The space of young objects grows with the rate of requests, not with the number of streams.
        NODE_OPTIONS: '--max-semi-space-size=1',
      },
    });
    fixture.after(() => provision.stop());
    const { port, hostname } = new URL((await provision.listening()).url);
    const ledger = openLedger(file);
    fixture.after(() => ledger.close());
    const now = (): string => new Date().toISOString();
    ledger.write((tx) => {
      for (let n = 0; n < CHANNELS; n += 1) addChannel(tx, { channel: `C${n}`, key: `key-${n}`, at: now() });
      for (let n = 0; n < TICKERS; n += 1)
        receive(tx, newEntry(`x-${n}`, { etf_ticker: `T${n}-` }, { cursor: n + 1 }), 'AUTO_PUBLISHED');
    });
    let awaited = '';
    const heard: number[] = [];
    const follow = async (key: string): Promise<void> => {
      const socket = connect(Number(port), hostname);
      fixture.after(() => socket.destroy());
      socket.write(`GET /v1/changes HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`);
      socket.setEncoding('utf8').on('data', (text: string) => {
        if (awaited !== '' && text.includes(awaited)) heard.push(performance.now());
      });
      await once(socket, 'data');
    };
    const followAll = async (): Promise<void> => {
      for (let n = 0; n < CHANNELS; n += 1) await follow(`key-${n}`);
    };
    await followAll();
    const times: number[] = [];
    for (let n = 0; n < WITHDRAWALS; n += 1) {
      [heard.length, awaited] = [0, `"T${n}-"`];
      await pause(Math.random() * 100);
      const move = { move: 'invalidate', reason: 'x', actor: { kind: 'SYSTEM' }, at: now() } as const;
      ledger.write((tx) => applyMove(tx, { id: explanationId(`x-${n}`), ...move }));
      const committed = performance.now();
      while (heard.length < CHANNELS) await pause(1);
      times.push(Math.max(...heard) - committed);
    }
    await pause(5_000);
    const before = taken(provision.pid).megabytes;
    // A key has four streams.
    for (let more = 0; more < 3; more += 1) await followAll();
    await pause(5_000);
    const each = ((taken(provision.pid).megabytes - before) * 1_024) / (3 * CHANNELS);
    fixture.say(`median ${median(times).toFixed(0)} ms`);
    return [
      valueRow(`a withdrawal to the last of ${CHANNELS} channels, p99`, 'ms', quantile(times, 0.99), { atMost: 100 }),
      valueRow('a channel that follows, resident', 'kB', each, { atMost: 40 }),
    ];
  },
};
