/** Acts on keys and certificates leave rows in the vendor's audit log, and checkpoints detect the loss of its end. */
import { sql } from 'kysely';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Checkpoints } from '../../shared/service/checkpoints/schedule.ts';
import type { PostgresServer } from '../../test/support/postgres.ts';
import { sharedPostgres } from '../../test/support/shared-postgres.ts';
import { TestFixture } from '../../test/support/process.ts';
import { activityLogOf } from '../accounts/activity-log.ts';
import { openPostgres, type Store } from '../store/open.ts';
import { commandWith, type Said } from '../../test/support/cloud/command.ts';

const fixture = new TestFixture();
let postgres: PostgresServer;
let store: Store;
let home: string;
let env: Record<string, string>;

const command = (...args: string[]): Promise<Said> => commandWith(env, ...args);

beforeAll(async () => {
  postgres = await sharedPostgres();
  const url = await postgres.createDatabase();
  home = fixture.folder('vendor-audit');
  env = { CAUSEWAY_HOME: home, CAUSEWAY_DATABASE_URL: url };
  await command('tenant', 'list');
  store = await openPostgres(url, 2);
});
afterAll(async () => {
  await store.close();
  await fixture.clear();
  await postgres.stop();
});

const types = async (): Promise<string[]> =>
  (
    await sql<{ type: string }>`select activity_type as type from admin_activity_log order by position`.execute(
      store.db,
    )
  ).rows.map(({ type }) => type);

/** Runs past the triggers, as a person with the database's own rights can. */
async function tamper(statement: string): Promise<void> {
  await sql`alter table admin_activity_log disable trigger admin_activity_log_append_only`.execute(store.db);
  await sql.raw(statement).execute(store.db);
  await sql`alter table admin_activity_log enable trigger admin_activity_log_append_only`.execute(store.db);
}

test('every step that adds, issues or switches is on record, and a refused step is not', async () => {
  const made = ['AUTHORITY_MADE', 'SIGNING_KEY_MADE', 'SERVER_CERTIFICATE_ISSUED', 'TENANT_ADDED'];
  const steps = [
    [['init'], [...made, 'OPERATOR_ADDED']],
    [['init', '--make-key'], ['CERTIFICATE_ISSUED']],
    [['init'], []],
    [['init', '--retention-days', '90'], ['RETENTION_APPLIED']],
    [['init', '--retention-days', '90'], []],
    [['init', '--retention-days', '29'], []],
    [['signing-key', 'next'], ['SIGNING_KEY_PREPARED']],
    [['signing-key', 'switch'], ['SIGNING_KEY_SWITCHED']],
    [['signing-key', 'retire'], ['SIGNING_KEY_RETIRED']],
    [['signing-key', 'retire'], []],
    [['authority', 'next'], ['AUTHORITY_PREPARED']],
    [['authority', 'switch'], ['AUTHORITY_SWITCHED']],
    [['certificate', 'server'], ['SERVER_CERTIFICATE_ISSUED']],
    [['authority', 'retire', '--drop-unreplaced'], ['AUTHORITY_RETIRED']],
    [['authority', 'switch'], []],
    [['operator', 'add', '--name', 'second'], ['OPERATOR_ADDED']],
    [['operator', 'password', '--name', 'second'], ['OPERATOR_PASSWORD_SET']],
    [['operator', 'deactivate', '--name', 'second'], ['OPERATOR_DEACTIVATED']],
    [['operator', 'activate', '--name', 'second'], ['OPERATOR_ACTIVATED']],
    [['operator', 'activate', '--name', 'nobody'], []],
    [['tenant', 'add', '--name', 'Second'], ['TENANT_ADDED']],
    [['tenant', 'retention', '--tenant', '2', '--floor', '0'], ['RETENTION_APPLIED']],
    [['tenant', 'retention', '--tenant', '2', '--floor', '5'], []],
    [['tenant', 'remove', '--tenant', '2', '--name', 'Second'], ['TENANT_REMOVED']],
    [['certificate', 'revoke', '--fingerprint', 'ab'.repeat(32)], []],
  ] as const;
  for (const [args, left] of steps) {
    const before = (await types()).length;
    await command(...args);
    expect([args, (await types()).slice(before)]).toEqual([args, left]);
  }
});

test('a revoked certificate is on record by its fingerprint and by the command that revoked it, once', async () => {
  const issue = await command('certificate', 'issue', '--tenant', '1', '--make-key', '--name', 'revoked');
  const { fingerprint } = JSON.parse(issue.out) as { fingerprint: string };
  const revoke = () => command('certificate', 'revoke', '--fingerprint', fingerprint);
  expect((await revoke()).code).toBe(0);
  expect((await revoke()).code).not.toBe(0);
  const rows = await store.db
    .selectFrom('admin_activity_log')
    .select(['target_type', 'target_id', 'operator_id', 'actor'])
    .where('activity_type', '=', 'CERTIFICATE_REVOKED')
    .execute();
  expect(rows).toEqual([
    {
      target_type: 'CERTIFICATE',
      target_id: fingerprint,
      operator_id: null,
      actor: expect.stringMatching(/./) as unknown,
    },
  ]);
});

test('a removed end is distinguished from a recorded restore', async () => {
  const folder = path.join(home, 'share');
  mkdirSync(folder);
  const failures: object[] = [];
  const logger = { info: () => undefined, error: (facts: object) => void failures.push(facts) };
  const place = { folder, keyFile: path.join(home, 'cloud', 'pki', 'checkpoint.key'), periodMs: 60_000 };
  const clock = { now: () => new Date() };
  await new Checkpoints({ log: activityLogOf(store.db), place, clock, logger }).round();
  expect(failures).toEqual([]);
  const file = path.join(folder, readdirSync(folder)[0] ?? '');
  const key = path.join(home, 'public.pem');
  writeFileSync(key, (await command('audit', 'key')).out);
  const verify = () => command('audit', 'verify', '--checkpoint', file, '--key', key);
  expect(await verify()).toMatchObject({
    code: 0,
    out: expect.stringContaining('agrees with 1 checkpoints') as unknown,
  });
  await tamper('delete from admin_activity_log where position > 10');
  expect((await command('audit', 'verify')).code).toBe(0);
  expect(await verify()).toMatchObject({ code: 3, out: expect.stringContaining('it has no row 11') as unknown });
  expect(await command('audit', 'restored', '--reason', 'backup\u202e of the night')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--reason must not contain the character U+202E') as string,
  });
  expect((await command('audit', 'restored', '--reason', 'backup of the night')).code).toBe(0);
  expect(await verify()).toMatchObject({ code: 6, out: expect.stringContaining('(row 11)') as unknown });
});

test('the retention is chosen at init, told with what it takes, and stays until it is chosen again', async () => {
  const own = {
    CAUSEWAY_HOME: fixture.folder('vendor-retention'),
    CAUSEWAY_DATABASE_URL: await postgres.createDatabase(),
  };
  const kept = async (...args: string[]) => {
    const { out } = await commandWith(own, 'init', ...args);
    return (JSON.parse(out) as { retention: { days: number | null; takes: string } }).retention;
  };
  const first = await kept();
  expect([first.days, first.takes]).toEqual([null, expect.stringContaining('57 GB more every year')]);
  expect(await kept('--retention-days', '365')).toMatchObject({ days: 365 });
  expect(await kept()).toMatchObject({ days: 365 });
  expect(await kept('--retention-days', '0')).toMatchObject({ days: null });
  const refused = await commandWith(own, 'init', '--retention-days', '29');
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('from 30 to 36500, not 29')]);
});
