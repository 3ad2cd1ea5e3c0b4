/** Tenants over real HTTP (operator API 2, D11, D23). */
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Tenant } from '../../shared/wire/operator/tenants.ts';
import { removeTenant } from '../pki/registry.ts';
import { PullLog } from '../sync/pull-log.ts';
import { OperatorFixture, outcome, type Reply } from '../../test/support/cloud/operator-fixture.ts';
import { addTenants, AT } from '../../test/support/cloud/store.ts';

let fixture: OperatorFixture;
let firstCookie: string;
let cookie: string;
beforeAll(async () => {
  fixture = await OperatorFixture.open();
  firstCookie = await fixture.logIn();
});
afterAll(() => fixture.close());
beforeEach(async () => {
  await fixture.reset();
  cookie = firstCookie;
});

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const later = (ms: number): Date => new Date(AT.getTime() + ms);
const WHOLE = {
  name: '한국증권',
  environment: 'PRODUCTION',
  adminName: '김관리',
  adminEmail: 'admin@hankook.example',
  memo: '시범 사업',
};

const create = (body: unknown): Promise<Reply> => fixture.ask('POST', '/api/v1/tenants', { cookie, body });
async function list(query = ''): Promise<{ items: Tenant[]; total: number; names: string[] }> {
  const reply = await fixture.ask('GET', `/api/v1/tenants${query}`, { cookie });
  expect(reply.status, reply.text).toBe(200);
  const { items, total } = reply.result as { items: Tenant[]; total: number };
  return { items, total, names: items.map(({ name }) => name) };
}

/** Sets the clock; the session from before may have ended by then. */
async function goTo(at: Date): Promise<void> {
  fixture.clock.at = at;
  cookie = await fixture.logIn();
}

/** Records one pull of a tenant as the sync endpoint does. */
async function pull(
  tenantId: number,
  at: Date,
  {
    outcome: code = 'COMMON200',
    entries = 0,
    after = 0,
    waitingUntil = null,
  }: { outcome?: string; entries?: number; after?: number; waitingUntil?: Date | null } = {},
): Promise<void> {
  const log = new PullLog(fixture.store, (error) => {
    throw error;
  });
  const message = code === 'COMMON200' ? null : `refused with ${code}`;
  log.note({ tenantId, at, after, to: entries, entries, outcome: code, message, waitingUntil });
  await log.flush();
}

