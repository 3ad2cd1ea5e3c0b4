/** Kept texts in a pull. `test/faults/cloud/entry-text.test.ts` proves that they are correct for every writer. */
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { bundleFixture } from '../testing/bundle-fixture.ts';
import { live, v2 } from '../testing/loads.ts';
import { STORE_KINDS } from '../testing/store.ts';
import { TEXT_FORM } from './entry-sql.ts';
import { EntryTextRefill } from './entry-text.ts';

test('a new form of the text comes with a migration that creates its function', () => {
  expect(TEXT_FORM).toBe('46afabf72aa5b40e');
});

describe.each(STORE_KINDS)('a pull on %s', (_name, makeKind) => {
  const fixture = bundleFixture(makeKind);
  let refill: EntryTextRefill;
  beforeEach(async () => {
    refill = new EntryTextRefill(fixture.store);
    fixture.parts.refill = refill;
    await fixture.take(live({ key: 'a' }));
    await fixture.take(v2({ key: 'b' }));
  });
  const entries = async (): Promise<unknown> => (await fixture.ask(0)).body.result?.entries;
  const summaryOf = async (place: number): Promise<unknown> =>
    (await fixture.ask(0)).body.result?.entries[place]?.explanation_result?.['summary'];
  const keptCount = async (): Promise<number> =>
    (await sql`select from entry_text`.execute(fixture.store.db)).rows.length;

  test.each([true, false])('reads the kept text, which equals the join’s (calculations: %s)', async (calculations) => {
    fixture.parts.calculations = calculations;
    const kept = await entries();
    await sql`delete from entry_text`.execute(fixture.store.db);
    expect(await entries()).toEqual(kept);
    await refill.idle();
    await sql`update entry_text set body = replace(body, 'b: v2', 'kept: v2')`.execute(fixture.store.db);
    expect(await summaryOf(1)).toBe('kept: v2 설명입니다.');
  });

  test('shows a change at once, and keeps the text again behind the answer', async () => {
    expect(await keptCount()).toBe(2);
    await sql`update explanation_result set summary = 'new' where explanation_result_id = 'res-a'`.execute(
      fixture.store.db,
    );
    expect(await keptCount()).toBe(1);
    expect(await summaryOf(0)).toBe('new');
    await refill.idle();
    expect(await keptCount()).toBe(2);
    expect(await summaryOf(0)).toBe('new');
  });

  test('ignores a text of another form', async () => {
    await sql`update entry_text set form = 'of another program', body = ''`.execute(fixture.store.db);
    expect(await summaryOf(1)).toBe('b: v2 설명입니다.');
    await refill.idle();
    expect((await sql`select distinct form from entry_text`.execute(fixture.store.db)).rows).toEqual([
      { form: TEXT_FORM },
    ]);
  });

  test('a stopped refill ignores requests', async () => {
    await sql`delete from entry_text`.execute(fixture.store.db);
    await refill.stop();
    expect(await entries()).toHaveLength(2);
    await refill.idle();
    expect(await keptCount()).toBe(0);
  });
});
