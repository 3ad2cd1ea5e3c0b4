/** A backlog drains from PostgreSQL through cloud, relay and Intake into the ledger. */
import { pino } from 'pino';
import { createUpstream } from '../../../agent/intake/receive/pull.ts';
import { pullOnce } from '../../../agent/intake/receive/reception.ts';
import { openLedger } from '../../../agent/ledger/storage/ledger.ts';
import { readCursors } from '../../../agent/ledger/inbox/raw-bundles.ts';
import { systemClock } from '../../../shared/time/clock.ts';
import { waitFor } from '../../support/process.ts';
import { ratioRow, valueRow, type Bench, type BenchFixture, type Row } from '../bench.ts';
import { bareRates } from './bare.ts';
import { ledgerFile, openWay, readIdentity, type Way } from './delivery-path.ts';

const ENTRIES = 100_000;
/** With a delay the number of pulls decides the time, which fewer entries show as well. */
const DELAYED_ENTRIES = 10_000;
const PATIENCE_MS = 10 * 60_000;

/** Least share of the bare inserts of the same rows, without a delay; what is received is judged by `peers`. */
const TARGETS = [
  { limit: 100, applied: 0.55 },
  { limit: 500, applied: 0.65 },
] as const;

export const drain: Bench = {
  name: 'drain',
  about: `${ENTRIES.toLocaleString('en')} entries from PostgreSQL through cloud, relay and Intake, mutual TLS on both legs`,
  run: async (fixture) => {
    fixture.say('filling the cloud');
    const way = await openWay(fixture, ENTRIES);
    const rows: Row[] = [];
    for (const { limit, applied } of TARGETS) {
      const received = ledgerFile(fixture);
      const first = await receiveAll(fixture, way, limit, ENTRIES, received);
      const alone = await applyReceived(fixture, way, limit, received);
      const { rate, file } = await applyAll(fixture, way, limit, ENTRIES);
      const bare = bareRates(file, ledgerFile(fixture));
      rows.push(
        beside(told(`bytes to committed cursor, limit ${limit}`, first), bare.committed),
        ratioRow(`until all is applied, limit ${limit}`, 'entries/s', rate, bare.applied, { atLeast: applied }),
        told(`a received backlog, the Intake alone, limit ${limit}`, alone),
      );
    }
    for (const roundTrip of [40, 150]) {
      way.delay.ms = roundTrip / 2;
      const delayed = { ...way, url: way.delayedUrl };
      for (const { limit } of TARGETS) {
        const committed = await receiveAll(fixture, delayed, limit, DELAYED_ENTRIES);
        const { rate } = await applyAll(fixture, delayed, limit, DELAYED_ENTRIES);
        rows.push(
          told(`bytes to committed cursor, limit ${limit}, ${roundTrip} ms of delay`, committed),
          told(`until all is applied, limit ${limit}, ${roundTrip} ms of delay`, rate),
        );
      }
    }
    return rows;
  },
};

const beside = (row: Row, limit: number): Row => ({ ...row, limit, ratio: row.measured / limit });
const told = (what: string, measured: number): Row => ({
  ...valueRow(what, 'entries/s', Math.round(measured), { atLeast: 0 }),
  target: 'printed',
});

/** Only the Intake's first step, pull after pull. @returns entries per second */
export async function receiveAll(
  fixture: BenchFixture,
  way: Way,
  limit: number,
  entries: number,
  file = ledgerFile(fixture),
): Promise<number> {
  const ledger = openLedger(file);
  const upstream = createUpstream(new URL(way.url), readIdentity(way));
  const parts = {
    ledger,
    pull: upstream.pull,
    clock: systemClock,
    log: pino({ enabled: false }),
    limit,
    periodMs: 60_000,
    verification: null,
  };
  const { signal } = new AbortController();
  try {
    // The first pull opens the connections.
    await pullOnce(parts, signal);
    const began = performance.now();
    const before = readCursors(ledger).committed;
    while (readCursors(ledger).committed < entries) {
      const next = await pullOnce(parts, signal);
      if (next.when !== 'AT_ONCE' && readCursors(ledger).committed < entries)
        throw new Error('the drain has stopped half-way');
    }
    return rateOf(readCursors(ledger).committed - before, began, fixture, `committed, limit ${limit}`);
  } finally {
    await upstream.close();
    ledger.close();
  }
}

/** All that was received is applied without any upstream: the state after a long outage. @returns entries per second */
async function applyReceived(fixture: BenchFixture, way: Way, limit: number, received: string): Promise<number> {
  const ledger = openLedger(received);
  const { committed } = readCursors(ledger);
  ledger.close();
  // No server listens on port 7, the port of the old echo service.
  return (await applyAll(fixture, { ...way, url: 'https://127.0.0.1:7' }, limit, committed, received)).rate;
}

/** The Intake as a process of its own. */
async function applyAll(
  fixture: BenchFixture,
  way: Way,
  limit: number,
  entries: number,
  file = ledgerFile(fixture),
): Promise<{ rate: number; file: string }> {
  const intake = way.parts.start('agent/intake/main.ts', {
    env: {
      CAUSEWAY_LEDGER: file,
      CAUSEWAY_DEMO: '1',
      CAUSEWAY_INTAKE_UPSTREAM: way.url,
      CAUSEWAY_INTAKE_CERT: way.identity.cert,
      CAUSEWAY_INTAKE_KEY: way.identity.key,
      CAUSEWAY_INTAKE_CA: way.identity.ca,
      CAUSEWAY_INTAKE_LIMIT: String(limit),
    },
  });
  await intake.logLine('ready', (line) => line.msg === 'ready');
  const began = performance.now();
  const ledger = openLedger(file);
  try {
    await waitFor('everything to be applied', () => readCursors(ledger).applied >= entries, PATIENCE_MS);
    const rate = rateOf(readCursors(ledger).applied, began, fixture, `applied, limit ${limit}`);
    await intake.stop();
    return { rate, file };
  } finally {
    ledger.close();
  }
}

function rateOf(entries: number, began: number, fixture: BenchFixture, what: string): number {
  const rate = entries / ((performance.now() - began) / 1_000);
  fixture.say(`${entries.toLocaleString('en')} entries ${what}: ${Math.round(rate).toLocaleString('en')}/s`);
  return rate;
}
