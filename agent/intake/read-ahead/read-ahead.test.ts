/** The thread itself: it starts at a backlog, ends at rest, and its end or silence costs nothing but time. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entryOf, waitFor } from '../../../test/support/process.ts';
import { readCursors } from '../../ledger/inbox/raw-bundles.ts';
import { openLedger, type Ledger } from '../../ledger/storage/ledger.ts';
import { temporaryLedger } from '../../ledger/testing.ts';
import { applyNext, mostOf } from '../apply/apply.ts';
import { RawBundleDamagedError } from '../apply/committed-entries.ts';
import { changeOnDisk, commitEntries, newAt, partsOn, readableLog } from '../testing.ts';
import { BACKLOG, ReadAhead } from './read-ahead.ts';

const NOW = '2026-11-20T08:00:00.000Z';
const THREAD = new URL('./thread.ts', import.meta.url);
/** A backlog is a distance of cursors: with holes between them a few entries make one. */
const STEP = 5;
const BUNDLE = 50;
const ENTRIES = BACKLOG / STEP + 2 * BUNDLE;
const LAST = STEP * ENTRIES;
const STARTED = 'a thread reads the backlog ahead';
const FAILED = 'reading ahead has failed: entries are read where they are applied';

const code = (script: string): URL => new URL(`data:text/javascript,${encodeURIComponent(script)}`);

let made: ReturnType<typeof temporaryLedger>;
/** The rows that the whole backlog gives without a thread. */
let plain: unknown[];
beforeAll(() => {
  made = temporaryLedger();
  const { ledger } = made;
  partsOn(ledger, NOW);
  for (let from = 0; from < ENTRIES; from += BUNDLE)
    commitEntries(
      ledger,
      Array.from({ length: BUNDLE }, (_, at) =>
        newAt(STEP * (from + at + 1), `id-${from + at}`, {
          summary: at % 9 === 0 ? '확정 수익을 드립니다.' : '지수가 올랐습니다.',
        }),
      ),
      NOW,
    );
  ledger.foldLog();
  const ledgerOf = copyOf('plain');
  const parts = partsOn(ledgerOf, NOW);
  while (applyNext(parts));
  plain = rowsOf(ledgerOf);
  ledgerOf.close();
}, 120_000);
afterAll(() => made.dispose());

function copyOf(name: string): Ledger {
  const file = path.join(path.dirname(made.file), `${name}.sqlite`);
  copyFileSync(made.file, file);
  return openLedger(file);
}

const rowsOf = (ledger: Ledger): unknown[] =>
  ['explanation', 'screening', 'state_history', 'console_action_log', 'word_hit', 'rejected_entry'].map((table) =>
    ledger.all({ sql: `SELECT * FROM ${table} ORDER BY 1`, parameters: [] }),
  );

const waiting = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined);

/** Applies everything as the Intake does; `taken` counts the entries that were read ahead. */
async function drain(
  ledger: Ledger,
  thread: URL,
  { wait = waiting, between = (_: ReadAhead): unknown => undefined } = {},
) {
  const { log, lines } = readableLog();
  const readAhead = new ReadAhead({ ledger, log, thread, wait });
  let taken = 0;
  const take: ReadAhead['take'] = (...asked) => {
    const entries = readAhead.take(...asked);
    taken += entries?.length ?? 0;
    return entries;
  };
  const parts = { ...partsOn(ledger, NOW), readAhead: { take } };
  const { signal } = new AbortController();
  try {
    do {
      await readAhead.ready(mostOf(parts), signal);
      // On a busy machine the thread might else start only when all is applied.
      while (readAhead.state === 'STARTING') await sleep(5);
      await between(readAhead);
    } while (applyNext(parts));
    return { taken, messages: lines.map(({ msg }) => msg), state: readAhead.state };
  } finally {
    await readAhead.end();
    expect(readAhead.state).toBe('RESTING');
  }
}

test('a backlog is applied from what the thread has read, with the same rows', async () => {
  const ledger = copyOf('ahead');
  const { taken, messages, state } = await drain(ledger, THREAD);
  expect(messages).toEqual([STARTED]);
  expect(taken).toBeGreaterThan(ENTRIES - 2 * BUNDLE);
  expect(state).toBe('READING');
  expect(rowsOf(ledger)).toEqual(plain);
  ledger.close();
});

test('a smaller backlog starts no thread', async () => {
  const { ledger, dispose } = temporaryLedger();
  partsOn(ledger, NOW);
  commitEntries(ledger, [newAt(BACKLOG - 1, 'a')], NOW);
  expect(await drain(ledger, THREAD)).toEqual({ taken: 0, messages: [], state: 'RESTING' });
  expect(readCursors(ledger).applied).toBe(BACKLOG - 1);
  dispose();
});

