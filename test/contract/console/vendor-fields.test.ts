/** The way of each field of a NEW entry: kept, compared, digested, answered, in a dossier, searched where its table says so. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { digestOf } from '../../../agent/intake/apply/projection.ts';
import { listedOf } from '../../../agent/ledger/dossier/collect.ts';
import {
  explanationId,
  knownExplanation,
  updateVendorFields,
} from '../../../agent/ledger/explanations/explanations.ts';
import {
  VENDOR_FIELDS,
  VENDOR_TABLE,
  vendorFields,
  vendorFieldsSchema,
  type VendorFields,
} from '../../../agent/ledger/storage/vendor-fields.ts';
import { newEntrySchema, type NewEntry } from '../../../shared/wire/bundle.ts';
import type { ExplanationDetail, ExplanationItem, Page } from '../../../shared/wire/console/console.ts';
import { newEntry, receive } from '../../support/agent/ledger.ts';
import { TestConsole } from '../../support/console-api/console.ts';

type Field = keyof VendorFields;
const GRAIN: readonly Field[] = ['etf_instrument_id', 'etf_ticker', 'trade_date', 'explanation_as_of'];

let world: TestConsole;
beforeAll(() => {
  world = new TestConsole();
});
afterAll(() => world.close());

/** The objects of an entry that hold its fields, those of a run and of a result among them. */
const partsOf = (entry: NewEntry): Record<string, unknown>[] => [
  entry.explanation_result,
  entry.explanation_run,
  entry,
];

/** Another value that the contract allows. */
function otherThan(name: Field, value: unknown): unknown {
  if (name === 'confidence_level') return 'LOW';
  if (name === 'source_events') return [{ ...(value as object[])[0], event_type_code: 'UNUSUAL' }];
  if (name === 'evidences') return [{ ...(value as object[])[0], title: 'UNUSUAL' }];
  if (name === 'trade_date') return '2026-11-19';
  if (name.endsWith('_as_of')) return '2026-11-20T06:31:00.000Z';
  return typeof value === 'number' ? value + 1 : `${String(value)}-UNUSUAL`;
}

const fieldsOf = (entry: NewEntry): VendorFields =>
  vendorFields(entry, {
    source_events: JSON.stringify(entry.source_events),
    evidences: JSON.stringify(entry.evidences),
  });

test('the table has every field of the wire, and no other', () => {
  const { explanation_result, explanation_run, source_events, evidences } = newEntrySchema.shape;
  const onWire = Object.keys({ ...explanation_result.shape, ...explanation_run.shape, source_events, evidences });
  expect(onWire.toSorted()).toEqual(VENDOR_FIELDS.toSorted());
});

test.each(VENDOR_FIELDS)('%s', async (name) => {
  const content = { content_as_of: '2026-11-20T06:00:00.000Z', analysis_engine: 'v2' };
  const entry = newEntry(`way-${name}`, content);
  const other = structuredClone(entry);
  const part = partsOf(other).find((one) => name in one);
  if (part === undefined) throw new Error('the entry lacks the field');
  part[name] = otherThan(name, part[name]);
  newEntrySchema.parse(other);

  const [before, after] = [fieldsOf(entry), fieldsOf(other)];
  expect(VENDOR_FIELDS.filter((one) => before[one] !== after[one])).toEqual([name]);
  expect(digestOf(after)).not.toBe(digestOf(before));

  const [id, otherId] = [entry, other].map((one) => explanationId(one.explanation_result.explanation_result_id));
  if (id === undefined || otherId === undefined) throw new Error('no id');
  world.ledger.write((tx) => receive(tx, entry));
  const read = (of: string) =>
    world.ask<ExplanationDetail>({ method: 'GET', url: `/api/v1/explanations/${of}`, as: 'READ_ONLY' });
  const told = (await read(id)).result;
  if (name === 'explanation_result_id') {
    expect(knownExplanation(world.ledger, after)).toBeUndefined();
    world.ledger.write((tx) => receive(tx, other));
  } else {
    const isOfGrain = GRAIN.includes(name);
    expect(knownExplanation(world.ledger, after)).toMatchObject({ same: false, sameGrain: !isOfGrain });
    world.ledger.write((tx) => updateVendorFields(tx, id, after, { cursor: 2, at: world.now.toISOString() }));
  }

  expect(knownExplanation(world.ledger, after)?.same).toBe(true);
  expect((await read(otherId)).result[name]).not.toEqual(told[name]);
  expect(vendorFieldsSchema.parse(listedOf(world.ledger, otherId).fields)).toEqual(after);
  const words = name === 'source_events' || name === 'evidences' ? 'UNUSUAL' : String(after[name]);
  const url = `/api/v1/explanations?size=100&q=${encodeURIComponent(words)}`;
  const found = (await world.ask<Page<ExplanationItem>>({ method: 'GET', url, as: 'READ_ONLY' })).result.items;
  expect(found.some((item) => item.id === otherId)).toBe(VENDOR_TABLE[name].use !== undefined);
});

test('another spelling of the same lists is no change', () => {
  const entry = newEntry('spelt');
  world.ledger.write((tx) => receive(tx, entry));
  const spelt = { ...fieldsOf(entry), evidences: JSON.stringify(entry.evidences, null, 1) };
  expect(knownExplanation(world.ledger, spelt)?.same).toBe(true);
});
