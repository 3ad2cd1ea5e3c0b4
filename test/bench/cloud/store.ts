/** Stores of a size for benchmarks, on the shared PostgreSQL server. */
import { sql } from 'kysely';
import { migrate } from '../../../cloud/store/migrate.ts';
import { MIGRATIONS } from '../../../cloud/store/migrations/index.ts';
import { openPostgres, type Store } from '../../../cloud/store/open.ts';
import { AT } from '../../../cloud/testing/store.ts';
import type { BenchBed } from '../bench.ts';

export const TENANTS = 10_000;

/** A migrated store with 10,000 tenants and nothing else. */
export async function makeStore(bed: BenchBed): Promise<Store> {
  const server = await bed.postgres();
  const store = await openPostgres(await server.createDatabase(), 4);
  bed.after(() => store.close());
  await migrate(store, MIGRATIONS, AT);
  await sql`
    insert into tenant (name, environment, created_at)
    select 'tenant-' || n, 'PRODUCTION', ${AT} from generate_series(1, ${TENANTS}::integer) n`.execute(store.db);
  await sql`analyze tenant`.execute(store.db);
  return store;
}
