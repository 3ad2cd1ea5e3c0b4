/** The audit log as users browse and export it (D17, D19). */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { XLSX } from '../../../shared/wire/media.ts';
import { recordAction } from '../../../agent/ledger/audit/audit.ts';
import { recordKeyFile } from '../../../agent/ledger/made/record-key.ts';
import type { Role } from '../../../shared/policy/roles.ts';
import { chainWord, type AuditPeople } from '../../../shared/wire/console/audit.ts';
import type { AuditAction, AuditChain, Page } from '../../../shared/wire/console/console.ts';
import { memberId, TestConsole } from '../../../test/support/console-api/console.ts';

let console: TestConsole;
let approved: string;
let stopped: string;
beforeAll(async () => {
  console = new TestConsole();
  approved = console.explanation();
  stopped = console.explanation('PUBLISHED');
  const post = (url: string, as: string, body?: object) =>
    console.ask({ method: 'POST', url: `/api/v1/${url}`, as, ...(body === undefined ? {} : { body }) });
  await post(`review/items/${approved}/approve`, 'COMPLIANCE_REVIEWER', { comment: '=1+1, "그대로"' });
  console.pass(60_000);
  await post(`explanations/${stopped}/stop`, 'OPERATOR', { reason: '수치 불일치' });
  await post(`review/items/${approved}/approve`, 'OPERATOR');
  await post('members', 'TENANT_ADMIN', {
    username: 'new',
    displayName: '새 사람',
    role: 'READ_ONLY',
    password: 'long enough',
  });
  await post('auth/login', '', { username: 'new', password: 'wrong' });
});
afterAll(() => console.close());

const get = (query = '', as = 'TENANT_ADMIN') =>
  console.ask<Page<AuditAction>>({ method: 'GET', url: `/api/v1/audit/actions?size=100&${query}`, as });
const actions = async (query = '', as = 'TENANT_ADMIN') =>
  (await get(query, as)).result.items.map(({ action }) => action);

