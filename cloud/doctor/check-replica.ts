/** The doctor's check of the read replica (D177): whether it is a standby of the primary, and how far behind. */
import { sql } from 'kysely';
import { ok, warn, wrong, type Finding } from '../../shared/service/findings.ts';
import { openPostgres } from '../store/open.ts';
import { openReplica } from '../store/replica.ts';
import { ORIGIN } from '../sync/certificate-sql.ts';

const ABOUT = 'read replica';
/** A file of the write-ahead log: a replica that is further behind serves next to nothing. */
const LAG_BYTES = 16 * 1024 * 1024;

export async function checkReplica(primaryUrl: string | undefined, url: string | undefined): Promise<Finding[]> {
  if (primaryUrl === undefined || url === undefined) return [];
  const primary = await factsOfPrimary(primaryUrl).catch(() => null);
  // Without the primary the check of the store has said what is wrong.
  if (primary === null) return [];
  try {
    return [judge(primary, await factsOfReplica(url, primary.place))];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const todo = 'see that it runs, and check CAUSEWAY_DATABASE_READ_URL; meanwhile the primary gives all bundles';
    return [warn(ABOUT, `it cannot be asked: ${why}`, todo)];
  }
}

interface ReplicaFacts {
  isStandby: boolean;
  origin: string;
  behind: number;
}

function judge(primary: { origin: string }, { isStandby, origin, behind }: ReplicaFacts): Finding {
  if (!isStandby)
    return wrong(ABOUT, 'it is no standby', 'name a standby of the primary, or take CAUSEWAY_DATABASE_READ_URL out');
  if (origin !== primary.origin)
    return wrong(
      ABOUT,
      `it follows another line of databases (${origin}) than the primary (${primary.origin})`,
      'after a fail-over wait some five minutes, until it has noted the new primary; else make it anew (guide/failover.md)',
    );
  const said = `it is ${Math.ceil(behind / 1024)} KB behind the primary`;
  return behind > LAG_BYTES
    ? warn(ABOUT, said, 'see that it receives and applies; meanwhile the primary gives the bundles')
    : ok(ABOUT, said);
}

async function factsOfPrimary(url: string): Promise<{ origin: string; place: string }> {
  const store = await openPostgres(url, 1);
  store.hurry(true);
  try {
    const { rows } = await sql<{ origin: string; place: string }>`
      select ${sql.raw(ORIGIN.ofPrimary)} as origin, pg_current_wal_lsn()::text as place`.execute(store.db);
    if (rows[0] === undefined) throw new Error('the primary gave no row');
    return rows[0];
  } finally {
    await store.close();
  }
}

async function factsOfReplica(url: string, place: string): Promise<ReplicaFacts> {
  const replica = await openReplica(url, 1);
  try {
    const [facts] = await replica.prepared<ReplicaFacts>(
      'doctor_replica',
      `select pg_is_in_recovery() as "isStandby", ${ORIGIN.ofStandby} as origin,
        greatest(0, coalesce(pg_wal_lsn_diff($1::pg_lsn, pg_last_wal_replay_lsn()), 0))::bigint as behind`,
      [place],
    );
    if (facts === undefined) throw new Error('it gave no row');
    return facts;
  } finally {
    await replica.close();
  }
}
