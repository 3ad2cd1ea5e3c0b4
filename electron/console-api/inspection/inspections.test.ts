/** Requests of an inspector by the API: counted first, made in the background, on record, and gone when they should be. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { recordAction } from '../../../agent/ledger/audit/audit.ts';
import { findInspected } from '../../../agent/ledger/inspection/find.ts';
import { readOrder } from '../../../agent/ledger/inspection/work.ts';
import { loseActions } from '../../../test/support/agent/ledger.ts';
import { XLSX } from '../../../shared/wire/media.ts';
import type { Inspection, InspectionCounts } from '../../../shared/wire/console/inspection.ts';
import { SESSION_COOKIE } from '../http/access.ts';
import { TestConsole } from '../../../test/support/console-api/console.ts';
import type { Launch } from '../context/inspection-runner.ts';
import { linesOf } from './work-process.ts';

let console: TestConsole;
let whole: Launch;
beforeEach(() => {
  console = new TestConsole();
  whole = console.launch;
  for (const [status, summary] of [
    ['PENDING_REVIEW', '하나'],
    ['PUBLISHED', '둘'],
    ['PUBLISHED', '=1+1'],
  ] as const)
    console.explanation(status, { summary, trade_date: '2026-11-20' });
});
afterEach(async () => {
  expect(console.failures).toEqual([]);
  await console.close();
});

const SPAN = { from: '2026-11-01', to: '2026-11-30' };
const post = <T>(url: string, body?: object, as = 'TENANT_ADMIN') =>
  console.ask<T>({ method: 'POST', url: `/api/v1/inspections${url}`, as, ...(body === undefined ? {} : { body }) });
const ask = (more: object = {}) => post<Inspection>('', { ...SPAN, form: 'LIST', language: 'ko', ...more });
const list = async (as = 'TENANT_ADMIN'): Promise<Inspection[]> =>
  (await console.ask<{ items: Inspection[] }>({ method: 'GET', url: '/api/v1/inspections', as })).result.items;
const remove = (id: string) => console.ask({ method: 'DELETE', url: `/api/v1/inspections/${id}`, as: 'TENANT_ADMIN' });
const download = (id: string, accept = '*/*') =>
  console.app.inject({
    method: 'POST',
    url: `/api/v1/inspections/${id}/download`,
    headers: { host: '127.0.0.1', accept, cookie: `${SESSION_COOKIE}=${console.session('TENANT_ADMIN')}` },
  });
const actions = (): string[] =>
  console
    .actions()
    .map(({ action }) => action)
    .filter((one) => one.startsWith('inspection'));

test('the count comes first and makes nothing; then a list is made, downloaded and on record with its hash', async () => {
  const { result: counted } = await post<InspectionCounts>('/counts', SPAN);
  expect(counted).toEqual({
    total: 3,
    outcomes: [
      { status: 'PENDING_REVIEW', count: 1 },
      { status: 'PUBLISHED', count: 2 },
    ],
  });
  expect([actions(), await list()]).toEqual([[], []]);
  const { result: asked } = await ask();
  expect(asked).toMatchObject({ state: 'OPEN', total: 3, askedBy: '이름 tenant_admin', keptUntil: null });
  await console.inspections.idle();
  const [made] = await list('READ_ONLY');
  expect(made).toMatchObject({ state: 'READY', done: 3, keptUntil: '2026-12-20T09:00:00.000Z' });
  const { statusCode, headers, rawPayload } = await download(asked.id);
  expect([statusCode, headers['content-type'], rawPayload.length]).toEqual([
    200,
    'text/csv; charset=utf-8; header=present',
    made?.bytes,
  ]);
  expect(rawPayload.toString()).toContain("'=1+1");
  expect(actions()).toEqual(['inspection.ask', 'inspection.make', 'inspection.download']);
  const [, row] = console.actions().filter(({ action }) => action.startsWith('inspection'));
  expect(JSON.parse(row?.detail ?? '')).toMatchObject({ query: SPAN, explanations: 3, sha256: made?.sha256 });
  expect(row).toMatchObject({ actor: '이름 tenant_admin', actor_role: 'TENANT_ADMIN', target_id: asked.id });
});

