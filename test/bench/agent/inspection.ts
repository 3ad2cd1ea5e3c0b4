/**
 * How long a count, a dossier and an archive of 1,000 take on a ledger of 1,000,000 explanations, and what the archive
 * costs the channels meanwhile. The archive is made by the real process; it is killed and started again from turn to turn, so that
 * a noisy machine hits both sides. The explanations in question came in by the Intake's own code.
 */
import { generateKeyPairSync } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { launchProcess } from '../../../electron/console-api/inspection/work-process.ts';
import type { Running } from '../../../electron/console-api/context/inspection-runner.ts';
import { newAt, partsOn, takeIn } from '../../support/agent/intake.ts';
import { chainEnd } from '../../../agent/ledger/audit/audit.ts';
import { keepAllBlocks } from '../../../agent/ledger/audit/checkpoint.ts';
import { dossierWithin } from '../../../agent/ledger/dossier/make.ts';
import { explanationId } from '../../../agent/ledger/explanations/explanations.ts';
import { listInspected } from '../../../agent/ledger/inspection/find.ts';
import { layOut } from '../../../agent/ledger/inspection/work.ts';
import { openLedger, type Ledger } from '../../../agent/ledger/storage/ledger.ts';
import type { InspectionQuery } from '../../../shared/wire/console/inspection.ts';
import { PROJECT, startPart } from '../../support/process.ts';
import { quantile, ratioRow, valueRow, type Bench, type BenchFixture, type Row } from '../bench.ts';
import { fill } from './shown.ts';

const SIZE = 1_000_000;
const DOSSIERS = 1_000;
/** Dossiers that are made one by one for the first figure. */
const SINGLE = 100;
/** Entries of one bundle. */
const AT_ONCE = 3;
/** Requests a second, evenly spread, and the length of a turn in ms. */
const RATE = 200;
const TURN_MS = 10_000;
/** So long waits the console for an answer, and a person hardly notices. */
const COUNT_S = 60;
const STEP_MS = 50;

export const inspection: Bench = {
  name: 'inspection',
  about: 'a count, a dossier, and an archive of 1,000 beside the provision API, in a ledger of 1,000,000 explanations',
  run: (fixture) => measured(fixture, SIZE, DOSSIERS),
};

export async function measured(fixture: BenchFixture, size: number, dossiers: number): Promise<Row[]> {
  const folder = fixture.folder('inspection');
  const file = `${folder}/ledger.sqlite`;
  fill(file, size);
  const filled = openLedger(file, { synced: false });
  const ids = receive(filled, dossiers);
  await keepAllBlocks((work) => Promise.resolve(filled.write(work)));
  filled.close();
  fixture.say(`${size.toLocaleString('en')} explanations, ${dossiers} of them with their bundles`);
  const ledger = openLedger(file);
  fixture.after(() => ledger.close());
  const plain = await counted(ledger, {});
  const everything = { person: 'SYSTEM', word: '반도체', reason: '수치', outcomes: ['AUTO_PUBLISHED' as const] };
  const strict = await counted(ledger, everything);
  const single = oneByOne(ledger, ids.slice(0, SINGLE));
  const request = `${folder}/request`;
  const query = { from: '2026-11-01', to: '2026-11-30' };
  const order = { id: 'bench', form: 'ARCHIVE', language: 'ko', query, madeBy: 'bench' } as const;
  layOut(request, { ...order, ids, head: chainEnd(ledger) });
  const env = { CAUSEWAY_LEDGER: file, CAUSEWAY_CHECKPOINT_KEY: `${folder}/checkpoint.key` };
  const launch = launchProcess(`${PROJECT}/electron/console-api/main.ts`, env, (line) => fixture.say(line));
  const { archiveMs, alone, beside } = await besideProvision(fixture, file, dossiers, () => launch(request));
  return [
    valueRow(`a count of ${plain.total} in a year`, 's', plain.seconds, { atMost: COUNT_S }),
    valueRow('the same with every condition', 's', strict.seconds, { atMost: COUNT_S }),
    valueRow('the longest that a count keeps the console API', 'ms', Math.max(plain.longest, strict.longest), {
      atMost: STEP_MS,
    }),
    valueRow('one dossier, the slowest of 100', 'ms', Math.max(...single), { atMost: 2_000 }),
    valueRow(`an archive of ${dossiers} dossiers`, 's', archiveMs / 1_000, { atMost: 300 }),
    ratioRow('a text for a channel, p99, beside the archive', 'ms', quantile(beside, 0.99), quantile(alone, 0.99), {
      atMost: 1.1,
    }),
  ];
}