describe('creating a tenant', () => {
  test('answers it as the list shows it from then on', async () => {
    const reply = await create(WHOLE);
    expect(outcome(reply)).toBe('200 COMMON200');
    expect(reply.result).toEqual({
      tenantId: 1,
      ...WHOLE,
      connectionStatus: 'NOT_CONNECTED',
      hasNamesake: false,
      isWaiting: false,
      certificateIssuedAt: null,
      lastEventSyncAt: null,
      createdAt: AT.toISOString(),
      lastSyncResult: null,
      lastErrorMessage: null,
      deliveredLast24h: 0,
      invalidationsLast24h: 0,
      waitingCount: 0,
      waitingSince: null,
      applied: null,
    });
    expect((await list()).items).toEqual([reply.result]);
  });

  test('outer blanks are trimmed, letters are composed, an empty memo counts as absent', async () => {
    const { result } = await create({
      ...WHOLE,
      name: ` ${'한국증권'.normalize('NFD')} `,
      adminEmail: ' admin@hankook.example ',
      memo: '  ',
    });
    expect(result).toMatchObject({ name: '한국증권', adminEmail: 'admin@hankook.example', memo: null });
    expect((await create({ ...WHOLE, name: 'B', memo: undefined })).result).toMatchObject({ memo: null });
    expect((await create({ ...WHOLE, name: 'C', memo: null })).result).toMatchObject({ memo: null });
    const adminEmail = '관리자@한국증권.한국';
    expect((await create({ ...WHOLE, name: 'D', adminEmail })).result).toMatchObject({ adminEmail });
  });

  test.each([
    ['name', ''],
    ['name', ' \u3000\u200b'],
    ['name', 'x'.repeat(101)],
    ['name', '한국\n증권'],
    ['name', 'a\0b'],
    ['name', 'a\ud800'],
    ['name', 7],
    ['name', undefined],
    ['environment', 'TEST'],
    ['environment', undefined],
    ['adminName', ' '],
    ['adminName', null],
    ['adminEmail', 'admin'],
    ['adminEmail', 'a b@c.example'],
    ['adminEmail', ''],
    ['adminEmail', 'admin@localhost'],
    ['adminEmail', '관리자@한국..한국'],
    ['adminEmail', 'a@b.example, c@d.example'],
    ['adminEmail', `${'x'.repeat(250)}@a.example`],
    ['memo', 'x'.repeat(2_001)],
    ['memo', 5],
    ...['\u202e', '\u{e0041}', '\u200b', '\ufffd'].map((sign): [string, string] => ['memo', `시범${sign}사업`]),
  ])('%s as %j is refused with the name of the field', async (field, value) => {
    const reply = await create({ ...WHOLE, [field]: value });
    expect([outcome(reply), reply.errors.map(({ path }) => path)]).toEqual(['400 COMMON400', [`body.${field}`]]);
    expect((await list()).total).toBe(0);
  });

  test('all invalid fields are named at once; a body that is no tenant is refused as a whole', async () => {
    const reply = await create({ name: '', environment: 'x', adminEmail: 'x' });
    expect(reply.errors.map(({ path }) => path).toSorted()).toEqual([
      'body.adminEmail',
      'body.adminName',
      'body.environment',
      'body.name',
    ]);
    for (const body of [[], 'x', 1, null, { ...WHOLE, apiKey: 'x' }, { ...WHOLE, status: 'SUSPENDED' }]) {
      const refused = await create(body === 'x' ? '"x"' : body);
      expect([body, outcome(refused), refused.errors[0]?.path]).toEqual([body, '400 COMMON400', 'body']);
    }
    expect((await list()).total).toBe(0);
  });

  test('a memo holds several lines and emoji', async () => {
    const memo = '첫째\n\t둘째 👩\u200d🚀 ❤\ufe0f';
    expect((await create({ ...WHOLE, memo: memo.normalize('NFD') })).result).toMatchObject({ memo });
  });

  test.each(['한국\u200b증권', '한국\u2800증권', '\u202eevil', '한국\u3164', '한\u00ad국', '한국\ufffd', '한국\ue000'])(
    'a name that looks like another one, %j, is refused',
    async (name) => {
      for (const field of ['name', 'adminName'] as const) {
        const reply = await create({ ...WHOLE, [field]: name });
        expect([outcome(reply), reply.errors]).toEqual([
          '400 COMMON400',
          [{ path: `body.${field}`, message: 'must not contain invisible characters' }],
        ]);
      }
    },
  );

  test('a name that another tenant of the environment has, or that looks like it, is refused until that one is removed', async () => {
    await create({ ...WHOLE, name: 'Alpha 증권' });
    for (const name of ['Alpha 증권 ', 'ALPHA  증권', 'AIpha 증권', 'Αlpha\u3000증권']) {
      const taken = await create({ ...WHOLE, name });
      expect([outcome(taken), taken.errors]).toEqual([
        '409 COMMON409',
        [{ path: 'body.name', message: 'is, or looks like, the name of another tenant' }],
      ]);
    }
    await removeTenant(fixture.store.db, 1, 'Alpha 증권', AT);
    expect((await list()).total).toBe(0);
    expect((await create({ ...WHOLE, name: 'AIpha 증권' })).result).toMatchObject({ tenantId: 2, hasNamesake: false });
  });

  test('PoC and Production of one firm share a name, and both are marked', async () => {
    await create({ ...WHOLE, name: '서울증권' });
    await create(WHOLE);
    expect((await create({ ...WHOLE, environment: 'POC' })).result).toMatchObject({ hasNamesake: true });
    expect((await list()).items.map(({ name, environment, hasNamesake }) => [name, environment, hasNamesake])).toEqual([
      ['한국증권', 'POC', true],
      ['한국증권', 'PRODUCTION', true],
      ['서울증권', 'PRODUCTION', false],
    ]);
  });

  test('of two that are created at once under names that look alike, one is refused', async () => {
    const replies = await Promise.all(['Alpha', 'AIpha'].map((name) => create({ ...WHOLE, name })));
    expect(replies.map(outcome).toSorted()).toEqual(['200 COMMON200', '409 COMMON409']);
  });
});