test('nothing found, a span ahead, before the record or too long, and a cut span each have a sentence and leave nothing', async () => {
  const answerOf = async (more: object) => {
    const { status, body } = await ask(more);
    return [status, body.message];
  };
  expect(await answerOf({ reason: '없는 사유' })).toEqual([404, expect.stringContaining('nothing was made')]);
  expect(await answerOf({ from: '2026-12-01', to: '2026-12-02' })).toEqual([
    400,
    expect.stringContaining('lies ahead'),
  ]);
  expect(await answerOf({ from: '2026-01-01', to: '2026-01-02' })).toEqual([
    400,
    expect.stringContaining('first expl'),
  ]);
  expect(await answerOf({ from: '2025-01-01' })).toEqual([400, expect.stringContaining('at most 366 days')]);
  expect(await answerOf({ from: '2026-11-20', to: '2026-11-19' })).toEqual([
    400,
    expect.stringContaining('before its'),
  ]);
  expect(await answerOf({ word: ' ' })).toEqual([400, expect.any(String)]);
  const empty = await post<InspectionCounts>('/counts', { ...SPAN, person: '이름 operator', ticker: '069500' });
  expect(empty.result).toEqual({ total: 0, outcomes: [] });
  for (const url of ['/counts', ''])
    for (const [more, code, named] of [
      [{ ticker: '999999' }, 'SHOWN4041', '999999'],
      [{ person: '아무도' }, 'COMMON404', '아무도'],
    ] as const) {
      const { status, body } = await post(url, {
        ...SPAN,
        ...more,
        ...(url === '' ? { form: 'LIST', language: 'ko' } : {}),
      });
      expect([url, status, body.code, body.message]).toEqual([url, 404, code, expect.stringContaining(named)]);
    }
  expect([actions(), await list(), existsSync(path.join(console.folder, 'inspections'))]).toEqual([[], [], false]);
});

test('only a Tenant Admin asks, downloads and deletes', async () => {
  for (const as of ['COMPLIANCE_REVIEWER', 'OPERATOR', 'READ_ONLY'])
    for (const [url, body] of [
      ['', { ...SPAN, form: 'LIST', language: 'ko' }],
      ['/counts', SPAN],
      ['/x/download'],
      ['/x/continue'],
    ] as const)
      expect((await post(url, body, as)).status).toBe(403);
});

test('a request that is cancelled while it is made leaves no file, and its row stays', async () => {
  const begun = Promise.withResolvers<undefined>();
  const ended = Promise.withResolvers<undefined>();
  console.launch = () => ({
    lines: (async function* () {
      yield { done: 1 };
      begun.resolve(undefined);
      await ended.promise;
    })(),
    end: () => ended.resolve(undefined),
  });
  const { result } = await ask();
  await begun.promise;
  expect((await list())[0]).toMatchObject({ state: 'OPEN', done: 1 });
  expect(readOrder(console.inspections.folderOf(result.id)).ids).toHaveLength(3);
  expect((await remove(result.id)).status).toBe(200);
  await console.inspections.idle();
  expect((await list())[0]).toMatchObject({ state: 'CANCELLED', keptUntil: null });
  expect(readdirSync(path.join(console.folder, 'inspections'))).toEqual([]);
  expect((await download(result.id)).statusCode).toBe(409);
  expect((await remove(result.id)).status).toBe(409);
  expect((await remove('unknown')).status).toBe(404);
});

test('rights that are withdrawn meanwhile stop the work, and another administrator continues it in their own name', async () => {
  const asker = console.session('TENANT_ADMIN');
  console.launch = (folder) => {
    console.setMember('TENANT_ADMIN', { role: 'READ_ONLY' });
    return whole(folder);
  };
  const { result } = await console.ask<Inspection>({
    method: 'POST',
    url: '/api/v1/inspections',
    as: asker,
    body: { ...SPAN, form: 'LIST', language: 'ko' },
  });
  await console.inspections.idle();
  expect((await list('OPERATOR'))[0]).toMatchObject({ state: 'STOPPED', stop: 'RIGHTS' });
  expect(actions()).toEqual(['inspection.ask']);
  console.launch = whole;
  console.setMember('OPERATOR', { role: 'TENANT_ADMIN' });
  expect((await post(`/${result.id}/continue`, undefined, 'OPERATOR')).status).toBe(200);
  await console.inspections.idle();
  expect((await list('OPERATOR'))[0]).toMatchObject({ state: 'READY' });
  expect(console.actions().at(-1)).toMatchObject({ action: 'inspection.make', actor: '이름 operator' });
  expect(readOrder(console.inspections.folderOf(result.id)).madeBy).toBe('이름 operator');
});

