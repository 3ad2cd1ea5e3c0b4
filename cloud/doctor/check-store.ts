/**
 * The doctor's checks of the event store: its availability, schema, clock and free space, and expiring certificates.
 */
import { existsSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { warn, ok, skipped, wrong, type Finding } from '../../shared/service/findings.ts';
import { renewalOf } from '../../shared/time/certificate-life.ts';
import { storeFolder, type StoreConfig } from '../config/config.ts';
import { listCertificates, listTenants } from '../pki/registry.ts';
import { usedUpTenants } from '../publication/fan-out.ts';
import { USED_UP_REMEDY } from '../publication/warning.ts';
import { nameOf, StoreUnavailableError, TransientStoreError } from '../store/errors.ts';
import { StoreInUseError } from '../store/single-writer-lock.ts';
import { STORE_VERSION } from '../store/migrations/index.ts';
import { appliedTo } from '../store/migrations/migrate.ts';
import { openEmbedded, openPostgres, type Db, type Store } from '../store/open.ts';

const MB = 1_000_000;
const NEEDED_BYTES = 500 * MB;
/** Certificates begin five minutes before they were made. */
const CLOCK_TOLERANCE_MS = 5_000;
const CLOCK_WRONG_MS = 240_000;

export async function checkStore(config: StoreConfig, now: () => Date): Promise<Finding[]> {
  const url = config.CAUSEWAY_DATABASE_URL;
  if (url !== undefined) return checkContents(() => openPostgres(url, 1), now);
  const folder = storeFolder(config.CAUSEWAY_HOME);
  if (!existsSync(folder)) {
    const todo = 'run "init", or correct CAUSEWAY_HOME; CAUSEWAY_DATABASE_URL names a server';
    return [warn('store', `there is no embedded store in ${folder}`, todo)];
  }
  return [
    warn('store', `it is the embedded one, in ${folder}: for demo and tests`, 'use a PostgreSQL server in production'),
    checkDisk(folder),
    ...(await checkContents(() => openEmbedded(folder), now)),
  ];
}

async function checkContents(open: () => Promise<Store>, now: () => Date): Promise<Finding[]> {
  let store: Store;
  try {
    store = await open();
  } catch (error) {
    if (error instanceof StoreInUseError)
      return [skipped('store', 'a running cloud has it open: ask /ready on its metrics listener')];
    if (!(error instanceof StoreUnavailableError)) throw error;
    return [
      wrong('store', error.message, 'see that it runs, and check host, user and password of CAUSEWAY_DATABASE_URL'),
    ];
  }
  store.hurry(true);
  try {
    const schema = await checkSchema(store.db);
    const isUsable = schema.verdict === 'OK';
    return [schema, await checkClock(store.db, now), ...(isUsable ? await checkTenants(store.db, now()) : [])];
  } catch (error) {
    const known = nameOf(error);
    if (!(known instanceof TransientStoreError)) throw error;
    return [wrong('store', known.message, 'see that the database runs and is not overloaded, and look again')];
  } finally {
    await store.close();
  }
}

async function checkSchema(db: Db): Promise<Finding> {
  const { rows: found } = await sql<{
    there: boolean;
  }>`select to_regclass('schema_migration') is not null as there`.execute(db);
  if (found[0]?.there !== true)
    return warn('schema', 'the store is empty', 'run "init", or start the cloud: it makes it');
  const [{ version, oldestProgram }, known] = [await appliedTo(db), STORE_VERSION];
  if (oldestProgram > known) {
    const said = `it has schema version ${version}, and this program knows only up to ${known}`;
    return wrong('schema', said, 'upgrade this program to the version of the newest cloud on this store');
  }
  if (version < known)
    return warn(
      'schema',
      `it has the older version ${version} of ${known}`,
      'make a backup; the next start brings it up to date',
    );
  if (version > known)
    return ok('schema', `version ${version}, of a newer program that leaves this one's ${known} usable`);
  return ok('schema', `version ${version}`);
}

/** The database's clock against this machine's, between two readings of the latter. */
async function checkClock(db: Db, now: () => Date): Promise<Finding> {
  const before = now().getTime();
  const { rows } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(db);
  const after = now().getTime();
  const theirs = rows[0]?.at.getTime() ?? after;
  const off = theirs < before ? before - theirs : Math.max(0, theirs - after);
  if (off < CLOCK_TOLERANCE_MS) return ok('clock', 'this machine and the database agree');
  const said = `this machine is ${Math.round(off / 1_000)} s ${theirs < before ? 'ahead of' : 'behind'} the database`;
  const todo = 'set both by a time server (chrony, systemd-timesyncd): Korean days and certificates depend on it';
  return off < CLOCK_WRONG_MS ? warn('clock', said, todo) : wrong('clock', said, todo);
}

/** Tenants without a cursor left, without a valid certificate, or with less than a third of the last one's life left. */
export async function checkTenants(db: Db, now: Date): Promise<Finding[]> {
  const tenants = await listTenants(db);
  const usedUp = await usedUpTenants(db);
  const certificates = (await listCertificates(db, null)).filter(({ revokedAt }) => revokedAt === null);
  const findings = tenants.flatMap(({ tenantId, name }) => {
    const about = `tenant ${tenantId} (${name})`;
    if (usedUp.includes(tenantId))
      return [wrong(about, 'its cursors are used up at 2^53-1 (D3): no record can be issued to it', USED_UP_REMEDY)];
    const ask = `certificate issue --tenant ${tenantId} --csr FILE, with a request of the tenant's`;
    const [last] = certificates
      .filter((one) => one.tenantId === tenantId && one.notAfter > now)
      .toSorted((a, b) => b.notAfter.getTime() - a.notAfter.getTime());
    if (last === undefined) return [warn(about, 'has no certificate that is valid', ask)];
    const { state, daysLeft } = renewalOf(last.notBefore, last.notAfter, now);
    return state === 'DUE' ? [warn(about, `its last certificate ends in ${daysLeft} days`, ask)] : [];
  });
  return findings.length > 0 || tenants.length === 0
    ? findings
    : [ok('tenants', `the certificates of all ${tenants.length} have time`)];
}

function checkDisk(folder: string): Finding {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const said = `${Math.floor(free / MB)} MB are free where the store has ${Math.ceil(sizeOf(folder) / MB)} MB`;
  return free < NEEDED_BYTES
    ? wrong('disk', said, 'make room at once: nothing can be published without it')
    : ok('disk', said);
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce(
      (sum, entry) => sum + (statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
}