describe('the connection status through the life of a tenant (D23)', () => {
  const status = async (): Promise<unknown[]> => {
    const [one] = (await list()).items;
    return [one?.connectionStatus, one?.lastSyncResult, one?.lastErrorMessage, one?.lastEventSyncAt];
  };

  test('not connected, normal, delayed, error, and normal again', async () => {
    await addTenants(fixture.store, 1);
    await sql`update tenant set polling_seconds = 300`.execute(fixture.store.db);
    expect(await status()).toEqual(['NOT_CONNECTED', null, null, null]);

    await pull(1, AT);
    expect(await status()).toEqual(['NORMAL', 'COMMON200', null, null]);
    await pull(1, later(SECOND), { entries: 3 });
    expect(await status()).toEqual(['NORMAL', 'COMMON200', null, later(SECOND).toISOString()]);

    // Twice its polling period and one minute more.
    const limit = 2 * 300 * SECOND + 60 * SECOND;
    await goTo(later(SECOND + limit));
    expect((await status())[0]).toBe('NORMAL');
    await goTo(later(SECOND + limit + 1));
    expect((await status())[0]).toBe('SYNC_DELAYED');

    await pull(1, fixture.clock.at, { outcome: 'SYNC4031' });
    expect(await status()).toEqual(['ERROR', 'SYNC4031', 'refused with SYNC4031', later(SECOND).toISOString()]);
    await goTo(later(HOUR));
    expect((await status())[0]).toBe('ERROR');
    await pull(1, later(HOUR));
    // The last error stays known; the status shows whether it persists.
    expect(await status()).toEqual(['NORMAL', 'COMMON200', 'refused with SYNC4031', later(SECOND).toISOString()]);
  });

  test('connected and waiting is told beside it, until a wait is over or a pull fails (D223)', async () => {
    await addTenants(fixture.store, 1);
    const isWaiting = async (): Promise<boolean | undefined> => (await list()).items[0]?.isWaiting;
    expect(await isWaiting()).toBe(false);
    await pull(1, AT, { waitingUntil: later(35 * SECOND) });
    expect(await isWaiting()).toBe(true);
    await goTo(later(35 * SECOND));
    expect(await isWaiting()).toBe(false);
    await pull(1, later(36 * SECOND), { waitingUntil: later(HOUR) });
    await pull(1, later(37 * SECOND), { outcome: 'SYNC4031', waitingUntil: later(HOUR) });
    expect(await isWaiting()).toBe(false);
  });

  test('a tenant whose pulls have all failed is in error, not unconnected', async () => {
    await addTenants(fixture.store, 1);
    await pull(1, AT, { outcome: 'SYNC4001' });
    expect(await status()).toEqual(['ERROR', 'SYNC4001', 'refused with SYNC4001', null]);
  });
});

describe('the list', () => {
  beforeEach(async () => {
    for (const [index, [name, adminName, adminEmail]] of (
      [
        ['한국증권', '김관리', 'kim@hankook.example'],
        ['서울증권', '이관리', 'lee@seoul.example'],
        ['Alpha_100%', 'Ann', 'ann@alpha.example'],
        ['부산투자', '박관리', 'park@busan.example'],
      ] as const
    ).entries()) {
      await goTo(later(index * SECOND));
      await create({ ...WHOLE, name, adminName, adminEmail });
    }
    await pull(1, later(0));
    await pull(2, later(HOUR));
    await pull(3, later(HOUR), { outcome: 'COMMON500' });
    await goTo(later(HOUR));
  });

  test('newest first, page by page; those that never connected come last', async () => {
    expect((await list()).names).toEqual(['Alpha_100%', '서울증권', '한국증권', '부산투자']);
    expect(await list('?page=2&size=3')).toMatchObject({ names: ['부산투자'], total: 4 });
    expect(await list('?page=9')).toMatchObject({ names: [], total: 4 });
  });

  test('each status finds its tenants', async () => {
    expect((await list('?status=NOT_CONNECTED')).names).toEqual(['부산투자']);
    expect((await list('?status=ERROR')).names).toEqual(['Alpha_100%']);
    expect((await list('?status=NORMAL')).names).toEqual(['서울증권']);
    expect((await list('?status=SYNC_DELAYED')).names).toEqual(['한국증권']);
    expect(await list('?status=NORMAL&q=%ED%95%9C%EA%B5%AD')).toMatchObject({ names: [], total: 0 });
  });

  test('the search finds any part of the name, of the admin and of the address, and knows no wildcards', async () => {
    expect((await list(`?q=${encodeURIComponent('증권')}`)).names).toEqual(['서울증권', '한국증권']);
    expect((await list(`?q=${encodeURIComponent('한국'.normalize('NFD'))}`)).names).toEqual(['한국증권']);
    expect((await list('?q=ALPHA')).names).toEqual(['Alpha_100%']);
    expect((await list(`?q=${encodeURIComponent('이관리')}`)).names).toEqual(['서울증권']);
    expect((await list('?q=busan.')).names).toEqual(['부산투자']);
    expect((await list(`?q=${encodeURIComponent('ａｌｐｈａ＿１')}`)).names).toEqual(['Alpha_100%']);
    expect((await list('?q=%25')).names).toEqual(['Alpha_100%']);
    expect((await list('?q=_1')).names).toEqual(['Alpha_100%']);
    expect((await list('?q=')).total).toBe(4);
  });

  test.each(['page=0', 'page=x', 'size=101', 'status=NORMAL&status=ERROR', 'status=', 'status=normal', 'q=%00', 'x=1'])(
    '%s is refused',
    async (query) => {
      expect(outcome(await fixture.ask('GET', `/api/v1/tenants?${query}`, { cookie }))).toBe('400 COMMON400');
    },
  );
});

