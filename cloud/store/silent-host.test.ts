/** A host of the database that takes connections and then says nothing: its users get a named error, so that they try again. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PostgresServer } from '../../test/support/postgres.ts';
import { startPostgresProxy } from '../../test/support/postgres-proxy.ts';
import { sharedPostgres } from '../../test/support/shared-postgres.ts';
import { ConnectionLostError } from './errors.ts';
import { openPostgres } from './open.ts';

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await sharedPostgres();
});
afterAll(() => postgres.stop());

test('a new connection whose host does not say whether it takes writes is a lost connection', async () => {
  let isSilent = false;
  const never = new Promise<never>(() => undefined);
  const proxy = await startPostgresProxy(await postgres.createDatabase(), ({ text }) =>
    isSilent && text.includes('transaction_read_only') ? never : 'pass',
  );
  const store = await openPostgres(`${proxy.url}?target_session_attrs=read-write`);
  try {
    isSilent = true;
    // The first takes the connection that is open, the second needs a new one.
    const [, refused] = await Promise.allSettled([
      store.transaction((trx) => sql`select pg_sleep(0.2)`.execute(trx)),
      store.transaction((trx) => sql`select 1`.execute(trx)),
    ]);
    expect(refused.status === 'rejected' && refused.reason).toBeInstanceOf(ConnectionLostError);
  } finally {
    await store.close();
    await proxy.close();
  }
});
