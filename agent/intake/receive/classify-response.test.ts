import { describe, expect, test } from 'vitest';
import { makeVendorKey, statementOf, verificationBy } from '../../../test/support/vendor-key.ts';
import { classifyResponse, type Failed, type Classification, type Position } from './classify-response.ts';
import type { Answer } from './pull.ts';
import { bodyOf, bundleOf, newAt, TENANT } from '../../../test/support/agent/intake.ts';

const NOW = new Date('2026-11-20T08:00:00.000Z');
const position: Position = { after: 4, tenantId: TENANT, lastHead: null, verification: null, now: NOW };
const good = bodyOf(bundleOf(4, [newAt(5, 'a')]));

function judge(answer: Partial<Answer>, at: Partial<Position> = {}): Classification {
  return classifyResponse(
    { status: 200, body: good, head: null, signature: null, statement: null, retryAfter: null, ...answer },
    { ...position, ...at },
  );
}
function failed(judgement: Classification): Failed {
  if (judgement.kind !== 'FAILED') throw new Error(`it did not fail: ${judgement.kind}`);
  return judgement;
}
const failure = (code: string) =>
  Buffer.from(JSON.stringify({ isSuccess: false, code, message: 'what the cloud says' }));

describe('the table of sync protocol 7', () => {
  test.each([
    [400, 'SYNC4001', 'REFUSED'],
    [400, 'SYNC4002', 'REFUSED'],
    [400, 'COMMON400', 'REFUSED'],
    [401, 'SYNC4011', 'UNAUTHORIZED'],
    [403, 'SYNC4031', 'FORBIDDEN'],
    [404, 'COMMON404', 'REFUSED'],
    [410, 'SYNC4101', 'GONE'],
    [429, 'COMMON429', 'REFUSED'],
    [500, 'COMMON500', 'RETRYING'],
    [503, 'COMMON503', 'RETRYING'],
  ] as const)('%i %s is %s', (status, code, state) => {
    const told = failed(judge({ status, body: failure(code) }));
    expect(told).toMatchObject({ state, code, quarantine: false, retryAfterMs: 0 });
    expect(told.message).toContain('what the cloud says');
  });
  test.each([204, 302, 418])('%i, which the contract does not know, is refused', (status) => {
    expect(failed(judge({ status, body: Buffer.alloc(0) }))).toMatchObject({
      state: 'REFUSED',
      code: `HTTP_${status}`,
    });
  });
  test.each(['<html>Bad gateway</html>', '{"code":7,"message":"x"}', '{"code":"two words","message":"x"}', 'null'])(
    'a failure without a readable envelope is classified by its status: %s',
    (body) =>
      expect(failed(judge({ status: 502, body: Buffer.from(body) }))).toMatchObject({
        state: 'RETRYING',
        code: 'HTTP_502',
      }),
  );
});

describe('Retry-After', () => {
  test.each([
    ['30', 30_000],
    ['0', 0],
    ['86400', 15 * 60_000],
    ['Fri, 20 Nov 2026 08:02:00 GMT', 120_000],
    ['Fri, 20 Nov 2026 07:00:00 GMT', 0],
    ['soon', 0],
    ['-5', 0],
  ])('%s', (retryAfter, ms) => {
    for (const status of [429, 500, 503])
      expect(failed(judge({ status, body: failure('COMMON503'), retryAfter })).retryAfterMs).toBe(ms);
  });
  test.each([204, 302, 400, 401, 403, 404, 410])('is ignored beside %i, which waiting does not cure', (status) => {
    expect(failed(judge({ status, body: failure('SYNC4001'), retryAfter: '120' })).retryAfterMs).toBe(0);
  });
});

