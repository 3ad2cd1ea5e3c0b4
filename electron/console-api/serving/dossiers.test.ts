/** A dossier by the API: the Tenant Admin gets one signed file, on record. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { recordAction } from '../../../agent/ledger/audit/audit.ts';
import { unseal } from '../../../agent/ledger/dossier/container.ts';
import { PAGE } from '../../../agent/ledger/dossier/contents.ts';
import { commitBundle } from '../../../agent/ledger/inbox/raw-bundles.ts';
import { loseActions, newEntry, receive } from '../../../test/support/agent/ledger.ts';
import { sqlite } from '../../../agent/ledger/storage/query.ts';
import { SESSION_COOKIE } from '../http/access.ts';
import { TestConsole } from '../../../test/support/console-api/console.ts';

let console: TestConsole;
let id: string;
beforeEach(() => {
  console = new TestConsole();
  const at = console.now.toISOString();
  const entry = newEntry('a', { summary: '받은 문장 <b>&' });
  const result = { bundle_id: console.id(), tenant_id: 7, generated_at: at, cursor_from: 0, cursor_to: 1 };
  const body = { isSuccess: true, code: 'COMMON200', message: 'OK', result: { ...result, entries: [entry] } };
  id = console.ledger.write((tx) => {
    commitBundle(tx, {
      ...{ cursorFrom: 0, cursorTo: 1, bundleId: result.bundle_id, entryCount: 1, tenantId: 7 },
      ...{ body: Buffer.from(JSON.stringify(body)), signature: null, statement: null, receivedAt: at },
    });
    return receive(tx, entry, 'AUTO_PUBLISHED', at);
  });
  console.pass(60_000);
});
afterEach(() => console.close());

async function make(body: object) {
  return console.app.inject({
    method: 'POST',
    url: '/api/v1/dossiers',
    headers: {
      host: '127.0.0.1',
      'content-type': 'application/json',
      cookie: `${SESSION_COOKIE}=${console.session('TENANT_ADMIN')}`,
    },
    payload: JSON.stringify(body),
  });
}
const DAYS = { from: '2026-11-20', to: '2026-11-20' };

test('a dossier is a file under a name of its own, signed, with a page for people in it, and on record', async () => {
  const { statusCode, headers, rawPayload } = await make({ explanation: id });
  expect([statusCode, headers['content-type'], headers['content-disposition']]).toEqual([
    200,
    'application/zip',
    `attachment; filename="dossier-${id}.zip"`,
  ]);
  const { files } = unseal(rawPayload);
  expect(Buffer.from(files.get(PAGE) ?? []).toString()).toContain('받은 문장 &lt;b&gt;&amp;');
  expect(console.actions().at(-1)).toMatchObject({ action: 'dossier.make' });
});

test('a ticker and its days make one too', async () => {
  const { headers, rawPayload } = await make({ ticker: '069500', ...DAYS });
  expect(headers['content-disposition']).toBe('attachment; filename="dossier-069500-2026-11-20.zip"');
  expect(unseal(rawPayload).manifest).toMatchObject({ subject: { kind: 'SPAN', ticker: '069500' } });
});

test('wrong, unknown, future and too long requests have their answers, and leave no row', async () => {
  const before = console.actions().length;
  const codeOf = async (body: object) => (JSON.parse((await make(body)).body) as { code: string }).code;
  expect(await codeOf({})).toBe('COMMON400');
  expect(await codeOf({ explanation: id, ticker: '069500' })).toBe('COMMON400');
  expect(await codeOf({ ticker: '069500', from: '2026-11-21', to: '2026-11-20' })).toBe('COMMON400');
  // The signed file takes nothing from the client.
  expect(await codeOf({ explanation: id, pdf: '' })).toBe('COMMON400');
  expect(await codeOf({ ticker: '069500', from: '2026-01-01', to: '2026-11-20' })).toBe('COMMON400');
  expect(await codeOf({ explanation: 'x' })).toBe('COMMON404');
  expect(await codeOf({ ticker: '999999', ...DAYS })).toBe('SHOWN4041');
  expect(await codeOf({ ticker: '069500', from: '2026-12-01', to: '2026-12-01' })).toBe('SHOWN4001');
  console.ledger.write((tx) =>
    tx.run(sqlite.updateTable('explanation').set({ published_summary: 'x' }).where('id', '=', id)),
  );
  expect(await codeOf({ explanation: id })).toBe('SHOWN4091');
  expect(console.actions()).toHaveLength(before);
});

test('accounts stand in it, so that no other role gets one; its page names people only (D70)', async () => {
  const page = Buffer.from(unseal((await make({ explanation: id })).rawPayload).files.get(PAGE) ?? []).toString();
  expect(page).toContain(id);
  expect(page).not.toMatch(/COMPLIANCE_REVIEWER|TENANT_ADMIN/);
  for (const as of ['COMPLIANCE_REVIEWER', 'OPERATOR', 'READ_ONLY']) {
    const { status } = await console.ask({ method: 'POST', url: '/api/v1/dossiers', body: { explanation: id }, as });
    expect(status).toBe(403);
  }
});

test.each([
  ['of another subject', "action = 'auth.login'", 'COMMON409', 'The audit log lacks row'],
  ['of a policy version', 'seq = 1', 'SHOWN4091', 'no row of the publication of policy version 1'],
])('a row that the audit log has lost, %s, makes no dossier, and a sentence', async (_, where, code, words) => {
  const at = console.now.toISOString();
  console.ledger.write((tx) => {
    for (const action of ['auth.login', 'auth.logout'])
      recordAction(tx, { at, actor: { kind: 'SYSTEM' }, action, targetType: 'member', targetId: 'm', detail: {} });
  });
  loseActions(console.file, where);
  const { statusCode, body } = await make({ explanation: id });
  expect([statusCode, JSON.parse(body)]).toEqual([
    409,
    expect.objectContaining({ code, message: expect.stringContaining(words) as string }),
  ]);
});