test('a full disk stops it clearly, and it is continued where it stood', async () => {
  console.launch = (folder) => ({
    lines: linesOf(folder, {
      ledger: console.ledger,
      key: console.key,
      checkpoints: [],
      clock: console.context.clock,
      rest: () => Promise.resolve(),
      freeBytes: () => 0,
    }),
    end: () => undefined,
  });
  const { result } = await ask();
  await console.inspections.idle();
  expect((await list())[0]).toMatchObject({ state: 'STOPPED', stop: 'DISK_FULL', bytes: null });
  expect((await post(`/${result.id}/download`)).status).toBe(409);
  console.launch = whole;
  await post(`/${result.id}/continue`);
  await console.inspections.idle();
  expect((await list())[0]).toMatchObject({ state: 'READY', stop: null });
});

test('an archive of explanations whose originals are missing stops with the sentence of the dossier', async () => {
  await ask({ form: 'ARCHIVE' });
  await console.inspections.idle();
  const [one] = await list();
  expect(one).toMatchObject({ state: 'STOPPED', stop: 'RECORD' });
  expect(one?.message).toContain('intake');
});

test('work that ends by itself is started again, and after three starts without progress it has failed', async () => {
  let starts = 0;
  console.launch = () => {
    starts += 1;
    return { lines: (async function* () {})(), end: () => undefined };
  };
  await ask();
  await console.inspections.idle();
  expect([starts, (await list())[0]?.stop]).toEqual([3, 'FAILED']);
});

test('a start goes on with open requests, removes files of none, and says which have lost theirs', async () => {
  console.launch = () => ({ lines: (async function* () {})(), end: () => undefined });
  const [one, other] = [(await ask()).result, (await ask()).result];
  await console.inspections.idle();
  await console.context.write((tx) =>
    tx.run({ sql: "UPDATE inspection_request SET state = 'OPEN', stop = NULL", parameters: [] }),
  );
  rmSync(console.inspections.folderOf(other.id), { recursive: true });
  console.inspections.layOut({ ...readOrder(console.inspections.folderOf(one.id)), id: 'stranger' });
  console.launch = whole;
  const again = console.secondRunner();
  await again.start();
  await again.idle();
  await again.stop();
  const states = new Map((await list()).map(({ id, state, stop }) => [id, [state, stop]]));
  expect([states.get(one.id), states.get(other.id)]).toEqual([
    ['READY', null],
    ['STOPPED', 'FILES_GONE'],
  ]);
  expect(readdirSync(path.join(console.folder, 'inspections'))).toEqual([one.id]);
  await post(`/${other.id}/continue`);
  await console.inspections.idle();
  expect((await list()).every(({ state }) => state === 'READY')).toBe(true);
});

test('a file is kept for thirty days; then it is deleted, and the row stays', async () => {
  const { result } = await ask();
  await console.inspections.idle();
  console.pass(30 * 86_400_000 + 1);
  await console.inspections.sweep();
  expect((await list())[0]).toMatchObject({ id: result.id, state: 'DELETED', total: 3 });
  expect(existsSync(console.inspections.folderOf(result.id))).toBe(false);
  expect(console.actions().at(-1)).toMatchObject({ action: 'inspection.delete', actor_role: 'SYSTEM' });
});

test('parts of a request that has stopped are kept as long, and no longer', async () => {
  console.launch = () => ({ lines: (async function* () {})(), end: () => undefined });
  const { result } = await ask();
  await console.inspections.idle();
  expect((await list())[0]).toMatchObject({ state: 'STOPPED', keptUntil: '2026-12-20T09:00:00.000Z' });
  console.pass(30 * 86_400_000 + 1);
  await console.inspections.sweep();
  expect((await list())[0]).toMatchObject({ state: 'CANCELLED', keptUntil: null });
  expect(existsSync(console.inspections.folderOf(result.id))).toBe(false);
});

test('a file that is gone, or is not as it was made, is not given, and no download is on record', async () => {
  const { result } = await ask();
  await console.inspections.idle();
  const file = path.join(console.inspections.folderOf(result.id), 'list.csv');
  const made = readFileSync(file, 'latin1');
  for (const spoil of [() => writeFileSync(file, made.replace('1', '2'), 'latin1'), () => rmSync(file)]) {
    spoil();
    const answer = await download(result.id);
    expect([answer.statusCode, answer.body]).toEqual([404, expect.stringContaining('ask again')]);
  }
  expect(actions()).not.toContain('inspection.download');
  writeFileSync(file, made, 'latin1');
  expect((await download(result.id)).statusCode).toBe(200);
});

