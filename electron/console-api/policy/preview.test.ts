/** The dry run of a policy change reports its effects, and changes nothing (D16, D17). */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addChannel } from '../../../agent/ledger/serving/channels.ts';
import { sqlite } from '../../../agent/ledger/storage/query.ts';
import type { Preview } from '../../../shared/wire/console/console.ts';
import { TestConsole, type Asked } from '../../../test/support/console-api/console.ts';

let console: TestConsole;
beforeEach(() => {
  console = new TestConsole();
  console.ledger.write((tx) => addChannel(tx, { channel: 'MTS', key: 'k', at: console.now.toISOString() }));
});
afterEach(() => console.close());

const ask = <T>(method: Asked['method'], url: string, body: unknown) =>
  console.ask<T>({ method, url: `/api/v1/screening/${url}`, as: 'COMPLIANCE_REVIEWER', body });
const preview = (body: object) => ask<Preview>('POST', 'preview', body);

describe('a dry run', () => {
  test('reports the effects of a change, and changes nothing', async () => {
    const clear = console.explanation('AUTO_PUBLISHED', { summary: '반도체 강세' });
    console.explanation('BLOCKED', { summary: '무위험 상품' });
    console.explanation('AUTO_PUBLISHED', { summary: '반도체 강세', analysis_engine: 'v2' });
    const low = console.explanation('PENDING_REVIEW', { confidence_level: 'LOW' });
    const before = console.traces();
    const block = await preview({ addWords: [{ word: '반도체 강세', severity: 'BLOCK' }] });
    expect(block.result).toMatchObject({
      policyVersion: 1,
      examined: 3,
      truncated: false,
      changes: [{ kind: 'WORD_ADDED' }],
      newlyBlocked: {
        count: 1,
        items: [
          {
            id: clear,
            before: 'AUTO_PUBLISHED',
            after: 'BLOCKED',
            text: '반도체 강세',
            reasons: [{ check: 'FORBIDDEN_WORDS', hits: [{ matched: '반도체 강세', start: 0, end: 6 }] }],
            status: 'AUTO_PUBLISHED',
          },
        ],
      },
      newlyReviewed: { count: 0 },
      newlyProvided: { count: 0 },
    });
    const lenient = await preview({ criteria: { minConfidence: 'LOW' }, toggleWords: ['word-no-risk'] });
    expect(lenient.result.newlyProvided.items.map(({ id }) => id)).toEqual(expect.arrayContaining([low]));
    expect(lenient.result.newlyProvided.count).toBe(2);
    const strict = await preview({ criteria: { autoProvision: false } });
    expect(strict.result).toMatchObject({ newlyReviewed: { count: 1 }, newlyProvided: { count: 0 } });
    expect(console.traces()).toEqual(before);
    expect(console.ledger.all(sqlite.selectFrom('policy_version').select('version'))).toHaveLength(1);
  });

  test('covers only the last days, and starts from an earlier version on request', async () => {
    console.explanation('AUTO_PUBLISHED');
    console.pass(3 * 86_400_000);
    console.explanation('AUTO_PUBLISHED');
    const change = { criteria: { autoProvision: false } };
    expect((await preview({ days: 1, ...change })).result.examined).toBe(1);
    expect((await preview({ days: 4, ...change })).result.examined).toBe(2);
    await ask('PATCH', 'criteria', change.criteria);
    expect((await preview({ restoreVersion: 1 })).result.newlyProvided.count).toBe(2);
    expect((await preview({ restoreVersion: 9 })).status).toBe(404);
    expect((await preview({ toggleWords: ['nothing'] })).status).toBe(404);
    for (const days of [0, 367, 1.5, '7']) expect((await preview({ days })).status).toBe(400);
  });

  test('of a text outside the scope holds it back in both', async () => {
    console.explanation('AUTO_PUBLISHED');
    await console.ask({ method: 'POST', url: '/api/v1/scope/markets/KRX/toggle', as: 'TENANT_ADMIN' });
    const { result } = await preview({ criteria: { minSources: 9 } });
    expect([result.examined, result.newlyReviewed.count]).toEqual([1, 0]);
  });

  test('walks more rows than one step holds, each once', async () => {
    for (let n = 0; n < 230; n += 1) console.explanation('AUTO_PUBLISHED');
    const { result } = await preview({ criteria: { autoProvision: false } });
    expect([result.examined, result.newlyReviewed.count, result.newlyReviewed.items.length]).toEqual([230, 230, 100]);
    expect(new Set(result.newlyReviewed.items.map(({ id }) => id)).size).toBe(100);
  });
});

