import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addChannel } from '../../../agent/ledger/serving/channels.ts';
import { exposedExplanation } from '../../../agent/ledger/serving/visibility.ts';
import { EXPLANATION_STATUSES, type ReviewDetail } from '../../../shared/wire/console/console.ts';
import { ACTIONS } from '../../../test/support/console-api/actions.ts';
import { TestConsole } from '../../../test/support/console-api/console.ts';

describe('principle 3: a role other than reviewer can only reduce visibility', () => {
  let world: TestConsole;
  let tickers = 0;
  beforeAll(() => {
    world = new TestConsole();
    world.ledger.write((tx) => addChannel(tx, { channel: 'WEB', key: 'k', at: world.now.toISOString() }));
  });
  afterAll(() => world.close());

  test.for(['OPERATOR', 'TENANT_ADMIN', 'READ_ONLY'] as const)('%s', async (role) => {
    const token = world.session(role);
    const statuses = fc.array(fc.constantFrom(...EXPLANATION_STATUSES), { minLength: 1, maxLength: 4 });
    const steps = fc.array(fc.record({ action: fc.nat(), item: fc.nat() }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(statuses, steps, async (states, sequence) => {
        // Each has its own ticker, so that each text is either exposed or not.
        const items = states.map((status) => {
          tickers += 1;
          const ticker = String(tickers).padStart(6, '0');
          return { ticker, status, id: world.explanation(status, { etf_ticker: ticker, summary: `글 ${ticker}` }) };
        });
        const exposedText = () =>
          items.map(({ ticker }) => exposedExplanation(world.ledger, ticker, 'WEB', world.now)?.text);
        let before = exposedText();
        expect(before).toEqual(
          items.map(({ status, ticker }) =>
            ['AUTO_PUBLISHED', 'PUBLISHED'].includes(status) ? `글 ${ticker}` : undefined,
          ),
        );
        for (const step of sequence) {
          const action = ACTIONS[step.action % ACTIONS.length];
          const item = items[step.item % items.length];
          if (action === undefined || item === undefined) throw new Error('nothing to do');
          const body = action.body === undefined ? {} : { body: action.body };
          await world.ask({ method: action.method ?? 'POST', url: action.url(item.id), as: token, ...body });
          const after = exposedText();
          for (const [at, text] of after.entries()) expect([undefined, before[at]]).toContain(text);
          before = after;
        }
      }),
      { numRuns: 40 },
    );
  });
});

test('each decision answers the exposed text and the obstacle, also for an earlier snapshot that a person approves (D60)', async () => {
  await using world = new TestConsole();
  world.ledger.write((tx) => addChannel(tx, { channel: 'WEB', key: 'k', at: world.now.toISOString() }));
  const early = world.explanation('PUBLISHED', { explanation_as_of: '2026-11-20T02:00:00.000Z', summary: '이른 글' });
  const late = world.explanation('PUBLISHED', { explanation_as_of: '2026-11-20T05:00:00.000Z', summary: '늦은 글' });
  const ask = async (url: string, body: object = {}) => {
    const asked = { method: 'POST', url: `/api/v1/${url}`, as: 'COMPLIANCE_REVIEWER', body } as const;
    const { exposed, obstacle } = (await world.ask<ReviewDetail>(asked)).result;
    return { exposed, obstacle };
  };
  const exposedText = () => exposedExplanation(world.ledger, '069500', 'WEB', world.now)?.text;
  const off = { exposed: false, obstacle: 'STATE' };
  expect(exposedText()).toBe('늦은 글');
  expect(await ask(`explanations/${early}/move-to-review`)).toEqual(off);
  expect(await ask(`review/items/${early}/approve`)).toEqual({ exposed: false, obstacle: 'REPLACED' });
  expect(await ask(`explanations/${late}/stop`, { reason: '사유' })).toEqual(off);
  expect(exposedText()).toBeUndefined();
  expect(await ask(`explanations/${early}/move-to-review`)).toEqual(off);
  const edited = { edited_summary: '고친 이른 글' };
  expect(await ask(`review/items/${early}/approve-edited`, edited)).toEqual({ exposed: true, obstacle: null });
  expect(exposedText()).toBe('고친 이른 글');
  expect(await ask(`explanations/${late}/move-to-review`)).toEqual(off);
  expect(await ask(`review/items/${late}/reject`, { reason: '사유' })).toEqual(off);
  expect(exposedText()).toBe('고친 이른 글');
});
