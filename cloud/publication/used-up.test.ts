/** A tenant whose cursors are used up gets no record any more: load and doctor tell it (D3). */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { checkTenants } from '../doctor/check-store.ts';
import { bundleFixture } from '../../test/support/cloud/bundle-fixture.ts';
import { live, v2 } from '../../test/support/cloud/loads.ts';
import { AT, STORE_KINDS } from '../../test/support/cloud/store.ts';

describe.each(STORE_KINDS)('a tenant at the last cursor on %s', (_name, makeKind) => {
  const fixture = bundleFixture(makeKind);

  test('gets the last record, and then none: the loads and the doctor say so', async () => {
    const { db } = fixture.store;
    const found = async (): Promise<unknown[]> =>
      (await checkTenants(db, AT)).filter(({ said }) => said.includes('cursors'));
    const { rows } = await sql<{ id: number }>`select max(tenant_id) as id from tenant`.execute(db);
    const last = rows[0]?.id;
    await sql`update tenant set cursor_lag = fan_outs + 1 - 9007199254740991 from fan_out_count where tenant_id = ${last}`.execute(
      db,
    );
    const before = await fixture.take(live({ key: 'a' }));
    expect(before).not.toHaveProperty('warning');
    // The next one has no cursor.
    expect(await found()).toMatchObject([
      {
        verdict: 'WRONG',
        about: expect.stringContaining(`tenant ${last} (`) as string,
        said: expect.stringContaining('2^53-1') as string,
      },
    ]);
    for (const load of [live({ key: 'b' }), v2({ key: 'c' })])
      expect(await fixture.take(load)).toMatchObject({
        outcome: 'PUBLISHED',
        deliveries: before.deliveries - 1,
        warning: expect.stringContaining('not issued to 1 tenant, whose cursors are used up at 2^53-1') as string,
      });
    await sql`update tenant set removed_at = ${AT} where tenant_id = ${last}`.execute(db);
    expect(await found()).toEqual([]);
    expect(await fixture.take(live({ key: 'd' }))).not.toHaveProperty('warning');
  });
});
