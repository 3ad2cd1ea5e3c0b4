/**
 * Forward-only migrations. Each runs in a transaction of its own together with the row that records it, so that a
 * failed one leaves the state before it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db, Store, Trx } from '../open.ts';

export interface Migration {
  /** Counted without holes from the first one, which makes the store. */
  version: number;
  name: string;
  /**
   * The schema version of the oldest program that may run on the store once this is applied; absent: none older. A
   * change takes two steps, so that a program can be rolled back by one release: first expand (add columns and tables
   * for the next program, which this one ignores), and one release later contract.
   */
  oldestProgram?: number;
  /** One SQL statement each: PGlite accepts no more at once. */
  statements: readonly string[];
}

/** A newer program has migrated the store in a way that this one cannot run with. */
export class StoreTooNewError extends Error {
  constructor(found: number, known: number) {
    super(
      `The cloud store has schema version ${found}, but this program knows versions up to ${known}: start the newer program, or restore a backup of the store from before the upgrade.`,
    );
    this.name = 'StoreTooNewError';
  }
}

/** A migration failed; the store is in the state before it. */
export class MigrationFailedError extends Error {
  constructor(migration: Migration, cause: unknown) {
    super(
      `Migration ${migration.version} (${migration.name}) of the cloud store failed and was rolled back: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
    this.name = 'MigrationFailedError';
  }
}

export interface AppliedSchema {
  /** The newest migration that was applied; 0: none. */
  version: number;
  /** The schema version of the oldest program that may run on the store (D137). */
  oldestProgram: number;
}

/** For a store with this program's table of migrations. */
export async function appliedTo(db: Db): Promise<AppliedSchema> {
  const { rows } = await sql<{ version: number | null; oldest: number | null }>`
    select max(version) as version, max(oldest_program) as oldest from schema_migration`.execute(db);
  return { version: rows[0]?.version ?? 0, oldestProgram: rows[0]?.oldest ?? 0 };
}

const MIGRATION_LOCK = 'causeway-cloud-migration';
const LOCK_AGAIN_MS = 200;

/** Runs one at a time, for any duration of the one before. It asks again and again, so that a lost connection shows. */
async function lockMigrations(trx: Trx): Promise<void> {
  await sql`select set_config('lock_timeout', '0', true)`.execute(trx);
  for (;;) {
    const { rows } = await sql<{ taken: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended(${MIGRATION_LOCK}, 0)) as taken`.execute(trx);
    if (rows[0]?.taken === true) return;
    await pause(LOCK_AGAIN_MS);
  }
}

/**
 * Brings the store up to the newest version known here. Several processes may do so at once: they
 * queue at an advisory lock and the later ones find nothing to do.
 * @returns the versions that were applied by this call.
 * @throws StoreTooNewError, MigrationFailedError
 */
export async function migrate(store: Store, migrations: readonly Migration[], at: Date): Promise<number[]> {
  store.hurry(true);
  try {
    return await applyAll(store, migrations, at);
  } finally {
    store.hurry(false);
  }
}

async function applyAll(store: Store, migrations: readonly Migration[], at: Date): Promise<number[]> {
  const known = migrations.at(-1)?.version ?? 0;
  const applied: number[] = [];
  await store.transaction(async (trx) => {
    await lockMigrations(trx);
    await sql`create table if not exists schema_migration (version integer primary key, name text not null, applied_at timestamptz not null, oldest_program integer not null)`.execute(
      trx,
    );
  });
  for (const migration of migrations) {
    const done = await store.transaction(async (trx) => {
      await lockMigrations(trx);
      const { version: found, oldestProgram } = await appliedTo(trx);
      if (oldestProgram > known) throw new StoreTooNewError(found, known);
      if (found >= migration.version) return false;
      store.hurry(false);
      try {
        for (const statement of migration.statements) await sql.raw(statement).execute(trx);
        await sql`insert into schema_migration (version, name, applied_at, oldest_program)
          values (${migration.version}, ${migration.name}, ${at}, ${migration.oldestProgram ?? migration.version})`.execute(
          trx,
        );
      } catch (error) {
        throw new MigrationFailedError(migration, error);
      } finally {
        store.hurry(true);
      }
      return true;
    });
    if (done) applied.push(migration.version);
  }
  return applied;
}
