/**
 * Accounts and roles are for the Tenant Admin only (D17, D70): no answer to another role names another user's account.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CONSOLE_ROUTES } from '../../../shared/policy/console-routes.ts';
import { isGranted } from '../../../shared/policy/matrix.ts';
import { ROLES, type Role } from '../../../shared/policy/roles.ts';
import { memberId, TestConsole, type Asked } from '../../../test/support/console-api/console.ts';

const REVIEWER = 'account-of-reviewer';
let console: TestConsole;
let id: string;
beforeAll(async () => {
  console = new TestConsole();
  id = console.explanation();
  const decided = console.explanation();
  const token = console.colleague(REVIEWER, '둘째 심사자');
  const write = async (method: Asked['method'], url: string, body?: object) => {
    const asked = { method, url: `/api/v1/${url}`, as: token, ...(body === undefined ? {} : { body }) };
    expect([url, (await console.ask(asked)).status]).toEqual([url, 200]);
  };
  await write('PATCH', 'screening/criteria', { fourEyes: true });
  await write('POST', 'screening/proposals', { criteria: { minSources: 3 } });
  await write('POST', `review/items/${id}/claim`);
  await write('POST', `review/items/${id}/notes`, { text: '메모' });
  await write('PUT', `review/items/${id}/draft`, { edited_summary: '고친 글입니다.' });
  await write('POST', `review/items/${id}/opinions`, { question: '어떻습니까?' });
  await write('POST', `review/items/${id}/approve-edited`, { edited_summary: '고친 글입니다.' });
  await write('POST', `review/items/${decided}/reject`, { reason: '근거 부족' });
});
afterAll(() => console.close());

const READS = CONSOLE_ROUTES.filter(({ method, path }) => method === 'GET' && path !== '/api/v1/events');

test.for(ROLES.filter((role) => role !== 'TENANT_ADMIN'))('%s reads of nobody else’s account', async (role: Role) => {
  const read = async (path: string, accept: string) => {
    const url = path.replace('{id}', id).replace('{version}', '1');
    const headers = { host: '127.0.0.1', accept, cookie: `causeway_session=${console.session(role)}` };
    return (await console.app.inject({ method: 'GET', url, headers })).body;
  };
  for (const { path, functionId } of READS) {
    if (functionId === 'public' || !isGranted(functionId, role)) continue;
    for (const accept of path.endsWith('/actions') ? ['application/json', 'text/csv'] : ['application/json']) {
      for (const query of path.endsWith('/actions') ? ['', '?system=true', '?language=ko'] : ['']) {
        const body = await read(`${path}${query}`, accept);
        expect([path, body]).toEqual([path, expect.not.stringContaining(REVIEWER)]);
        for (const other of ROLES.filter((one) => one !== role))
          expect([path, body]).toEqual([path, expect.not.stringContaining(memberId(other))]);
        if (path.endsWith('/actions')) expect(body).not.toMatch(/COMPLIANCE_REVIEWER|TENANT_ADMIN|준법 심사자/);
      }
    }
  }
});
