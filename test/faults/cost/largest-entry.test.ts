/**
 * The size of an entry, against the Intake as the process that it is: its memory stays small at the largest that
 * passes, a larger one is rejected, and neither ends it (D34).
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { openLedgerToRead, type Ledger } from '../../../agent/ledger/storage/ledger.ts';
import { sqlite } from '../../../agent/ledger/storage/query.ts';
import { readCursors } from '../../../agent/ledger/inbox/raw-bundles.ts';
import { syncStatus } from '../../../agent/ledger/inbox/sync-state.ts';
import { MAX_ENTRY_BYTES, MAX_ENTRY_VALUES, MAX_TEXT_LENGTH } from '../../../shared/wire/bundle-endpoint.ts';
import { TestFixture, waitFor, type Part } from '../../support/process.ts';
import { startScriptedCloud, type ScriptedCloud } from '../../support/scripted-cloud.ts';
import { some } from '../../support/runs.ts';
import { newAt, type Entry } from '../truth.ts';

const MB = 1024 * 1024;
const MOST_MB = 300;
const fixture = new TestFixture();
let cloud: ScriptedCloud | null = null;
afterEach(async () => cloud?.close());
afterAll(() => fixture.clear());

async function receiving(entries: Entry[], options = ''): Promise<{ intake: Part; ledger: Ledger }> {
  cloud = await startScriptedCloud({ entries });
  const file = path.join(fixture.folder('largest'), 'ledger.sqlite');
  const intake = fixture.start('agent/intake/main.ts', {
    env: {
      CAUSEWAY_LEDGER: file,
      CAUSEWAY_INTAKE_UPSTREAM: cloud.url,
      CAUSEWAY_INTAKE_POLL_SECONDS: '1',
      CAUSEWAY_DEMO: '1',
      NODE_OPTIONS: options,
    },
  });
  await intake.logLine('ready', ({ msg }) => msg === 'ready');
  const ledger = openLedgerToRead(file);
  const last = entries.at(-1)?.cursor;
  await waitFor('everything to be applied', () => readCursors(ledger).applied === last, 60_000);
  return { intake, ledger };
}

/** The peak memory of a process, in MB. */
function mostMb({ pid }: Part): number {
  const [, kb = ''] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kb) / 1024;
}

/** An entry with this JSON text as the output of its calculation; so it gets any form and size. */
function withOutput(cursor: number, id: string, rows: unknown): Entry {
  const calculation = {
    ...{ kind: 'CALCULATION', title: '수익률', source: 'PRICES', published_at: null, as_of: null, tool_run_id: 't' },
    ...{ item_ids: [], arguments: {}, output: { rows }, formula_latex: null, description: 'd' },
  };
  return { ...newAt(cursor, id), evidences: [calculation] };
}
const sizeOf = (entry: Entry): number => Buffer.byteLength(JSON.stringify(entry));
const room = MAX_ENTRY_BYTES - sizeOf(withOutput(2, 'large', [])) - 16;

/** The most copies of one value that an entry may have, and text for the rest of its bytes. */
function filledWith(one: unknown): Entry {
  const values = Array.from({ length: MAX_ENTRY_VALUES - 200 }, () => one);
  const left = room - values.length * (JSON.stringify(one).length + 1);
  return withOutput(2, 'large', [values, '가'.repeat(left / 3 - 2)]);
}

const FORMS: [string, () => Entry][] = [
  ['texts', () => withOutput(2, 'large', '가'.repeat(room / 3))],
  ['numbers', () => filledWith(7.25)],
  ['empty lists', () => filledWith([])],
  [
    'names of one escape',
    () =>
      withOutput(
        2,
        'large',
        Array.from({ length: MAX_ENTRY_VALUES / 2 - 100 }, () => ({ '"': 1 })),
      ),
  ],
  ['a forbidden word, again and again', () => newAt(2, 'large', { summary: '매수'.repeat(MAX_TEXT_LENGTH / 2) })],
];

test.each(some(1, FORMS))(
  `the largest entry that passes, of %s, keeps the Intake below ${MOST_MB} MB`,
  async (_, form) => {
    const large = form();
    expect(sizeOf(large)).toBeLessThanOrEqual(MAX_ENTRY_BYTES);
    const { intake, ledger } = await receiving([newAt(1, 'before'), large, newAt(3, 'after')]);
    const known = ledger.all(sqlite.selectFrom('explanation').select('explanation_result_id')).length;
    const rejected = ledger.all(sqlite.selectFrom('rejected_entry').select('reason'));
    ledger.close();
    expect({ known, rejected }).toEqual({ known: 3, rejected: [] });
    const used = mostMb(intake);
    expect(used).toBeLessThan(MOST_MB);
  },
);

const TOO_LARGE: [string, () => Entry][] = [
  [
    'an entry of two million lists',
    () =>
      withOutput(
        2,
        'large',
        Array.from({ length: 2 ** 21 }, () => []),
      ),
  ],
  ['an entry of more than 8 MiB', () => withOutput(2, 'large', ['가'.repeat(MAX_ENTRY_BYTES / 3)])],
  ['a summary of one character more', () => newAt(2, 'large', { summary: 'ㅎ'.repeat(MAX_TEXT_LENGTH + 1) })],
  // Of more than 8 MiB as well.
  ['a summary of 62 MB', () => newAt(2, 'large', { summary: '매수 '.repeat((62 * MB) / 7) })],
];

test.each(some(1, TOO_LARGE))('%s is rejected, and everything else goes on', async (_, form) => {
  const { intake, ledger } = await receiving([newAt(1, 'before'), form(), newAt(3, 'after')]);
  const status = syncStatus(ledger, new Date());
  expect(status).toMatchObject({ state: 'OK', rejectedEntries: 1, appliedCursor: 3 });
  expect(status.alarms).toContain('REJECTED_ENTRIES');
  const [row] = ledger.all(sqlite.selectFrom('rejected_entry').select(['reason', 'entry']));
  expect(row?.reason).toMatch(/longer than 8388608 bytes|more than 100000 values|summary: Too big/);
  expect(row?.entry.length).toBeLessThanOrEqual(MAX_ENTRY_BYTES);
  ledger.close();
  expect(await intake.stop()).toMatchObject({ code: 0 });
});

// Twenty million of them took 2.4 GB whenever their bundle was read, which was committed by then: no start got past it.
test('an entry of six million objects is rejected without being made', async () => {
  const objects = withOutput(
    2,
    'large',
    Array.from({ length: 6_000_000 }, () => ({})),
  );
  const { intake, ledger } = await receiving(
    [newAt(1, 'before'), objects, newAt(3, 'after')],
    '--max-old-space-size=256',
  );
  expect(syncStatus(ledger, new Date())).toMatchObject({ state: 'OK', rejectedEntries: 1, appliedCursor: 3 });
  ledger.close();
  expect(await intake.stop()).toMatchObject({ code: 0 });
});
