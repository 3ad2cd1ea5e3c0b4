/** The commands on operators and on the audit log, over a real PostgreSQL. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PostgresServer } from '../../test/support/postgres.ts';
import { sharedPostgres } from '../../test/support/shared-postgres.ts';
import { TestFixture } from '../../test/support/process.ts';
import { Secret, TOTP } from 'otpauth';
import { logIn } from '../accounts/accounts.ts';
import { openPostgres, type Store } from '../store/open.ts';
import { commandWith, type Said } from '../../test/support/cloud/command.ts';
import { AT } from '../../test/support/cloud/store.ts';

const fixture = new TestFixture();
let postgres: PostgresServer;
let store: Store;
let env: Record<string, string>;

const command = (...args: string[]): Promise<Said> => commandWith(env, ...args);
const answer = async <T>(...args: string[]): Promise<T> => {
  const { code, out, err } = await command(...args);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out) as T;
};

beforeAll(async () => {
  postgres = await sharedPostgres();
  const url = await postgres.createDatabase();
  env = { CAUSEWAY_HOME: fixture.folder('operators'), CAUSEWAY_DATABASE_URL: url };
  await answer('init');
  store = await openPostgres(url, 2);
});
afterAll(async () => {
  await store.close();
  await fixture.clear();
  await postgres.stop();
});

test('the account of init begins with a temporary password too', async () => {
  const { rows } = await sql<{ username: string; temporary: boolean }>`
    select username, temporary_password as temporary from operator_account`.execute(store.db);
  expect(rows).toEqual([{ username: 'operator', temporary: true }]);
});

test('an authenticator app is required from one command on and no longer after the other, each on record', async () => {
  const { password } = await answer<{ password: string }>('operator', 'add', '--name', 'factor');
  const { secret, uri } = await answer<{ secret: string; uri: string }>(
    'operator',
    'second-factor',
    '--name',
    'factor',
  );
  expect(uri).toContain(`otpauth://totp/Causeway:factor?issuer=Causeway&secret=${secret}`);
  const refusal = async (secondFactor?: string): Promise<string | undefined> => {
    const opened = await logIn(store, { username: 'factor', password, secondFactor }, AT);
    return 'refused' in opened ? opened.refused : undefined;
  };
  expect([await refusal(), await refusal('000000')]).toEqual(['second factor asked', 'wrong second factor']);
  expect(await refusal(TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: AT.getTime() }))).toBeUndefined();
  const { operators } = await answer<{ operators: unknown[] }>('operator', 'list');
  expect(operators).toContainEqual(expect.objectContaining({ username: 'factor', secondFactor: true }));
  await answer('operator', 'no-second-factor', '--name', 'factor');
  expect(await refusal()).toBeUndefined();
  for (const action of ['second-factor', 'no-second-factor'])
    expect(await command('operator', action, '--name', 'nobody')).toMatchObject({ code: 2 });
  const { rows } = await sql<{ type: string }>`
    select activity_type as type from admin_activity_log where target_id = 'factor' order by position`.execute(
    store.db,
  );
  expect(rows.map(({ type }) => type.replace('OPERATOR_', ''))).toEqual([
    ...['ADDED', 'SECOND_FACTOR_SET', 'SECOND_FACTOR_REMOVED'],
  ]);
});

test('operators are added, given passwords and disabled, each act on record in a verified chain', async () => {
  const made = await answer<{ username: string; password: string }>('operator', 'add', '--name', 'kim.ops');
  expect(made.password).toMatch(/^[\w-]{20}$/);
  const again = await command('operator', 'add', '--name', 'kim.ops');
  expect(again).toMatchObject({
    code: 2,
    err: expect.stringContaining('"operator password" gives it a new password') as unknown,
  });
  for (const name of ['', ' ', '\u2800\u2800', '김\u2800', '김\u200b', 'x'.repeat(201)])
    expect(await command('operator', 'add', '--name', 'lee.ops', '--display-name', name)).toMatchObject({ code: 2 });
  const letsIn = async (password: string): Promise<boolean> =>
    !('refused' in (await logIn(store, { username: 'kim.ops', password }, AT)));
  expect(await letsIn(made.password)).toBe(true);
  const isTemporary = async (): Promise<boolean | undefined> => {
    const { rows: found } = await sql<{ temporary: boolean }>`
      select temporary_password as temporary from operator_account where username = 'kim.ops'`.execute(store.db);
    return found[0]?.temporary;
  };
  expect(await isTemporary()).toBe(true);
  await sql`update operator_account set temporary_password = false`.execute(store.db);
  const { password } = await answer<{ password: string }>('operator', 'password', '--name', 'kim.ops');
  expect([await letsIn(made.password), await letsIn(password), await isTemporary()]).toEqual([false, true, true]);
  await answer('operator', 'deactivate', '--name', 'kim.ops');
  expect(await letsIn(password)).toBe(false);
  const { operators } = await answer<{ operators: unknown[] }>('operator', 'list');
  expect(operators).toMatchObject([
    { username: 'operator', active: true },
    { username: 'factor', active: true },
    { username: 'kim.ops', displayName: 'kim.ops', active: false },
  ]);
  expect(await command('operator', 'deactivate', '--name', 'nobody')).toMatchObject({ code: 2 });
  const { rows } = await sql<{ type: string }>`
    select activity_type as type from admin_activity_log where target_id = 'kim.ops' order by position`.execute(
    store.db,
  );
  expect(rows.map(({ type }) => type.replace('OPERATOR_', ''))).toEqual([...['ADDED', 'PASSWORD_SET', 'DEACTIVATED']]);
  const { rows: count, broken } = await answer<{ rows: number; broken: null }>('audit', 'verify');
  expect([count >= rows.length, broken]).toEqual([true, null]);
  await sql`alter table admin_activity_log disable trigger admin_activity_log_append_only`.execute(store.db);
  await sql`delete from admin_activity_log where position = 2`.execute(store.db);
  await sql`alter table admin_activity_log enable trigger admin_activity_log_append_only`.execute(store.db);
  const found = await command('audit', 'verify');
  expect([found.code, JSON.parse(found.out)]).toMatchObject([1, { rows: 1, broken: { position: 2 } }]);
});
