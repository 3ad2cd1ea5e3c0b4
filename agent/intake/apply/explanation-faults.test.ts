/** Every column of an explanation follows from its entries and its history: another value in one of them is a fault. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openLedger, type Ledger } from '../../ledger/storage/ledger.ts';
import { newAt, partsOn, takeIn } from '../../../test/support/agent/intake.ts';
import { CommittedEntries } from './committed-entries.ts';
import { explanationRows, rowFault, type NumberedRow } from './explanation-faults.ts';
import { derive } from './projection.ts';

let ledger: Ledger;
let row: NumberedRow;
const faultOf = (changed: NumberedRow) => rowFault(ledger, new CommittedEntries(ledger), changed, derive(ledger));

beforeAll(() => {
  ledger = openLedger(':memory:');
  takeIn(partsOn(ledger), newAt(1, 'a', { content_as_of: '2026-11-20T06:00:00.000Z' }));
  const [first] = explanationRows(ledger);
  if (first === undefined) throw new Error('The ledger holds no explanation.');
  row = first;
});
afterAll(() => ledger.close());

test('the row of an entry has none', () => {
  expect(faultOf(row)).toBeNull();
});

test('each column with another value is one, but for the number that orders the rows', () => {
  const unnoticed = Object.entries(row)
    .filter(
      ([name, value]) => faultOf({ ...row, [name]: typeof value === 'number' ? value - 1 : `${value} ` }) === null,
    )
    .map(([name]) => name);
  expect(unnoticed).toEqual(['number']);
});
