/**
 * The provision API's answers while the Intake drains a backlog into the same ledger, and their cost to the drain; then
 * a reviewer's decisions beside the rest of it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { openLedger, type Ledger } from '../../../agent/ledger/storage/ledger.ts';
import { readCursors } from '../../../agent/ledger/inbox/raw-bundles.ts';
import { startPart, waitFor } from '../../support/process.ts';
import { openWay } from '../agent/delivery-path.ts';
import { median, quantile, ratioRow, valueRow, type BenchFixture, type Row } from '../bench.ts';
import { tickerOf } from './filled.ts';

const BACKLOG = 80_000;
/** Entries at the end of the backlog, beside which decisions are made. */
const REVIEWED = 20_000;
/** Requests a second, evenly spread. */
const RATE = 500;
/** Alternating turns with and without requests while the backlog drains, in ms. */
const TURN_MS = 1_500;
const LEAST_TURNS = 3;
const LEAST_DECISIONS = 50;
const THOUGHT_MS = 20;

/** @param decide makes a decision about another item at each call, and comes back with its answer */
export async function provisionUnderDrain(
  fixture: BenchFixture,
  file: string,
  decide: () => Promise<void>,
): Promise<Row[]> {
  fixture.say('filling the cloud');
  const way = await openWay(fixture, BACKLOG);
  const provision = startPart('agent/provision/main.ts', {
    env: { CAUSEWAY_LEDGER: file, CAUSEWAY_PROVISION_LISTEN: '127.0.0.1:0', CAUSEWAY_DEMO: '1' },
  });
  fixture.after(() => provision.stop());
  const pool = new Pool((await provision.listening()).url, { connections: 16 });
  fixture.after(() => pool.close());
  const ledger = openLedger(file);
  fixture.after(() => ledger.close());
  const ask = async (n: number): Promise<number> => {
    const began = performance.now();
    const path = `/v1/explanations/${tickerOf(n)}`;
    const { statusCode, body } = await pool.request({ method: 'GET', path, headers: CHANNEL });
    await body.text();
    if (statusCode !== 200 && statusCode !== 404) throw new Error(`${path} was answered ${statusCode}`);
    return performance.now() - began;
  };
  for (let n = 0; n < RATE; n += 1) await ask(n);
  const intake = way.parts.start('agent/intake/main.ts', {
    env: {
      CAUSEWAY_LEDGER: file,
      CAUSEWAY_INTAKE_UPSTREAM: way.url,
      CAUSEWAY_INTAKE_CERT: way.identity.cert,
      CAUSEWAY_INTAKE_KEY: way.identity.key,
      CAUSEWAY_INTAKE_CA: way.identity.ca,
    },
  });
  await intake.logLine('ready', (line) => line.msg === 'ready');
  await waitFor('the drain to run', () => readCursors(ledger).applied > BACKLOG / 50);
  const rates: Record<'alone' | 'beside', number[]> = { alone: [], beside: [] };
  const times: number[] = [];
  for (let turn = 0; readCursors(ledger).applied < BACKLOG - REVIEWED; turn += 1) {
    const side = turn % 2 === 0 ? 'alone' : 'beside';
    rates[side].push(await drained(ledger, side === 'alone' ? pause(TURN_MS) : evenly(ask, times)));
  }
  const decided: number[] = [];
  while (readCursors(ledger).applied < BACKLOG) {
    const began = performance.now();
    await decide();
    decided.push(performance.now() - began);
    await pause(THOUGHT_MS);
  }
  await intake.stop();
  fixture.say(`entries/s in turn alone ${told(rates.alone)}, beside ${RATE} requests/s ${told(rates.beside)}`);
  if (rates.beside.length < LEAST_TURNS || decided.length < LEAST_DECISIONS)
    throw new Error('the backlog was drained before enough could be measured');
  return [
    valueRow(`a text for a channel at ${RATE}/s while the Intake drains, p99`, 'ms', quantile(times, 0.99), {
      atMost: 5,
    }),
    valueRow(`a decision while the Intake drains, p99 of ${decided.length}`, 'ms', quantile(decided, 0.99), {
      atMost: 200,
    }),
    ratioRow('that drain, beside it alone', 'entries/s', median(rates.beside), median(rates.alone), { atLeast: 0.75 }),
  ];
}

const CHANNEL = { authorization: 'Bearer demo-mts' };
const told = (rates: readonly number[]): string => rates.map(Math.round).join(' ');

/** Entries per second applied meanwhile. */
async function drained(ledger: Ledger, meanwhile: Promise<unknown>): Promise<number> {
  const [before, began] = [readCursors(ledger).applied, performance.now()];
  await meanwhile;
  return (readCursors(ledger).applied - before) / ((performance.now() - began) / 1_000);
}

/** Sends requests on schedule, without waiting for earlier answers. */
async function evenly(ask: (n: number) => Promise<number>, times: number[]): Promise<void> {
  const began = performance.now();
  const asked: Promise<unknown>[] = [];
  for (let sent = 0; performance.now() - began < TURN_MS;) {
    const due = ((performance.now() - began) / 1_000) * RATE;
    for (; sent < due; sent += 1) asked.push(ask(sent * 37).then((ms) => times.push(ms)));
    await pause(1);
  }
  await Promise.all(asked);
}
