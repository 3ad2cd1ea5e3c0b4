/** The vendor's fields of an explanation: each is stored, shown, and compared with those of a later entry (D37). */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openLedger, type Ledger } from '../storage/ledger.ts';
import { newEntry, receive } from '../../../test/support/agent/ledger.ts';
import {
  explanationId,
  findExplanation,
  knownExplanation,
  storedExplanation,
  updateVendorFields,
} from './explanations.ts';
import { type VendorFields, vendorFields } from '../storage/vendor-fields.ts';

const AT = '2026-11-20T07:00:00.000Z';
const ENTRY = newEntry('a', { content_as_of: '2026-11-20T06:00:00.000Z', analysis_engine: 'v2' });
const FIELDS = vendorFields(ENTRY, {
  source_events: JSON.stringify(ENTRY.source_events),
  evidences: JSON.stringify(ENTRY.evidences),
});
/** Another value in each field but the id, which names the explanation. */
const OTHERS = (Object.keys(FIELDS) as (keyof VendorFields)[])
  .filter((name) => name !== 'explanation_result_id')
  .map((name): [keyof VendorFields, VendorFields] => [name, { ...FIELDS, [name]: otherThan(name) }]);

function otherThan(name: keyof VendorFields): unknown {
  if (name === 'source_events' || name === 'evidences') return '[]';
  if (name === 'confidence_level') return 'LOW';
  const value = FIELDS[name];
  return typeof value === 'number' ? value + 1 : `${value}-2`;
}

let ledger: Ledger;
beforeEach(() => {
  ledger = openLedger(':memory:');
  ledger.write((tx) => receive(tx, ENTRY, 'PENDING_REVIEW', AT));
});
afterEach(() => ledger.close());

test('are stored and shown, all of them', () => {
  expect(Object.values(FIELDS)).not.toContain(null);
  const id = explanationId('a');
  expect(storedExplanation(ledger, id)).toMatchObject(FIELDS);
  expect(findExplanation(ledger, id, new Date(AT))).toMatchObject(FIELDS);
});

test('that came before are the same', () => {
  expect(knownExplanation(ledger, FIELDS)).toMatchObject({ id: explanationId('a'), same: true });
  // Another spelling of the same lists is no change.
  const spelt = { ...FIELDS, evidences: JSON.stringify(ENTRY.evidences, null, 1) };
  expect(knownExplanation(ledger, spelt)?.same).toBe(true);
});

test.each(OTHERS)('%s: another value is a change, and is stored', (name, changed) => {
  expect(knownExplanation(ledger, changed)?.same).toBe(false);
  ledger.write((tx) => updateVendorFields(tx, explanationId('a'), changed, { cursor: 2, at: AT }));
  expect(storedExplanation(ledger, explanationId('a'))?.[name]).toBe(changed[name]);
  expect(knownExplanation(ledger, changed)?.same).toBe(true);
});