test.each([
  ['ends at once', code('process.exit(3)'), 0],
  ['breaks at once', code('throw new Error("broken")'), 0],
  [
    'ends in the middle',
    code(`import { parentPort } from 'node:worker_threads';
      const post = parentPort.postMessage.bind(parentPort);
      let posted = 0;
      parentPort.postMessage = (...bundle) => { if (++posted <= 2) post(...bundle); };
      let news = 0;
      parentPort.on('message', () => { if (++news === 2) process.exit(1); });
      await import(${JSON.stringify(THREAD.href)});`),
    1,
  ],
])('a thread that %s: everything is applied once, and one line tells it', async (name, thread, least) => {
  const ledger = copyOf(name);
  let batches = 0;
  const between = async (readAhead: ReadAhead): Promise<void> => {
    batches += 1;
    while (batches > 3 && readAhead.state === 'READING') await sleep(5);
  };
  const { taken, messages, state } = await drain(ledger, thread, { between });
  expect(messages).toEqual([STARTED, FAILED]);
  expect(taken).toBeGreaterThanOrEqual(least);
  expect(taken).toBeLessThan(ENTRIES);
  expect(state).toBe('RESTING');
  expect(rowsOf(ledger)).toEqual(plain);
  ledger.close();
});

test('a thread that falls silent is ended', async () => {
  const silent = code(`import { parentPort, workerData } from 'node:worker_threads';
    parentPort.postMessage({ cursorFrom: 0, cursorTo: 1, entryCount: 1, bytes: 1, entries: [] });
    parentPort.on('message', () => undefined);`);
  const ledger = copyOf('silent');
  const { messages } = await drain(ledger, silent, { wait: () => Promise.resolve() });
  expect(messages).toEqual([STARTED, FAILED]);
  expect(rowsOf(ledger)).toEqual(plain);
  ledger.close();
});

test('a bundle that was damaged on the disk is reported, and what stands before it is applied', async () => {
  const ledger = copyOf('damaged');
  changeOnDisk(
    ledger.file,
    `DROP TRIGGER raw_bundle_is_never_updated;
    UPDATE raw_bundle SET body = zeroblob(length(body)) WHERE cursor_from = ${8 * STEP * BUNDLE}`,
  );
  await expect(drain(ledger, THREAD)).rejects.toThrow(RawBundleDamagedError);
  expect(readCursors(ledger).applied).toBe(8 * STEP * BUNDLE);
  ledger.close();
});

test('a bundle that was replaced since is read again', async () => {
  const ledger = copyOf('replaced');
  let batches = 0;
  const between = (): void => {
    if ((batches += 1) !== 3) return;
    changeOnDisk(
      ledger.file,
      "DROP TRIGGER raw_bundle_is_never_updated; UPDATE raw_bundle SET bundle_id = 'new ' || cursor_from",
    );
  };
  const { messages } = await drain(ledger, THREAD, { between });
  expect(messages).toEqual([STARTED, FAILED]);
  expect(rowsOf(ledger)).toEqual(plain);
  ledger.close();
});

/** The names of a process' threads. */
const threadsOf = (pid: number | undefined): string[] =>
  readdirSync(`/proc/${pid}/task`).map((id) => readFileSync(`/proc/${pid}/task/${id}/comm`, 'utf8').trim());

test('the Intake itself starts the thread at each backlog, and ends it when it rests', async () => {
  const ledger = copyOf('process');
  const intake = spawn(process.execPath, [entryOf('agent/intake/main.ts')], {
    env: {
      PATH: process.env['PATH'] ?? '',
      CAUSEWAY_LEDGER: ledger.file,
      // No server listens on port 7, the port of the old echo service.
      CAUSEWAY_INTAKE_UPSTREAM: 'http://127.0.0.1:7',
      CAUSEWAY_INTAKE_POLL_SECONDS: '1',
    },
  });
  let out = '';
  for (const stream of [intake.stdout, intake.stderr]) stream.on('data', (text: Buffer) => (out += text.toString()));
  const ended = once(intake, 'close');
  const isReading = (): boolean => threadsOf(intake.pid).includes('WorkerThread');
  const rests = async (applied: number): Promise<void> => {
    await waitFor(`the entries up to ${applied}`, () => readCursors(ledger).applied === applied, 60_000);
    await waitFor('the end of the thread', () => !isReading());
  };
  try {
    await waitFor('the thread', isReading);
    await rests(LAST);
    await waitFor('the first line', () => out.split(STARTED).length === 2);
    commitEntries(ledger, [newAt(LAST + BACKLOG, 'later')], NOW);
    await rests(LAST + BACKLOG);
    await waitFor('the second line', () => out.split(STARTED).length === 3);
    intake.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(out).not.toContain(FAILED);
  } finally {
    intake.kill('SIGKILL');
  }
  ledger.close();
});
