/** A past in a test: its own folder and store, any seed, any end. */
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { X509Certificate } from 'node:crypto';
import Database from 'better-sqlite3';
import { sql } from 'kysely';
import { prepareInstallation } from '../../../cloud/commands/init.ts';
import { readDemo } from '../../../cloud/demo/generation/reader.ts';
import { listTenants } from '../../../cloud/operator/tenants.ts';
import type { Store } from '../../../cloud/store/open.ts';
import { postgresKind } from '../cloud/store.ts';
import type { TestFixture } from '../process.ts';
import { SeededClock, seededIds } from '../../../electron/start/past/seeded-clock.ts';
import { firstMorning, livePast } from '../../../electron/start/past/weeks.ts';

export type Rows = Record<string, readonly Readonly<Record<string, unknown>>[]>;

export interface Lived {
  ledger: Rows;
  store: Rows;
  tenants: string[];
  certificate: X509Certificate;
  refusals: unknown[];
}

/** @param days the validity of the certificates, which are checked against this machine's time, not the seeded clock's */
export async function live(
  fixture: TestFixture,
  { seed, weeks, until, days }: { seed: string; weeks: number; until: Date; days: number },
): Promise<Lived> {
  const home = fixture.folder('past');
  const { store: empty, url } = await (await postgresKind()).open();
  await empty.close();
  if (url === null) throw new Error('there is no server');
  mkdirSync(path.join(home, 'tenant'));
  const ledger = path.join(home, 'tenant', 'ledger.sqlite');
  const clock = new SeededClock(firstMorning(until, weeks), until);
  const refusals: unknown[] = [];
  let lived: Lived | null = null;
  await prepareInstallation(
    ['--tenant', '데모증권'],
    { CAUSEWAY_HOME: home, CAUSEWAY_DEMO: '1', CAUSEWAY_DATABASE_URL: url },
    { clock, days },
    async (store, installation) => {
      await livePast({
        seed,
        clock,
        ids: seededIds(seed),
        weeks,
        days,
        store,
        installation,
        ledger,
        demo: readDemo(),
        seeded: () => undefined,
        progress: () => undefined,
        refused: (refusal) => refusals.push(refusal),
      });
      const all = { page: 1, size: 20, status: null, q: null };
      const { items } = await listTenants(store.db, all, until);
      lived = {
        ledger: ledgerRows(ledger),
        store: await storeRows(store),
        tenants: items.map(({ name, connectionStatus }) => `${name} ${connectionStatus}`),
        certificate: new X509Certificate(readFileSync(installation.tenants[0]?.cert ?? '')),
        refusals,
      };
    },
  );
  if (lived === null) throw new Error('nothing was lived');
  return lived;
}

function ledgerRows(file: string): Rows {
  const db = new Database(file, { readonly: true });
  const tables = db
    .prepare<[], { name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'")
    .all()
    .map(({ name }) => name);
  const rows = tables.map((name) => [name, db.prepare(`SELECT * FROM "${name}"`).all()]);
  db.close();
  return Object.fromEntries(rows) as Rows;
}

async function storeRows({ db }: Store): Promise<Rows> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`.execute(db);
  const found: Record<string, Rows[string]> = {};
  for (const { name } of tables) {
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(db);
    found[name] = rows as Rows[string];
  }
  return found;
}