describe('an exposed text that the change would catch', () => {
  const shown = (id: number, summary: string, more: object = {}) =>
    console.explanation('AUTO_PUBLISHED', { etf_ticker: `00000${id}`, summary, ...more });
  const caught = async (body: object) => (await preview(body)).result.caughtExposed;
  const block = { addWords: [{ word: '강세', severity: 'BLOCK' }] };

  test('is reported with its text, its version and the sentence of each hit', async () => {
    const id = shown(1, '반도체가 강세였습니다.');
    shown(2, '자동차가 올랐습니다.');
    expect(await caught(block)).toMatchObject({
      count: 1,
      items: [
        {
          id,
          version: 1,
          etf_ticker: '000001',
          status: 'AUTO_PUBLISHED',
          text: '반도체가 강세였습니다.',
          reasons: [{ check: 'FORBIDDEN_WORDS', verdict: 'BLOCK', hits: [{ matched: '강세', start: 5, end: 7 }] }],
        },
      ],
    });
  });

  test('is one that a channel gets now, whenever received: not an earlier, expired, v2 or stopped text', async () => {
    const old = shown(1, '오래된 강세', { trade_date: '2026-11-18' });
    console.pass(40 * 86_400_000);
    shown(2, '먼저 강세', { trade_date: '2026-11-19' });
    shown(2, '나중 약세', { trade_date: '2026-11-20' });
    shown(3, '강세', { analysis_engine: 'v2' });
    console.explanation('STOPPED', { etf_ticker: '000004', summary: '강세' });
    expect((await caught({ ...block, days: 1 })).items.map((one) => one.id)).toEqual([old]);
  });

  test('is checked in its published form, not as received', async () => {
    const id = console.explanation('PENDING_REVIEW', { etf_ticker: '000001', summary: '받은 글' });
    await console.ask({
      method: 'POST',
      url: `/api/v1/review/items/${id}/approve-edited`,
      as: 'COMPLIANCE_REVIEWER',
      body: { edited_summary: '고친 강세' },
    });
    expect((await caught(block)).items).toMatchObject([{ id, status: 'PUBLISHED', text: '고친 강세' }]);
  });

  test('is not one that the policy in force would find too, nor one held back only by auto-provision', async () => {
    shown(1, '반드시 올랐습니다.');
    expect((await caught({ criteria: { autoProvision: false } })).count).toBe(0);
    expect((await caught({ ...block, toggleWords: ['word-best'] })).count).toBe(0);
    expect((await caught({ changeWords: [{ id: 'word-without-fail', severity: 'BLOCK' }] })).count).toBe(1);
    expect((await caught({ criteria: { minSources: 9 } })).items[0]?.reasons.map(({ check }) => check)).toEqual([
      'SOURCE_COUNT',
    ]);
  });

  test('may lack a notice that the change requires', async () => {
    const notice = { name: '원금 손실 고지', severity: 'REVIEW', active: true, terms: ['원금 손실'], onlyWith: [] };
    const id = shown(1, '올랐습니다.');
    shown(2, '올랐습니다. 원금 손실이 있을 수 있습니다.');
    expect((await caught({ addNotices: [notice] })).items).toMatchObject([
      { id, reasons: [{ check: 'REQUIRED_NOTICE', code: 'NOTICES_REVIEW' }] },
    ]);
  });

  test('is sent to review one by one with its version, and a changed one is skipped', async () => {
    const [first, second] = [shown(1, '강세'), shown(2, '강세')];
    const { items } = await caught(block);
    expect(items.map((one) => one.id)).toEqual([first, second]);
    await console.ask({
      method: 'POST',
      url: `/api/v1/explanations/${second}/stop`,
      as: 'OPERATOR',
      body: { reason: '다른 사유' },
    });
    const { result } = await console.ask<{ done: number; results: { outcome: string }[] }>({
      method: 'POST',
      url: '/api/v1/bulk/move-to-review',
      as: 'COMPLIANCE_REVIEWER',
      body: { items: items.map(({ id, version }) => ({ id, version })), reason: '정책 변경: 강세' },
    });
    expect([result.done, result.results.map(({ outcome }) => outcome)]).toEqual([1, ['DONE', 'CONFLICT']]);
    expect((await caught(block)).count).toBe(0);
  });
});

describe('a block of the screening that the change would not make', () => {
  const blocked = (summary: string, more: object = {}) => console.explanation('BLOCKED', { summary, ...more });
  const freed = async (body: object) => (await preview(body)).result.freedBlocks;
  const without = { toggleWords: ['word-no-risk'] };
  const act = (url: string, body: object) =>
    console.ask({ method: 'POST', url: `/api/v1/${url}`, as: 'COMPLIANCE_REVIEWER', body });

  test('is told whenever received, with the findings on record; what stays blocked and a person’s block are not', async () => {
    const id = blocked('무위험 상품');
    blocked('확정 수익 상품');
    const person = console.explanation('PENDING_REVIEW', { summary: '무위험 채권' });
    await act(`review/items/${person}/block`, { reason: '사유' });
    console.pass(40 * 86_400_000);
    const before = console.traces();
    expect(await freed({ ...without, days: 1 })).toMatchObject({
      count: 1,
      items: [
        {
          id,
          version: 1,
          status: 'BLOCKED',
          before: 'BLOCKED',
          after: 'AUTO_PUBLISHED',
          text: '무위험 상품',
          reasons: [{ check: 'CONFIDENCE', verdict: 'BLOCK' }],
        },
      ],
    });
    expect(await freed({ criteria: { minSources: 3 } })).toEqual({ count: 0, items: [] });
    expect(console.traces()).toEqual(before);
  });

  test('comes before those that an earlier version has freed', async () => {
    const newly = blocked('확정 수익 상품', { trade_date: '2026-11-18' });
    const earlier = blocked('무위험 상품', { trade_date: '2026-11-19' });
    await act('screening/words/word-no-risk/toggle', {});
    const { items } = await freed({ toggleWords: ['word-guaranteed-return'] });
    expect(items.map(({ id, before }) => [id, before])).toEqual([
      [newly, 'BLOCKED'],
      [earlier, 'AUTO_PUBLISHED'],
    ]);
  });

  test('is sent to review with its version, and is then none any more', async () => {
    const id = blocked('무위험 상품');
    await act('screening/words/word-no-risk/toggle', {});
    const [item] = (await freed({ criteria: { minSources: 3 } })).items;
    const asked = { method: 'POST', url: `/api/v1/explanations/${id}/unblock`, as: 'COMPLIANCE_REVIEWER' } as const;
    const headers = { 'if-match': `"${item?.version}"` };
    const { result } = await console.ask<{ status: string }>({ ...asked, headers, body: { reason: '정책 변경' } });
    expect(result.status).toBe('PENDING_REVIEW');
    expect((await freed({ criteria: { minSources: 3 } })).count).toBe(0);
  });
});
