import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Ledger, LedgerReader } from '../ledger/ledger.ts';
import { publishPolicy } from '../ledger/policy-versions.ts';
import { newEntry, temporaryLedger } from '../ledger/testing.ts';
import { SEED_POLICY } from '../screening/seed-policy.ts';
import { createEntryScreening } from './screening.ts';
import { readableLog } from './testing.ts';

let ledger: Ledger;
let dispose: () => void;
beforeEach(() => {
  ({ ledger, dispose } = temporaryLedger());
  ledger.write((tx) =>
    publishPolicy(tx, {
      snapshot: SEED_POLICY,
      changes: [],
      actor: { kind: 'SYSTEM' },
      at: '2026-11-20T00:00:00.000Z',
    }),
  );
});
afterEach(() => dispose());

/** A ledger whose disk fails at one reading, counted from zero. */
function failingAt(place: number): { reader: LedgerReader; failed(): boolean } {
  let readings = 0;
  const spend = (): void => {
    if (readings++ === place) throw new Database.SqliteError('disk I/O error', 'SQLITE_IOERR');
  };
  return {
    failed: () => readings > place,
    reader: {
      all: (query) => {
        spend();
        return ledger.all(query);
      },
      first: (query) => {
        spend();
        return ledger.first(query);
      },
    },
  };
}

test('a fault of the disk while the policy is read is the ledger’s: nothing waits for a reviewer because of it', () => {
  const { log, lines } = readableLog();
  let place = 0;
  for (let whole = false; !whole; place++) {
    const screen = createEntryScreening(log);
    const { reader, failed } = failingAt(place);
    try {
      screen(reader, newEntry('a'));
    } catch (error) {
      expect(error).toMatchObject({ code: 'SQLITE_IOERR' });
    }
    whole = !failed();
    // The same screening, when the disk is well again.
    expect(screen(ledger, newEntry('a')).screened).toMatchObject({ outcome: 'AUTO_PUBLISHED', policyVersion: 1 });
  }
  expect(place).toBeGreaterThan(3);
  expect(lines).toEqual([]);
});