test('a list is also given as XLSX, of the cells that its CSV has, and only while they are those', async () => {
  console.explanation('PUBLISHED', { summary: '줄\u2028바꿈\n둘', trade_date: '2026-11-20' });
  const { result } = await ask();
  await console.inspections.idle();
  const { headers, rawPayload } = await download(result.id, XLSX);
  expect(headers['content-disposition']).toMatch(/^attachment; filename="inspection-.*\.xlsx"$/);
  const csv = (await download(result.id)).body;
  const [sheet] = (await readXlsx(rawPayload)).sheets;
  const [heading = [], ...rows] = sheet?.rows ?? [];
  expect(csv.startsWith(`\ufeff${heading.join(',')}\r\n`)).toBe(true);
  const ofColumn = (name: string) => rows.map((row) => row[heading.indexOf(name)]);
  expect(ofColumn('공급사 원문')).toEqual(expect.arrayContaining(['=1+1', '줄\u2028바꿈\n둘']));
  expect(ofColumn('종목코드')).toEqual(['069500', '069500', '069500', '069500']);
  expect(ofColumn('제공 횟수')).toEqual([0, 0, 0, 0]);
  const as = console
    .actions()
    .flatMap(({ action, detail }) =>
      action === 'inspection.download' ? [(JSON.parse(detail) as { as?: string }).as] : [],
    );
  expect(as).toEqual(['XLSX', undefined]);

  const file = path.join(console.inspections.folderOf(result.id), 'list.rows');
  writeFileSync(file, readFileSync(file, 'utf8').replace('=1+1', '=1+2'));
  expect((await download(result.id, XLSX)).statusCode).toBe(404);
  expect((await download(result.id)).statusCode).toBe(200);
});

test('a folder that cannot be written leaves nothing of the request', async () => {
  const folder = path.join(console.folder, 'inspections');
  rmSync(folder, { recursive: true, force: true });
  writeFileSync(folder, '');
  const { status } = await ask();
  expect(status).toBeGreaterThanOrEqual(500);
  expect([await list(), actions()]).toEqual([[], []]);
  rmSync(folder);
  expect((await ask()).status).toBe(200);
  await console.inspections.idle();
});

test('words count as people read them: reasons by their words, Hangul in pieces, full-width letters', async () => {
  const id = console.explanation('PENDING_REVIEW', { summary: '나스닥 TIGER', trade_date: '2026-11-20' });
  const body = { reason: 'SOLICITATION' };
  const url = `/api/v1/review/items/${id}/reject`;
  expect((await console.ask({ method: 'POST', url, as: 'COMPLIANCE_REVIEWER', body })).status).toBe(200);
  const totalOf = async (more: object): Promise<number> =>
    (await post<InspectionCounts>('/counts', { ...SPAN, ...more })).result.total;
  for (const reason of ['투자권유', 'solicitation', 'SOLICIT', '투자'.normalize('NFD')])
    expect(await totalOf({ reason }), reason).toBe(1);
  expect(await totalOf({ reason: '확정수익' })).toBe(0);
  for (const word of ['나스닥', '나스닥'.normalize('NFD'), 'ＴＩＧＥＲ', 'tiger', '나스닥tiger'])
    expect(await totalOf({ word }), word).toBe(1);
});

test('a step of the count reads no more than some hundred explanations', () => {
  const sizes = [...findInspected(console.ledger, SPAN)].map((step) => step.length);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(200);
});

test('rows that the audit log has lost stop the work with a sentence', async () => {
  console.ledger.write((tx) => {
    const act = { at: console.now.toISOString(), actor: { kind: 'SYSTEM' }, action: 'a', targetType: 't' } as const;
    for (let n = 0; n < 256; n += 1) recordAction(tx, { ...act, targetId: null, detail: {} });
  });
  loseActions(console.file, 'seq = 2');
  await ask({ form: 'ARCHIVE' });
  await console.inspections.idle();
  const message = expect.stringContaining('The audit log lacks a part of the rows 1 to 256') as string;
  expect((await list())[0]).toMatchObject({ state: 'STOPPED', stop: 'RECORD', message });
});