describe('the audit log', () => {
  test('lists people’s actions, newest first, with refused writes and logins', async () => {
    expect(await actions()).toEqual([
      'auth.login-refused',
      'member.register',
      'access.refused',
      'explanation.stop',
      'explanation.approve',
    ]);
    const [refused] = (await get('action=auth.login-refused')).result.items;
    expect(refused).toMatchObject({ actor: 'new', actorId: null, actorRole: null, detail: { why: 'wrong password' } });
  });

  test('lists the program’s own actions on request', async () => {
    expect(await actions('system=true')).toEqual(expect.arrayContaining(['explanation.receive', 'policy.publish']));
    const { result } = await get('system=true');
    expect(result.total).toBe(console.actions().length);
    expect(result.items.map(({ seq }) => seq)).toEqual(result.items.map(({ seq }) => seq).toSorted((a, b) => b - a));
  });

  test.for(['COMPLIANCE_REVIEWER', 'OPERATOR', 'READ_ONLY'])(
    'shows entries about accounts and roles to the Tenant Admin alone: %s sees none',
    async (role) => {
      expect(await actions('', role)).toEqual(['access.refused', 'explanation.stop', 'explanation.approve']);
      for (const query of [
        'action=member.register',
        'action=auth.*',
        'targetType=member',
        `actor=${encodeURIComponent('이름 tenant_admin')}`,
      ]) {
        expect(await actions(query, role)).toEqual([]);
      }
      const csv = await console.app.inject({
        method: 'GET',
        url: '/api/v1/audit/actions',
        headers: { host: '127.0.0.1', accept: 'text/csv', cookie: `causeway_session=${console.session('READ_ONLY')}` },
      });
      expect(csv.body).not.toMatch(/member\.|auth\./);
      expect(csv.body.split('\r\n')[0]).toBe('\ufeffseq,at,actor,action,targetType,targetId,detail,hash');
      expect((await get(`actorId=${memberId('OPERATOR')}`, role)).body).toMatchObject({ code: 'COMMON403' });
    },
  );

  test('is filtered by action, actor, target and time', async () => {
    expect(await actions('action=explanation.stop')).toEqual(['explanation.stop']);
    expect(await actions('action=explanation.*')).toEqual(['explanation.stop', 'explanation.approve']);
    expect(await actions(`actorId=${memberId('OPERATOR')}`)).toEqual(['access.refused', 'explanation.stop']);
    expect(await actions(`actor=${encodeURIComponent('이름 operator')}`)).toEqual([
      'access.refused',
      'explanation.stop',
    ]);
    expect(await actions(`targetId=${approved}`)).toEqual(['explanation.approve']);
    expect(await actions(`targetId=${approved}&system=true`)).toEqual(['explanation.approve', 'explanation.receive']);
    expect(await actions('targetType=route')).toEqual(['access.refused']);
    const { items } = (await get(`targetId=${approved}`)).result;
    const ofTicker = await actions(`ticker=${items[0]?.explanation?.etf_ticker}`);
    expect(ofTicker).toContain('explanation.approve');
    expect(ofTicker).not.toContain('access.refused');
    expect(await actions('ticker=000000')).toEqual([]);
    const later = encodeURIComponent(console.now.toISOString());
    expect(await actions(`from=${later}`)).not.toContain('explanation.approve');
    expect(await actions(`to=${later}`)).toEqual(['explanation.approve']);
    // The same instant in another zone.
    expect(await actions(`to=${encodeURIComponent('2026-11-20T18:01:00+09:00')}`)).toEqual(['explanation.approve']);
  });

  test('is searched for a text that its rows show, however it is spaced or typed', async () => {
    const found = (q: string, as?: string) => actions(`q=${encodeURIComponent(q)}`, as);
    for (const written of ['수치 불일치', '수치불일치', '불 일', '수치 불일치'.normalize('NFD')])
      expect(await found(written)).toEqual(['explanation.stop']);
    // Quotation marks stand in the stored detail with a sign before each.
    expect(await found('"그대로"', 'READ_ONLY')).toEqual(['explanation.approve']);
    expect(await found('KODEX200')).toEqual(['explanation.stop', 'explanation.approve']);
    expect(await found('이름 operator')).toContain('access.refused');
    // No name of a field, and no wildcard.
    for (const nothing of ['reason', '수%치', '없는 말']) expect(await found(nothing)).toEqual([]);
    // Who registered an account is the Tenant Admin's to see.
    expect(await found('새 사람')).toEqual(['member.register']);
    expect(await found('새 사람', 'OPERATOR')).toEqual([]);
  });

  test('lists the names of the people in it, for each role only those with visible rows', async () => {
    const people = async (as: string) =>
      (await console.ask<AuditPeople>({ method: 'GET', url: '/api/v1/audit/people', as })).result.names;
    expect(await people('TENANT_ADMIN')).toEqual(['이름 compliance_reviewer', '이름 operator', '이름 tenant_admin']);
    expect(await people('READ_ONLY')).toEqual(['이름 compliance_reviewer', '이름 operator']);
  });

  test('names the explanation of an action', async () => {
    const [act] = (await get(`targetId=${approved}`, 'READ_ONLY')).result.items;
    expect(act).toMatchObject({
      actor: '이름 compliance_reviewer',
      actorId: null,
      actorRole: null,
      explanation: { etf_ticker: '069500', etf_name: 'KODEX 200', trade_date: '2026-11-20' },
    });
    expect((await get('targetType=route', 'READ_ONLY')).result.items[0]).toMatchObject({ explanation: null });
  });

  test('comes page by page', async () => {
    const { result } = await console.ask<Page<AuditAction>>({
      method: 'GET',
      url: '/api/v1/audit/actions?page=2&size=2',
      as: 'TENANT_ADMIN',
    });
    expect(result).toMatchObject({ page: 2, size: 2, total: 5 });
    expect(result.items.map(({ action }) => action)).toEqual(['access.refused', 'explanation.stop']);
  });

  test.for(['from=yesterday', 'system=1', 'action=%00', 'nothing=1'])('does not take %s', async (query) => {
    expect((await get(query)).status).toBe(400);
  });

  test('is exported as CSV, oldest first, and no spreadsheet executes its content', async () => {
    const csv = await console.app.inject({
      method: 'GET',
      url: '/api/v1/audit/actions?action=explanation.*',
      headers: {
        host: '127.0.0.1',
        accept: 'text/csv',
        cookie: `causeway_session=${console.session('TENANT_ADMIN')}`,
      },
    });
    expect(csv.headers['content-type']).toContain('text/csv; charset=utf-8');
    expect(csv.headers['content-disposition']).toContain('attachment');
    const lines = csv.body.split('\r\n');
    expect(lines[0]).toBe('\ufeffseq,at,actor,actorId,actorRole,sourceAddress,action,targetType,targetId,detail,hash');
    expect(lines).toHaveLength(4);
    expect(lines[1]).toContain('이름 compliance_reviewer');
    expect(lines[1]).toContain('""reason"":""=1+1, \\""그대로\\""""');
    expect(lines[2]).toContain('explanation.stop');
    expect(lines[3]).toBe('');
  });

  test('is exported as XLSX with the cells of the CSV, each text as it is', async () => {
    const ask = (accept: string) =>
      console.app.inject({
        method: 'GET',
        url: '/api/v1/audit/actions?action=explanation.*&language=ko',
        headers: { host: '127.0.0.1', accept, cookie: `causeway_session=${console.session('READ_ONLY')}` },
      });
    const { headers, rawPayload } = await ask(XLSX);
    expect(headers).toMatchObject({
      'content-type': XLSX,
      'content-disposition': 'attachment; filename="console-action-log.xlsx"',
    });
    const [sheet] = (await readXlsx(rawPayload)).sheets;
    const [heading, , stopped] = sheet?.rows ?? [];
    expect(sheet?.name).toBe('감사 기록');
    expect(`\ufeff${heading?.join(',')}`).toBe((await ask('text/csv')).body.split('\r\n')[0]);
    expect(stopped?.slice(3, 7)).toEqual(['제공 중지', '설명', '069500', 'KODEX 200']);
    expect(stopped?.[0]).toBeTypeOf('number');
  });

  test.for([
    [
      'ko',
      '번호,일시(KST),처리자,처리 내용,대상,종목코드,종목명,거래일,대상 ID,상세,해시',
      '제공 중지,설명,069500,KODEX 200,2026-11-20',
    ],
    [
      'en',
      'No.,Time (KST),Person,Action,Object,Ticker,Name,Trade date,Object id,Details,Hash',
      'Provision stopped,Explanation,069500',
    ],
  ] as const)('is a CSV for people in %s: acts in words, Korean time', async ([language, headings, stop]) => {
    const csvAs = async (role: Role) =>
      (
        await console.app.inject({
          method: 'GET',
          url: `/api/v1/audit/actions?language=${language}`,
          headers: { host: '127.0.0.1', accept: 'text/csv', cookie: `causeway_session=${console.session(role)}` },
        })
      ).body.split('\r\n');
    const lines = await csvAs('READ_ONLY');
    expect(lines[0]).toBe(`\ufeff${headings}`);
    expect(lines[2]).toContain(`2026-11-20 18:01:00,이름 operator,${stop}`);
    expect(lines[2]).toContain('수치 불일치');
    const own = await csvAs('TENANT_ADMIN');
    expect(own[0]).toContain(language === 'ko' ? '당시 역할,계정 ID' : 'Role at that time,Account id');
    expect(own[2]).toContain(`${language === 'ko' ? '운영자' : 'Operator'},${memberId('OPERATOR')}`);
  });

  test('a name that a spreadsheet would read as a formula is written as text', async () => {
    await console.ask({
      method: 'PATCH',
      url: '/api/v1/session/profile',
      as: 'OPERATOR',
      body: { displayName: '=HYPERLINK("x")' },
    });
    await console.ask({ method: 'POST', url: '/api/v1/auth/logout', as: 'OPERATOR' });
    const csv = await console.app.inject({
      method: 'GET',
      url: '/api/v1/audit/actions?action=auth.logout',
      headers: { host: '127.0.0.1', accept: 'text/csv', cookie: `causeway_session=${console.session('TENANT_ADMIN')}` },
    });
    expect(csv.body).toContain(`,"'=HYPERLINK(""x"")",`);
  });

  test.for(['=1', '+1', '-1', '@x', '＝1', '＋1', '－1', '＠x', '﹦1', '−1', ' =1', '\u00a0＝1', '\u3000+1'])(
    '%j is no formula in it',
    async (username) => {
      const seq = console.actions().at(-1)?.seq ?? 0;
      await console.ask({ method: 'POST', url: '/api/v1/auth/login', body: { username, password: 'x' } });
      const csv = await console.app.inject({
        method: 'GET',
        url: '/api/v1/audit/actions?action=auth.login-refused',
        headers: {
          host: '127.0.0.1',
          accept: 'text/csv',
          cookie: `causeway_session=${console.session('TENANT_ADMIN')}`,
        },
      });
      const row = csv.body.split('\r\n').find((line) => line.startsWith(`${seq + 1},`));
      expect(row?.split(',')[2]).toBe(`'${username}`);
    },
  );

  test.for([
    ['text/csv', true],
    ['TEXT/CSV; charset=utf-8', true],
    ['text/csv, application/json', true],
    ['application/json;q=0.5, text/csv;q=0.9', true],
    ['text/csv;q=0', false],
    ['text/csv; q=0.000', false],
    ['application/json, text/csv;q=0.5', false],
    ['text/csvx', false],
    [`${XLSX};q=0.5, text/csv`, true],
    [`text/csv;q=0.5, ${XLSX}`, false],
    ['*/*', false],
  ] as const)('Accept: %s gives CSV: %s', async ([accept, isCsv]) => {
    const answer = await console.app.inject({
      method: 'GET',
      url: '/api/v1/audit/actions?size=1',
      headers: { host: '127.0.0.1', accept, cookie: `causeway_session=${console.session('READ_ONLY')}` },
    });
    expect(answer.headers['content-type']?.startsWith('text/csv')).toBe(isCsv);
  });

  test('leaves claims out on request', async () => {
    const id = console.explanation();
    const as = console.session('COMPLIANCE_REVIEWER');
    for (const method of ['POST', 'DELETE'] as const)
      await console.ask({ method, url: `/api/v1/review/items/${id}/claim`, as });
    expect(await actions(`targetId=${id}`)).toEqual(['review.claim-released', 'review.claim']);
    expect((await get(`targetId=${id}&claims=false`)).result).toMatchObject({ items: [], total: 0 });
  });

  const chain = async (as = 'READ_ONLY') =>
    (await console.ask<AuditChain>({ method: 'GET', url: '/api/v1/audit/chain', as })).result;

  test('is intact, and every role can verify that', async () => {
    const rows = console.actions().length;
    const none = { firstBroken: null, fault: null, altered: [], alteredCount: 0, unjudged: 0 };
    const whole = { ok: true, rows, ...none, checkedAt: console.now.toISOString() };
    expect([await chain(), await chain('TENANT_ADMIN')]).toEqual([whole, whole]);
  });

  test('without the record key the chain is whole, and what the key alone could judge is counted: nothing is sound', async () => {
    const file = recordKeyFile(console.ledger.file) ?? '';
    const key = readFileSync(file);
    rmSync(file);
    try {
      const found = await chain();
      expect(found).toMatchObject({ ok: true, alteredCount: 0, unjudged: expect.any(Number) as number });
      expect(chainWord(found)).toBe('unjudged');
    } finally {
      writeFileSync(file, key, { mode: 0o600 });
    }
    expect(chainWord(await chain())).toBe('whole');
  });

  test('of many rows is verified between other requests, once for all callers', async () => {
    const at = console.now.toISOString();
    console.ledger.write((tx) => {
      for (let n = 0; n < 3_000; n += 1) {
        recordAction(tx, { at, actor: { kind: 'SYSTEM' }, action: 'x', targetType: 'x', targetId: null, detail: {} });
      }
    });
    const finished: string[] = [];
    const note = async (name: string, asked: Promise<unknown>) => {
      await asked;
      finished.push(name);
    };
    const first = chain();
    await Promise.all([
      note('chain', first),
      note('session', console.ask({ method: 'GET', url: '/api/v1/session', as: 'READ_ONLY' })),
    ]);
    expect(finished).toEqual(['session', 'chain']);
    expect((await first).rows).toBe(console.actions().length);
  });

  test('tells what was altered past it, and accounts to the Tenant Admin alone', async () => {
    const db = new Database(console.file);
    db.exec("UPDATE member SET role = 'TENANT_ADMIN' WHERE username = 'read_only'");
    const altered = { fault: 'ALTERED', kind: 'ACCOUNT', row: 1 };
    const told = async (as: string) => (await chain(as)).altered;
    expect(await told('TENANT_ADMIN')).toEqual([{ ...altered, name: 'read_only' }]);
    expect(await told('OPERATOR')).toEqual([{ ...altered, name: null }]);
    expect(await chain('OPERATOR')).toMatchObject({ ok: false, alteredCount: 1 });
    db.exec("UPDATE member SET role = 'READ_ONLY' WHERE username = 'read_only'");
    db.close();
    expect(await chain()).toMatchObject({ ok: true, altered: [] });
  });

  // The last one: the log is broken afterwards.
  test('names the first row that was changed in the file', async () => {
    const db = new Database(console.file);
    const seq = 3;
    db.exec(`DROP TRIGGER console_action_log_is_never_updated;
      UPDATE console_action_log SET detail = '{}' WHERE seq IN (${seq}, ${seq + 2})`);
    db.close();
    expect(await chain()).toMatchObject({ ok: false, rows: seq - 1, firstBroken: seq, fault: 'CHANGED' });
  });
});
