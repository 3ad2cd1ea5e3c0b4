/** Each column beside the explanations that follows from the raw records: another value is a fault, and is mended. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openLedger, type Ledger } from '../../ledger/storage/ledger.ts';
import { derive } from '../apply/projection.ts';
import { invalidationAt, newAt, partsOn, takeIn } from '../../../test/support/agent/intake.ts';
import { heldFaults, instrumentFaults, rejectedFaults } from './domain-faults.ts';

const AT = '2026-11-21T00:00:00.000Z';
let ledger: Ledger;
beforeEach(() => {
  ledger = openLedger(':memory:');
  const parts = partsOn(ledger);
  takeIn(parts, newAt(1, 'a'), invalidationAt(2, 'unknown'));
  takeIn(parts, { cursor: 3, delivery_type: 'NEW' });
});
afterEach(() => ledger.close());

const faults = () => {
  const derived = derive(ledger);
  return [...heldFaults(ledger, derived), ...rejectedFaults(ledger, derived), ...instrumentFaults(ledger, derived)];
};
const run = (sql: string): void => void ledger.write((tx) => tx.run({ sql, parameters: [] }));
const rowsOf = (table: string, columns = '*') =>
  ledger.all<Record<string, unknown>>({ sql: `SELECT ${columns} FROM ${table}`, parameters: [] });
function expectMended(): void {
  expect(faults()).not.toEqual([]);
  for (const { mend } of faults()) ledger.write((tx) => mend(tx, AT));
  expect(faults()).toEqual([]);
}

/** The columns with another value for each, and those that follow from nothing. */
const TABLES: [table: string, others: Readonly<Record<string, string>>, own: readonly string[]][] = [
  ['held_invalidation', { target_id: "'other'", cursor: '1', reason: "'other'" }, ['held_at']],
  ['rejected_entry', { cursor: '9', cursor_from: '0', reason: "'other'", entry: "'{}'" }, ['rejected_at']],
  [
    'instrument',
    {
      ...{ etf_ticker: "'other'", etf_instrument_id: "'other'", etf_name: "'other'" },
      ...{ market: "'other'", sector: "'other'" },
    },
    ['version'],
  ],
];

test.each(TABLES)('%s: each column, and a row that is lost', (table, others, own) => {
  expect(faults()).toEqual([]);
  expect(Object.keys(rowsOf(table)[0] ?? {}).toSorted()).toEqual([...Object.keys(others), ...own].toSorted());
  run(`DELETE FROM ${table}`);
  expectMended();
});

test.each(
  TABLES.flatMap(([table, others]) =>
    Object.entries(others).map(([column, other]) => ({ table, others, column, other })),
  ),
)('$table.$column', ({ table, others, column, other }) => {
  const derived = Object.keys(others).join(', ');
  const [before] = rowsOf(table, derived);
  run(`UPDATE ${table} SET ${column} = ${other}`);
  expectMended();
  expect(rowsOf(table, derived)).toContainEqual(before);
});

test.each(['etf_instrument_id', 'etf_name', 'market'] as const)(
  'a later entry that changes only %s makes none',
  (name) => {
    const own = openLedger(':memory:');
    const parts = partsOn(own);
    takeIn(parts, newAt(1, 'a'), newAt(2, 'b', { [name]: 'KOSDAQ' }));
    expect(instrumentFaults(own, derive(own))).toEqual([]);
    own.close();
  },
);
