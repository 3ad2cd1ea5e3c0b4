/** The commands on tenants and certificates beside a running cloud, over a real PostgreSQL. */
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PostgresServer } from '../../test/support/postgres.ts';
import { sharedPostgres } from '../../test/support/shared-postgres.ts';
import { TestFixture, waitFor, type Part } from '../../test/support/process.ts';
import { lockFanOut } from '../publication/fan-out.ts';
import { publish } from '../publication/publish.ts';
import { checkStore } from '../doctor/check-store.ts';
import { MIGRATIONS } from '../store/migrations/index.ts';
import { openPostgres, type Store } from '../store/open.ts';
import { commandWith, type Said } from '../../test/support/cloud/command.ts';
import { live, read } from '../../test/support/cloud/loads.ts';
import { AT, deliveries } from '../../test/support/cloud/store.ts';
import { tlsClient } from '../../test/support/cloud/tls.ts';

const holding = (text: string): unknown => expect.stringContaining(text);
const SLOW_MS = 120_000;
const fixture = new TestFixture();
let postgres: PostgresServer;
let store: Store;
let home: string;
let env: Record<string, string>;
let cloud: Part;
let serving: Record<string, string>;
let bundleUrl: string;
let ca: string;

const command = (...args: string[]): Promise<Said> => commandWith(env, ...args);
const answer = async <T>(...args: string[]): Promise<T> => {
  const { code, out, err } = await command(...args);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out) as T;
};
const addTenant = async (
  name: string,
): Promise<{ tenantId: number; client: ReturnType<typeof tlsClient>; fingerprint: string }> => {
  const { tenantId } = await answer<{ tenantId: number }>('tenant', 'add', '--name', name);
  return { tenantId, ...(await issue(tenantId)) };
};
/** A certificate with a key made at the vendor, opened at the tenant by the printed passphrase. */
const issue = async (tenantId: number, ...more: string[]) => {
  const issued = await answer<{ cert: string; key: string; keyPassphrase: string; fingerprint: string }>(
    ...['certificate', 'issue', '--tenant', String(tenantId), '--make-key', ...more],
  );
  const locked = readFileSync(issued.key, 'utf8');
  expect(locked).toContain('BEGIN ENCRYPTED PRIVATE KEY');
  const key = createPrivateKey({ key: locked, passphrase: issued.keyPassphrase });
  const client = {
    cert: readFileSync(issued.cert, 'utf8'),
    key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
  return { fingerprint: issued.fingerprint, client: tlsClient({ ca, client }) };
};
const pull = async (client: ReturnType<typeof tlsClient>, after: number): Promise<string> => {
  const { status, envelope } = await client.get(`${bundleUrl}/api/v1/sync/bundle?after=${after}`);
  const result = envelope.result as { cursor_to: number } | undefined;
  return status === 200 ? `200 to ${result?.cursor_to ?? 'nothing new'}` : `${status} ${envelope.code}`;
};
const take = (key: string): Promise<unknown> => publish(store, read(live({ key })), AT);
const OPERATOR_ACTIONS = 'add, password, second-factor, no-second-factor, deactivate, activate, list';
const moveSchema = (by: number) =>
  sql`update schema_migration set version = version + ${by}, oldest_program = oldest_program + ${by}`.execute(store.db);
const listed = async (tenantId: number): Promise<Record<string, unknown> | undefined> =>
  (await answer<{ tenants: Record<string, unknown>[] }>('tenant', 'list')).tenants.find(
    (one) => one['tenantId'] === tenantId,
  );

beforeAll(async () => {
  home = fixture.folder('commands');
  const backups = fixture.folder('backups');
  writeFileSync(join(backups, 'base.tar.gz'), 'x');
  postgres = await sharedPostgres();
  const url = await postgres.createDatabase();
  env = { CAUSEWAY_HOME: home, CAUSEWAY_DATABASE_URL: url };
  const { pki } = await answer<{ pki: Record<'ca' | 'serverCert' | 'serverKey' | 'clientCa', string> }>(
    'init',
    '--make-key',
  );
  ca = readFileSync(pki.ca, 'utf8');
  store = await openPostgres(url, 2);
  serving = {
    ...env,
    CAUSEWAY_BACKUP_FOLDER: backups,
    CAUSEWAY_ENGINE_TOKEN: 'test-token-of-at-least-32-characters',
    CAUSEWAY_SYNC_CERT: pki.serverCert,
    CAUSEWAY_SYNC_KEY: pki.serverKey,
    CAUSEWAY_SYNC_CLIENT_CA: pki.clientCa,
    CAUSEWAY_SYNC_LISTEN: '127.0.0.1:0',
    CAUSEWAY_OPERATOR_LISTEN: '127.0.0.1:0',
    CAUSEWAY_ENGINE_LISTEN: '127.0.0.1:0',
  };
  cloud = fixture.start('cloud/main.ts', { env: serving });
  bundleUrl = (await cloud.listening('sync')).url;
}, SLOW_MS);
afterAll(async () => {
  await store.close();
  await fixture.clear();
  await postgres.stop();
}, SLOW_MS);

test('a database of another encoding is refused before anything is written', async () => {
  await sql`create database latin encoding 'LATIN1' template template0 lc_collate 'C' lc_ctype 'C'`.execute(store.db);
  const url = new URL(env['CAUSEWAY_DATABASE_URL'] ?? '');
  url.pathname = '/latin';
  await expect(openPostgres(url.href)).rejects.toThrow(
    'its encoding is LATIN1, and UTF8 is needed (createdb -E UTF8 -T template0)',
  );
});

describe('doctor', () => {
  const doctor = async (changed: Record<string, string> = {}) => {
    const { code, out, err } = await commandWith({ ...serving, ...changed }, 'doctor');
    return { code, err, asked: out.split('\n').filter((line) => /^(?:WRONG|WARN| +do:)/.test(line)), out };
  };
  /** The addresses of the running cloud's listeners. */
  const listening = async (): Promise<Record<string, string>> => {
    const host = async (name: string): Promise<string> => new URL((await cloud.listening(name)).url).host;
    return {
      CAUSEWAY_SYNC_LISTEN: await host('sync'),
      CAUSEWAY_OPERATOR_LISTEN: await host('operator'),
      CAUSEWAY_ENGINE_LISTEN: await host('engine'),
      CAUSEWAY_CLOUD_METRICS_LISTEN: await host('metrics'),
    };
  };

  test('a healthy cloud', async () => {
    const { code, err, asked, out } = await doctor(await listening());
    expect({ code, err, asked }).toEqual({ code: 0, err: '', asked: [] });
    const checked = 'settings,certificate of the bundle endpoint,schema,clock,tenants,running cloud';
    for (const about of checked.split(',')) expect(out).toMatch(new RegExp(`^ok +${about}: `, 'm'));
    expect(out).toMatch(/^ok +running cloud: Causeway \d+\.\d+\.\d+, ready$/m);
  });

  test('every fault has a sentence and a remedy: variables, key, database, schema, clock, listeners', async () => {
    expect(await doctor({ CAUSEWAY_ENGINE_TOKEN: '' })).toMatchObject({
      code: 1,
      asked: [holding('CAUSEWAY_ENGINE_TOKEN'), holding('do: ')],
    });
    const other = fixture.folder('doctor');
    await answer('init', '--out', other, '--tenant', 'doctor');
    const swapped = await doctor({ CAUSEWAY_SYNC_KEY: join(other, 'server.key') });
    expect([swapped.code, swapped.asked[0]]).toEqual([1, holding('does not belong to the certificate')]);
    const gone = await doctor({ CAUSEWAY_DATABASE_URL: 'postgres://nobody@127.0.0.1:7/none' });
    expect([gone.code, gone.asked[0]]).toEqual([1, holding('WRONG  store: ')]);
    const unsigned = await doctor({ CAUSEWAY_SYNC_SIGNING_KEY: join(other, 'server.key') });
    expect([unsigned.code, unsigned.asked[0]]).toEqual([1, holding('must be Ed25519')]);
    const alone = await doctor({ CAUSEWAY_SYNC_LISTEN: '127.0.0.1:7', CAUSEWAY_CLOUD_METRICS_LISTEN: '127.0.0.1:7' });
    expect([alone.code, alone.asked.join()]).toEqual([0, holding('no program listens at 127.0.0.1:7')]);
    expect(alone.asked.join()).toContain('no answer from http://127.0.0.1:7');
    await moveSchema(999);
    const newer = await doctor();
    await moveSchema(-999);
    expect([newer.code, newer.asked]).toEqual([1, [holding('knows only up to'), holding('upgrade this program')]]);
  });

  test('a start that migrates a store logs it, with the versions', async () => {
    const fresh = fixture.start('cloud/main.ts', {
      env: { ...serving, CAUSEWAY_DATABASE_URL: await postgres.createDatabase() },
    });
    const line = await fresh.logLine('the schema', ({ msg }) => msg === 'the store was brought to a newer schema');
    expect(line['versions']).toEqual(MIGRATIONS.map(({ version }) => version));
    await fresh.listening('operator');
    expect(await fresh.stop('SIGINT')).toEqual({ code: 0, signal: null });
    expect(cloud.stdout).not.toContain('newer schema');
  });

  test('a database with a different clock', async () => {
    const hours = (n: number) => () => new Date(Date.now() + n * 3_600_000);
    const database = { CAUSEWAY_DATABASE_URL: serving['CAUSEWAY_DATABASE_URL'], CAUSEWAY_DATABASE_CONNECTIONS: 1 };
    const of = async (now: () => Date) =>
      (await checkStore({ CAUSEWAY_HOME: home, ...database }, now)).find(({ about }) => about === 'clock');
    expect(await of(hours(1))).toMatchObject({ verdict: 'WRONG', said: holding('3600 s ahead of the database') });
    expect(await of(hours(-1))).toMatchObject({ verdict: 'WRONG', said: holding('3600 s behind the database') });
  });
});

describe('init again', () => {
  test.each(['ca.key', 'ca.crt', 'server.key', 'server.crt'])(
    'with %s absent is refused, and every file stays as it is',
    async (absent) => {
      const out = fixture.folder('half');
      await answer('init', '--out', out);
      rmSync(join(out, absent));
      const files = (): string[] =>
        readdirSync(out, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
          .sort();
      const texts = (): string[][] => files().map((file) => [file, readFileSync(file, 'utf8')]);
      const before = texts();
      const again = await command('init', '--out', out, '--tenant', `half ${absent}`);
      expect(again).toMatchObject({ code: 1, out: '', err: holding(`The file ${join(out, absent)} is missing while`) });
      expect(again.err.trim().split('\n')).toHaveLength(1);
      expect(texts()).toEqual(before);
      const { tenants } = await answer<{ tenants: { name: string }[] }>('tenant', 'list');
      expect(tenants.map(({ name }) => name)).not.toContain(`half ${absent}`);
    },
    SLOW_MS,
  );

  test('blanks around the name of a tenant are ignored, in every command', async () => {
    const out = fixture.folder('padded');
    const { tenants } = await answer<{ tenants: { tenantId: number; name: string }[] }>(
      ...['init', '--out', out, '--tenant', ' padded '],
    );
    expect(tenants).toMatchObject([{ name: 'padded' }]);
    const id = tenants[0]?.tenantId ?? 0;
    expect(await answer('init', '--out', out, '--tenant', 'padded')).toMatchObject({ tenants: [{ tenantId: id }] });
    await sql`update tenant set name = ' padded ' where tenant_id = ${id}`.execute(store.db);
    expect(await answer('tenant', 'remove', '--tenant', String(id), '--name', ' padded ')).toMatchObject({
      tenantId: id,
    });
  });
});

describe('while another holds the lock of the fan-outs', () => {
  test.each([[['tenant', 'add', '--name', 'waiting']], [['init', '--tenant', 'waiting']]])(
    '%j reports it in one sentence',
    async (args) => {
      const impatient = {
        ...env,
        CAUSEWAY_DATABASE_URL: `${env['CAUSEWAY_DATABASE_URL']}?options=-c%20lock_timeout%3D50`,
      };
      const said = await store.transaction(async (trx) => {
        await lockFanOut(trx);
        return commandWith(impatient, ...args);
      });
      expect(said).toEqual({
        code: 1,
        out: '',
        err: 'Another transaction held a lock that this one needs for too long; nothing was written, try again.\n',
      });
    },
  );
});

describe('tenant remove', () => {
  test('the next request on a kept-alive connection is refused, no fan-out reaches it, its records stay, its name is free', async () => {
    const { tenantId, client } = await addTenant('갑증권');
    await issue(tenantId, '--name', 'second');
    await take('r1');
    expect(await pull(client, 0)).toBe('200 to 1');
    expect(await command('tenant', 'remove', '--tenant', String(tenantId), '--name', '을증권')).toEqual({
      code: 1,
      out: '',
      err: `Tenant ${tenantId} is named 갑증권, not 을증권: a removal is for good, so both must fit.\n`,
    });
    expect(await pull(client, 1)).toBe('200 to nothing new');
    await take('r2');
    await waitFor('the pull log to be written', async () => (await listed(tenantId))?.['confirmedCursor'] === 1);
    expect(await answer('tenant', 'remove', '--tenant', String(tenantId), '--name', '갑증권')).toMatchObject({
      tenantId,
      name: '갑증권',
      unconfirmedRecords: 1,
    });
    expect(await pull(client, 1)).toBe('403 SYNC4031');
    await take('r3');
    const records = (await deliveries(store)).filter((row) => row.tenant_id === tenantId);
    expect(records.map((row) => row.explanation_result_id)).toEqual(['res-r1', 'res-r2']);
    expect(await listed(tenantId)).toBeUndefined();
    const again = await answer<{ tenantId: number }>('tenant', 'add', '--name', '갑증권');
    expect(again.tenantId).toBeGreaterThan(tenantId);
    expect(await command('tenant', 'remove', '--tenant', String(tenantId), '--name', '갑증권')).toMatchObject({
      code: 1,
      err: `There is no tenant ${tenantId}: see "tenant list".\n`,
    });
    // The missing tenant is reported before its old files, whose names hold a second.
    const anew = await command('certificate', 'issue', '--tenant', String(tenantId), '--make-key', '--name', 'second');
    expect(anew).toMatchObject({ code: 1, err: holding(`There is no tenant ${tenantId}`) });
    client.close();
  });
});

describe('tenant retention', () => {
  test('sets and applies the floor: below it 410, from it on everything, and unconfirmed records are not lost by accident', async () => {
    const { tenantId, client } = await addTenant('병증권');
    const at = ['--tenant', String(tenantId)];
    for (const key of ['t1', 't2', 't3']) await take(key);
    expect(await pull(client, 0)).toBe('200 to 3');
    expect(await command('tenant', 'retention', ...at, '--floor', '2')).toMatchObject({
      code: 1,
      err: holding(`Tenant ${tenantId} has confirmed its records up to 0 only`),
    });
    await pull(client, 3);
    await waitFor('the pull log to be written', async () => (await listed(tenantId))?.['confirmedCursor'] === 3);
    expect(await answer('tenant', 'retention', ...at, '--floor', '2')).toEqual({
      tenantId,
      head: 3,
      retentionFloor: 2,
      confirmedCursor: 3,
      removedRecords: 2,
    });
    expect(await pull(client, 0)).toBe('410 SYNC4101');
    expect(await pull(client, 1)).toBe('410 SYNC4101');
    expect(await pull(client, 2)).toBe('200 to 3');
    expect(await command('tenant', 'retention', ...at, '--floor', '1')).toMatchObject({ code: 1 });
    await take('t4');
    expect(await command('tenant', 'retention', ...at, '--floor', '4')).toMatchObject({ code: 1 });
    expect(await answer('tenant', 'retention', ...at, '--floor', '4', '--drop-unconfirmed')).toMatchObject({
      removedRecords: 2,
    });
    expect(await pull(client, 3)).toBe('410 SYNC4101');
    expect(await pull(client, 4)).toBe('200 to nothing new');
    client.close();
  });
});

describe('certificate', () => {
  test('revoke takes effect on the next request of a kept-alive connection; another certificate of the tenant stays valid', async () => {
    const { tenantId, client, fingerprint } = await addTenant('정증권');
    const { client: other } = await issue(tenantId, '--name', 'second');
    expect(await pull(client, 0)).toBe('200 to nothing new');
    const colons = fingerprint.toUpperCase().replaceAll(/(..)(?!$)/g, '$1:');
    await answer('certificate', 'revoke', '--fingerprint', colons);
    expect(await pull(client, 0)).toBe('403 SYNC4031');
    expect(await pull(other, 0)).toBe('200 to nothing new');
    const { certificates } = await answer<{ certificates: { fingerprint: string; revokedAt: string | null }[] }>(
      'certificate',
      'list',
      '--tenant',
      String(tenantId),
    );
    expect(certificates.map((one) => [one.fingerprint === fingerprint, one.revokedAt !== null])).toEqual([
      [false, false],
      [true, true],
    ]);
    expect(await command('certificate', 'revoke', '--fingerprint', fingerprint)).toMatchObject({
      code: 1,
      err: `No valid certificate has the fingerprint ${fingerprint}: see "certificate list".\n`,
    });
    client.close();
    other.close();
  });

  test('server renews the server certificate in place, for its present and further names', async () => {
    const before = await answer<{ cert: string; key: string; hosts: string[] }>('certificate', 'server');
    expect(before.hosts).toEqual(['localhost', '127.0.0.1', '::1']);
    const after = await answer<{ cert: string; key: string; hosts: string[]; fingerprint: string; notAfter: string }>(
      'certificate',
      'server',
      '--host',
      'sync.vendor.example',
      '--host',
      '10.0.0.7',
      '--days',
      '30',
    );
    expect(after).toMatchObject({ cert: before.cert, key: before.key });
    expect(after.hosts).toEqual(['localhost', '127.0.0.1', '::1', 'sync.vendor.example', '10.0.0.7']);
    const cert = new X509Certificate(readFileSync(after.cert, 'utf8'));
    expect(cert.fingerprint256.replaceAll(':', '').toLowerCase()).toBe(after.fingerprint);
    expect([cert.checkHost('sync.vendor.example'), cert.checkIP('10.0.0.7'), cert.checkIP('::1')]).not.toContain(
      undefined,
    );
    expect(cert.verify(new X509Certificate(ca).publicKey)).toBe(true);
    expect(statSync(after.key).mode & 0o777).toBe(0o600);
    const days = (Date.parse(after.notAfter) - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(30);
    // init keeps a certificate that is valid and names its hosts.
    await answer('init');
    expect(new X509Certificate(readFileSync(after.cert, 'utf8')).fingerprint256).toBe(cert.fingerprint256);
  });
});

describe('a wrong command line is answered with its usage', () => {
  test.each([
    [
      ['operator', 'add'],
      'operator add needs --name NAME: letters, digits, dots, dashes, underscores and @, 200 at most.',
    ],
    [['operator', 'remove'], `operator takes one of ${OPERATOR_ACTIONS}.`],
    [['audit'], 'audit takes one of verify, restored, key.'],
    [['audit', 'restored'], 'audit restored needs --reason TEXT.'],
    [['audit', 'verify', '--key', 'x'], '--key goes with --checkpoint.'],
    [['tenant', 'remove', '--tenant', '1'], 'tenant remove needs --name NAME.'],
    [['tenant', 'add', '--name', '한강\u200b증권'], '--name must not contain invisible characters.'],
    [['tenant', 'add', '--name', '가'.repeat(101)], '--name must have at most 100 characters.'],
    [['tenant', 'add', '--name', '\u2800'], '--name must not be blank.'],
    [['init', '--tenant', '\u202eevil'], '--tenant must not contain invisible characters.'],
    [['tenant', 'remove', '--name', 'x'], 'tenant remove needs --tenant ID.'],
    [
      ['tenant', 'remove', '--tenant', '0', '--name', 'x'],
      '--tenant must be the whole number that "tenant list" shows.',
    ],
    [
      ['tenant', 'remove', '--tenant', '9007199254740993', '--name', 'x'],
      '--tenant must be the whole number that "tenant list" shows.',
    ],
    [['tenant', 'list', '--name', 'x'], 'tenant list takes no --name.'],
    [['tenant', 'add', '--name', 'x', '--environment', 'TEST'], '--environment must be POC or PRODUCTION.'],
    [['tenant', 'retention', '--tenant', '1'], 'tenant retention needs --floor CURSOR, a whole number.'],
    [['tenant', 'retention', '--tenant', '1', '--floor', '-1'], ''],
    [
      ['tenant', 'retention', '--tenant', '1', '--floor', '1e3'],
      'tenant retention needs --floor CURSOR, a whole number.',
    ],
    [
      ['tenant', 'retention', '--tenant', '1', '--floor', '9007199254740992'],
      'tenant retention needs --floor CURSOR, a whole number.',
    ],
    [['tenant', 'retire'], 'tenant takes one of add, list, remove, retention.'],
    [['certificate', 'server', '--tenant', '1'], 'certificate server takes no --tenant.'],
    [['certificate', 'server', '--host', 'two words'], '--host "two words" is no host name and no IP address.'],
    [['certificate', 'server', '--host', '1.2.3'], '--host "1.2.3" is no host name and no IP address.'],
    [['certificate', 'server', '--days', '0'], '--days must be a whole number from 1 to 3650.'],
    [['init', '--host', ''], '--host "" is no host name and no IP address.'],
    [['certificate', 'issue'], 'certificate issue needs --tenant ID.'],
    [
      ['certificate', 'issue', '--tenant', '1'],
      "certificate issue needs --csr FILE, the tenant's request; --make-key makes a key here, locked by a passphrase.",
    ],
    [['certificate', 'issue', '--tenant', '1', '--csr', 'a', '--make-key'], '--csr and --make-key exclude each other.'],
    [['certificate', 'register', '--tenant', '1'], 'certificate register needs --file FILE.'],
    [
      ['init', '--authority', 'a', '--make-key'],
      '--authority cannot be combined with --csr or --make-key: the authority issues on the machine that has its key.',
    ],
    [
      ['certificate', 'revoke', '--fingerprint', 'xy'],
      'certificate revoke needs --fingerprint with 64 hexadecimal digits.',
    ],
  ])('%j', async (args, sentence) => {
    const { code, out, err } = await command(...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    if (sentence !== '') expect(err).toBe(`${sentence}\n`);
    expect(err.trim()).not.toBe('');
  });

  test.each([
    ['tenant', 'remove', '--tenant', '999', '--name', 'x'],
    ['tenant', 'retention', '--tenant', '999', '--floor', '0'],
  ])('%s %s: a missing tenant is reported in one sentence', async (...args) => {
    const err = 'There is no tenant 999: see "tenant list".\n';
    expect(await command(...args)).toEqual({ code: 1, out: '', err });
  });
});
