import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addChannel } from '../../agent/ledger/channels.ts';
import { exposedExplanation } from '../../agent/ledger/exposure.ts';
import { EXPLANATION_STATUSES } from '../../shared/wire/console.ts';
import { ACTIONS, TestConsole } from './testing.ts';

describe('principle 3: who is no reviewer only ever reduces exposure', () => {
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
        // A ticker of its own for each, so that each text is either shown or not.
        const items = states.map((status) => {
          tickers += 1;
          const ticker = String(tickers).padStart(6, '0');
          return { ticker, status, id: world.explanation(status, { etf_ticker: ticker, summary: `글 ${ticker}` }) };
        });
        const shown = () => items.map(({ ticker }) => exposedExplanation(world.ledger, ticker, 'WEB', world.now)?.text);
        let before = shown();
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
          const after = shown();
          for (const [at, text] of after.entries()) expect([undefined, before[at]]).toContain(text);
          before = after;
        }
      }),
      { numRuns: 40 },
    );
  });
});
