/**
 * The whole answer about some rows: the test gives the axes of its sentence, the reference computes every other one.
 * The reference must agree with the test's axes, so that each verifies the other.
 */
import { expect } from 'vitest';
import type { Facts } from '../../../shared/wire/facts.ts';
import type { FactsFixture } from './fixture.ts';
import { emptyLedger, type Ledger } from './ledger.ts';
import { referenceFacts } from './reference.ts';
import { facts } from './rows.ts';

export async function expectWhole(
  fixture: FactsFixture,
  rows: Partial<Ledger>,
  date: string | null,
  axes: Partial<Facts>,
): Promise<void> {
  await fixture.put(rows);
  const now = fixture.clock.now().toISOString();
  const reference = referenceFacts({ ...emptyLedger(), ...rows }, now, date, false) as Facts;
  const whole = { ...reference, ...axes };
  expect(reference, 'the reference').toStrictEqual(whole);
  const got = await fixture.facts(date);
  expect(got).toStrictEqual(whole);
  expect(Object.keys(got)).toEqual(Object.keys(facts()));
}
