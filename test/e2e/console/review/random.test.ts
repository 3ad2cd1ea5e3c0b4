/**
 * A reviewer who presses random keys, a colleague who decides meanwhile, a vendor who changes texts, a connection that
 * comes and goes: after any steps, every decision had an explicit send on the item and version in view, and no text
 * contains a letter that its author neither typed into it nor received.
 *
 * A failure names its seed: `CAUSEWAY_TEST_SEED=N npm test -- browser review/random` makes the same choices again.
 */
import { expect, onTestFinished, test } from 'vitest';
import { ConsoleBrowser } from '../../console-browser.ts';
import { newSeed, runs } from '../../../support/runs.ts';
import { RandomHand } from './random-hand.ts';

const STEPS = runs(100, 2_000);
/** Reviewers working in parallel, each at their own console and ledger. */
const HANDS = runs(1, 2);

test(`${STEPS} random steps of a reviewer`, { timeout: 3_600_000 }, async () => {
  const seed = newSeed();
  const hands = await Promise.all(Array.from({ length: HANDS }, (_, index) => work(seed + index, STEPS / HANDS)));
  expect(hands.flatMap(({ faults }) => faults.slice(0, 5))).toEqual([]);
  // A hand without decisions tests nothing.
  for (const what of ['approve', 'approve-edited', 'reject', 'block'])
    if (STEPS >= 1_000)
      expect(
        hands.map(({ counts }) => counts.get(what) ?? 0),
        what,
      ).not.toContain(0);
});

async function work(seed: number, steps: number): Promise<RandomHand> {
  const browser = await ConsoleBrowser.open(20);
  onTestFinished(() => browser.close());
  const hand = await RandomHand.begin(browser, seed);
  for (let step = 0; step < steps; step += 1) await hand.step();
  console.log(`seed ${seed}: ${[...hand.counts].map(([what, count]) => `${count} ${what}`).join(', ')}`);
  expect(browser.complaints, `seed ${seed}`).toEqual([]);
  return hand;
}
