/** Any change to a row that a checkpoint covers is found, on a real ledger, even by an attacker who knows the chain. */
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  compare,
  rowsToCompare,
  signCheckpoint,
  type Checkpoint,
} from '../../../shared/service/checkpoints/checkpoint.ts';
import { recordAction, verifyChain } from './audit.ts';
import { hashOf } from './row-hash.ts';
import { auditLogOf, viewOf } from './checkpoint.ts';
import { openLedger, type Ledger } from '../storage/ledger.ts';
import type { ConsoleActionLogTable } from '../storage/tables.ts';

const ROWS = 24;
const { privateKey } = generateKeyPairSync('ed25519');

let folder: string;
let ledger: Ledger;
let raw: Database.Database;
/** The log as it was written, and the checkpoint that would have been signed at each row. */
let whole: ConsoleActionLogTable[];
const signed: Checkpoint[] = [];

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'causeway-checkpoint-'));
  const file = path.join(folder, 'ledger.sqlite');
  ledger = openLedger(file);
  for (let index = 1; index <= ROWS; index += 1) {
    const at = new Date(Date.UTC(2026, 10, 20, 9, index)).toISOString();
    ledger.write((tx) =>
      recordAction(tx, { at, actor: { kind: 'SYSTEM' }, action: 'a', targetType: 't', targetId: null, detail: {} }),
    );
    const end = await auditLogOf(ledger).end();
    if (end !== null) signed.push(signCheckpoint('console_action_log', end, new Date(at), privateKey));
  }
  raw = new Database(file);
  for (const guard of ['is_never_updated', 'is_never_deleted', 'has_no_holes'])
    raw.exec(`DROP TRIGGER console_action_log_${guard}`);
  whole = raw.prepare('SELECT * FROM console_action_log ORDER BY seq').all() as ConsoleActionLogTable[];
});
afterAll(() => {
  raw.close();
  ledger.close();
  rmSync(folder, { recursive: true, force: true });
});

function put(rows: readonly ConsoleActionLogTable[]): void {
  const columns = Object.keys(whole[0] ?? {});
  const insert = raw.prepare(
    `INSERT INTO console_action_log (${columns.join()}) VALUES (${columns.map((column) => `@${column}`).join()})`,
  );
  raw.transaction(() => {
    raw.exec('DELETE FROM console_action_log');
    for (const row of rows) insert.run(row);
  })();
}

/** Numbers the rows and makes their chain fit. */
function chained(rows: readonly ConsoleActionLogTable[]): ConsoleActionLogTable[] {
  let prev_hash = '0'.repeat(64);
  return rows.map((row, index) => {
    const next = { ...row, seq: index + 1, prev_hash };
    prev_hash = hashOf(next);
    return { ...next, hash: prev_hash };
  });
}

const ACTS = ['remove the end', 'alter', 'take out', 'put in', 'swap with the next'] as const;

/** The rows after an attacker's change to one of them. */
function done(act: (typeof ACTS)[number], row: number): ConsoleActionLogTable[] {
  const [before, at, after] = [whole.slice(0, row - 1), whole.slice(row - 1, row), whole.slice(row)];
  const forged = at.map((one) => ({ ...one, actor: 'forged' }));
  switch (act) {
    case 'remove the end':
      return before;
    case 'alter':
      return [...before, ...forged, ...after];
    case 'take out':
      return [...before, ...after];
    case 'put in':
      return [...before, ...forged, ...at, ...after];
    case 'swap with the next':
      return [...before, ...after.slice(0, 1), ...at, ...after.slice(1)];
  }
}

const compared = (checkpoints: readonly Checkpoint[]) =>
  ledger.read((reader) => ({
    chain: verifyChain(reader),
    difference: compare(checkpoints, viewOf(reader, rowsToCompare(checkpoints)), new Date('2030-01-01')),
  }));

const someRows = fc.uniqueArray(fc.integer({ min: 2, max: ROWS - 1 }), { minLength: 1, maxLength: 6 });
const checkpointsAt = (rows: readonly number[]) => signed.filter(({ rows: end }) => rows.includes(end));

test('any removal and any change before the last checkpoint is found, and the first row of it named', () => {
  fc.assert(
    fc.property(someRows, fc.nat(), fc.constantFrom(...ACTS), fc.boolean(), (rows, pick, act, isRechained) => {
      const last = Math.max(...rows);
      const touched = 2 + (pick % (last - 1));
      const changed = done(act, touched);
      put(isRechained ? chained(changed) : changed.map((row, index) => ({ ...row, seq: index + 1 })));
      const { chain, difference } = compared(checkpointsAt(rows));
      if (!chain.ok) {
        expect(chain.firstBroken).toBeGreaterThanOrEqual(touched);
        return;
      }
      const covering = Math.min(...rows.filter((row) => row >= touched));
      expect(difference).toMatchObject({
        kind: changed.length < covering ? 'REMOVED' : 'RECOMPUTED',
        to: covering,
      });
      expect(difference?.from).toBeLessThanOrEqual(touched);
    }),
    { numRuns: 300 },
  );
});

test('added rows are no difference', () => {
  fc.assert(
    fc.property(someRows, fc.integer({ min: 0, max: ROWS }), (rows, more) => {
      const last = Math.max(...rows);
      put(chained([...whole.slice(0, last), ...whole.slice(0, more)]));
      expect(compared(checkpointsAt(rows))).toEqual({ chain: { ok: true, rows: last + more }, difference: null });
    }),
  );
});