test('a record waits until a good pull names its cursor or a later one; the longest wait comes first', async () => {
  await addTenants(fixture.store, 4);
  await sql`set session_replication_role = replica`.execute(fixture.store.db);
  try {
    for (const [tenantId, cursor, hours] of [
      [1, 1, 3],
      [1, 2, 2],
      [2, 1, 5],
      [2, 2, 1],
      [3, 1, 4],
    ] as const)
      await sql`
        insert into tenant_delivery (tenant_id, cursor, delivery_type, explanation_result_id, created_at)
        values (${tenantId}, ${cursor}, 'NEW', ${`r-${tenantId}-${cursor}`}, ${later(-hours * HOUR)})`.execute(
        fixture.store.db,
      );
  } finally {
    await sql`set session_replication_role = origin`.execute(fixture.store.db);
  }
  const waits = async (): Promise<unknown> =>
    (await list()).items.map((one) => [one.name, one.waitingCount, one.waitingSince]);
  const since = (hours: number): string => later(-hours * HOUR).toISOString();
  expect(await waits()).toEqual([
    ['tenant-2', 2, since(5)],
    ['tenant-3', 1, since(4)],
    ['tenant-1', 2, since(3)],
    ['tenant-4', 0, null],
  ]);
  await pull(1, AT);
  expect((await list()).names).toEqual(['tenant-1', 'tenant-2', 'tenant-3', 'tenant-4']);
  await pull(2, AT, { after: 1 });
  await pull(3, AT, { after: 1 });
  await pull(1, AT, { outcome: 'SYNC4001', after: 2 });
  expect(await waits()).toEqual([
    ['tenant-1', 2, since(3)],
    ['tenant-2', 1, since(1)],
    ['tenant-3', 0, null],
    ['tenant-4', 0, null],
  ]);
});

describe('the counts of the last 24 hours', () => {
  /** `hours[i]` is the age of record i + 1; every third is an INVALIDATION of the one before. */
  async function records(tenantId: number, hours: readonly number[]): Promise<{ issued: number; withdrawn: number }> {
    for (const [index, age] of hours.entries()) {
      const at = new Date(fixture.clock.at.getTime() - age * HOUR);
      const isWithdrawal = index % 3 === 2;
      await sql`
        insert into tenant_delivery (tenant_id, cursor, delivery_type, explanation_result_id, target_explanation_result_id, reason, created_at)
        values (${tenantId}, ${index + 1}, ${isWithdrawal ? 'INVALIDATION' : 'NEW'}, ${isWithdrawal ? null : `r-${tenantId}-${index}`},
          ${isWithdrawal ? `r-${tenantId}-${index - 1}` : null}, ${isWithdrawal ? 'x' : null}, ${at})`.execute(
        fixture.store.db,
      );
    }
    const recent = hours.map((age, index) => ({ age, index })).filter(({ age }) => age < 24);
    return {
      issued: recent.filter(({ index }) => index % 3 !== 2).length,
      withdrawn: recent.filter(({ index }) => index % 3 === 2).length,
    };
  }

  test.each([
    ['none', []],
    ['all old', [90, 60, 30, 24]],
    ['all new', [23.9, 3, 2, 1, 0]],
    ['the edge: just a day is old', [24.0001, 24, 23.9999]],
    ['many', Array.from({ length: 61 }, (_, index) => 61 - index)],
  ])('%s', async (_name, hours) => {
    await addTenants(fixture.store, 2);
    await sql`set session_replication_role = replica`.execute(fixture.store.db);
    try {
      const { issued, withdrawn } = await records(1, hours);
      expect((await list('?q=tenant-2')).items[0]).toMatchObject({ deliveredLast24h: 0, invalidationsLast24h: 0 });
      expect((await list('?q=tenant-1')).items[0]).toMatchObject({
        deliveredLast24h: issued,
        invalidationsLast24h: withdrawn,
      });
      if (hours.length > 4) {
        // Records that retention removed are not counted and do not hide the rest.
        const floor = hours.length - 1;
        await sql`update tenant set retention_floor = ${floor} where tenant_id = 1`.execute(fixture.store.db);
        await sql`delete from tenant_delivery where tenant_id = 1 and cursor <= ${floor}`.execute(fixture.store.db);
        expect((await list('?q=tenant-1')).items[0]).toMatchObject(
          hours.length % 3 === 0
            ? { deliveredLast24h: 0, invalidationsLast24h: 1 }
            : { deliveredLast24h: 1, invalidationsLast24h: 0 },
        );
      }
    } finally {
      await sql`set session_replication_role = origin`.execute(fixture.store.db);
    }
  });
});