describe('the head (D31)', () => {
  test('is reported with a bundle and without', () => {
    expect(judge({ head: '900' })).toMatchObject({ kind: 'BUNDLE', head: 900 });
    expect(judge({ head: '4', body: bodyOf() })).toEqual({ kind: 'NOTHING_NEW', head: 4, statedAt: null });
    expect(judge({ body: bodyOf() })).toEqual({ kind: 'NOTHING_NEW', head: null, statedAt: null });
  });
  test('is at least the last cursor that came', () => {
    expect(judge({ head: '4' })).toMatchObject({ kind: 'BUNDLE', head: 5 });
  });
  test('may lie below entries that follow it one by one, and a gap beyond it is a jump', () => {
    const told = (head: string, ...cursors: number[]) =>
      judge({
        head,
        body: bodyOf(
          bundleOf(
            4,
            cursors.map((cursor) => newAt(cursor, `e${cursor}`)),
          ),
        ),
      });
    expect(told('4', 5, 6, 7)).toMatchObject({ kind: 'BUNDLE', head: 7 });
    expect(told('9', 6, 9, 10)).toMatchObject({ kind: 'BUNDLE', head: 10 });
    expect(told('99', 6, 9, 99)).toMatchObject({ kind: 'BUNDLE', head: 99 });
    for (const cursors of [[6], [5, 7], [5, 2 ** 50]])
      expect(failed(told('4', ...cursors))).toMatchObject({ state: 'VIOLATION', code: 'JUMP', quarantine: true });
  });
  test('below the committed cursor is an alarm, with any body', () => {
    for (const body of [good, bodyOf(), Buffer.from('?')]) {
      expect(failed(judge({ head: '3', body }))).toMatchObject({ state: 'REGRESSED', head: 3, quarantine: false });
    }
  });
  test('keeps its last value when it is absent', () => {
    expect(failed(judge({ body: bodyOf() }, { lastHead: 3 })).state).toBe('REGRESSED');
    expect(judge({ body: bodyOf(), head: '4' }, { lastHead: 3 }).kind).toBe('NOTHING_NEW');
  });
  test.each(['', '-1', '4.0', '5, 5', '9007199254740992', '0x10'])('"%s" is no head', (head) => {
    expect(failed(judge({ head }))).toMatchObject({ state: 'VIOLATION', code: 'HEAD', quarantine: true });
  });
});

describe('the envelope and the statement', () => {
  test('a violation is quarantined with its reason', () => {
    expect(failed(judge({ body: bodyOf(bundleOf(9, [newAt(10, 'a')])) }))).toMatchObject({
      state: 'VIOLATION',
      code: 'ENVELOPE',
      quarantine: true,
    });
  });
  test('with a key, answers without news are signed too, or an old one could be repeated for ever', () => {
    const vendor = makeVendorKey();
    const verification = verificationBy(vendor);
    for (const body of [good, bodyOf()]) {
      const statement = statementOf(vendor, { tenantId: TENANT, after: 4, head: 5, at: NOW, body });
      expect(judge({ body, statement }, { verification }).kind).not.toBe('FAILED');
      expect(failed(judge({ body }, { verification }))).toMatchObject({
        state: 'VIOLATION',
        code: 'STATEMENT',
        quarantine: true,
      });
      const longer = Buffer.concat([body, Buffer.from(' ')]);
      expect(failed(judge({ body: longer, statement }, { verification })).code).toBe('STATEMENT');
    }
  });
  test('with a key the head is that of the statement, not that of the header', () => {
    const vendor = makeVendorKey();
    const verification = verificationBy(vendor);
    const told = (head: number, body: Buffer) =>
      statementOf(vendor, { tenantId: TENANT, after: 4, head, at: NOW, body });
    const body = bodyOf();
    for (const head of ['99', '0', 'no number'])
      expect(judge({ body, head, statement: told(6, body) }, { verification })).toEqual({
        kind: 'NOTHING_NEW',
        statedAt: NOW.toISOString(),
        head: 6,
      });
    expect(failed(judge({ body, head: '9', statement: told(3, body) }, { verification }))).toMatchObject({
      state: 'REGRESSED',
      head: 3,
    });
    const statement = told(5, good);
    expect(judge({ statement }, { verification })).toMatchObject({ kind: 'BUNDLE', head: 5, statement });
  });
  test('a new ledger takes the bundle of the tenant that the statement names, and no other', () => {
    const vendor = makeVendorKey();
    const statement = statementOf(vendor, { tenantId: TENANT + 1, after: 4, head: 5, at: NOW, body: good });
    const judged = failed(judge({ statement }, { tenantId: null, verification: verificationBy(vendor) }));
    expect(judged.code).toBe('ENVELOPE');
  });
  test('without a key a signature is kept unverified, and no part of a statement is kept', () => {
    const judged = judge({ signature: 'anything', statement: 'anything' });
    expect(judged).toMatchObject({ kind: 'BUNDLE', signature: 'anything', statement: null });
  });
});
