/** The two sides of a fan-out: the product's publication, and the bare INSERT of the same rows. */
import { sql } from 'kysely';
import { FAN_OUT_LOCK } from '../../../cloud/publication/fan-out.ts';
import { publish } from '../../../cloud/publication/publish.ts';
import type { Store } from '../../../cloud/store/open.ts';
import { live, read } from '../../support/cloud/loads.ts';
import { AT } from '../../support/cloud/store.ts';
import type { Side } from '../bench.ts';
import { TENANTS } from './store.ts';

/** Publishes another load at each call, from parsing its line to the commit. */
export function publication(store: Store): Side {
  let count = 0;
  return {
    run: async () => {
      count += 1;
      const outcome = await publish(store, read(live({ key: `bench-${count}`, documents: 4 })), AT);
      if (outcome.deliveries !== TENANTS) throw new Error(`${outcome.deliveries} records were issued`);
    },
  };
}

/**
 * The lower bound for the same rows: the lock, one INSERT … SELECT of prepared rows, the commit. The referenced rows
 * and their cursors are created outside the timed part.
 */
export function bareInsert(store: Store): Side {
  let count = 0;
  return {
    before: async () => {
      count += 1;
      // A result that was never sent: its firing already has a published one.
      const key = `raw-${count}`;
      await publish(store, read(live({ key, route: 'base-1', documents: 4 })), AT);
      await sql`drop table if exists bench_row`.execute(store.db);
      await sql`update fan_out_count set fan_outs = fan_outs + 1`.execute(store.db);
      await sql`
        create unlogged table bench_row as
        select t.tenant_id, c.fan_outs - t.cursor_lag as cursor, 'NEW' as delivery_type,
          ${`res-${key}`} as explanation_result_id, ${AT}::timestamptz as created_at
        from tenant t cross join fan_out_count c`.execute(store.db);
    },
    run: () =>
      store.transaction(async (trx) => {
        await sql`select pg_advisory_xact_lock(hashtextextended(${FAN_OUT_LOCK}, 0))`.execute(trx);
        await sql`
          insert into tenant_delivery (tenant_id, cursor, delivery_type, explanation_result_id, created_at)
          select tenant_id, cursor, delivery_type, explanation_result_id, created_at from bench_row`.execute(trx);
      }),
  };
}