/** The count of a year as the console API makes it, with the longest time between two rests in ms. */
async function counted(
  ledger: Ledger,
  conditions: Omit<InspectionQuery, 'from' | 'to'>,
): Promise<{ total: number; seconds: number; longest: number }> {
  const began = performance.now();
  let rested = began;
  let longest = 0;
  const { total } = await listInspected(ledger, { from: '2023-01-01', to: '2023-12-31', ...conditions }, async () => {
    longest = Math.max(longest, performance.now() - rested);
    await new Promise((resolve) => setImmediate(resolve));
    rested = performance.now();
  });
  return { total, seconds: (performance.now() - began) / 1_000, longest };
}

function receive(ledger: Ledger, count: number): string[] {
  const parts = partsOn(ledger);
  const names = Array.from({ length: count }, (_, n) => `bench-${n}`);
  for (let from = 0; from < count; from += AT_ONCE)
    takeIn(
      parts,
      ...names
        .slice(from, from + AT_ONCE)
        .map((name, n) => newAt(from + n + 1, name, { etf_ticker: String(500_000 + ((from + n) % 100)) })),
    );
  return names.map(explanationId);
}

function oneByOne(ledger: Ledger, ids: readonly string[]): number[] {
  const about = { now: new Date(), madeBy: 'bench', key: generateKeyPairSync('ed25519').privateKey, checkpoints: [] };
  return ids.map((id) => {
    const began = performance.now();
    ledger.read((reader) => dossierWithin(reader, { kind: 'EXPLANATION', id }, about));
    return performance.now() - began;
  });
}

async function besideProvision(
  fixture: BenchFixture,
  file: string,
  dossiers: number,
  launch: () => Running,
): Promise<{ archiveMs: number; alone: number[]; beside: number[] }> {
  const provision = startPart('agent/provision/main.ts', {
    env: { CAUSEWAY_LEDGER: file, CAUSEWAY_PROVISION_LISTEN: '127.0.0.1:0' },
  });
  fixture.after(() => provision.stop());
  const pool = new Pool((await provision.listening()).url, { connections: 16 });
  fixture.after(() => pool.close());
  const ask = async (n: number): Promise<number> => {
    const began = performance.now();
    const path = `/v1/explanations/${100_000 + ((n * 37) % 1_000)}`;
    const { statusCode, body } = await pool.request({ method: 'GET', path, headers: { authorization: 'Bearer k' } });
    await body.text();
    if (statusCode !== 200) throw new Error(`${path} was answered ${statusCode}`);
    return performance.now() - began;
  };
  for (let n = 0; n < RATE * 5; n += 1) await ask(n);
  const times: { alone: number[]; beside: number[] } = { alone: [], beside: [] };
  let archiveMs = 0;
  for (let isMade = false; !isMade;) {
    times.alone.push(...(await evenly(ask, sleep(TURN_MS))));
    const work = launch();
    const began = performance.now();
    let areParts = false;
    const ended = (async () => {
      for await (const line of work.lines) {
        if ('stop' in line) throw new Error(line.message);
        areParts = 'done' in line && line.done === dossiers;
        isMade = 'made' in line;
      }
    })();
    // The parts are kept when the work is cut; to join them is begun anew, so that turn is a long one.
    const turn = sleep(TURN_MS).then(() => (areParts ? ended : undefined));
    times.beside.push(...(await evenly(ask, Promise.race([ended, turn]))));
    work.end();
    await ended;
    archiveMs += performance.now() - began;
  }
  return { archiveMs, ...times };
}

/** Sends requests on schedule until then, without waiting for earlier answers. */
async function evenly(ask: (n: number) => Promise<number>, until: Promise<unknown>): Promise<number[]> {
  const began = performance.now();
  const asked: Promise<number>[] = [];
  let isOver = false;
  const over = until.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const due = ((performance.now() - began) / 1_000) * RATE;
    while (asked.length < due) asked.push(ask(asked.length));
    await sleep(1);
  }
  await over;
  return Promise.all(asked);
}
