/**
 * A reviewer who presses anything, a colleague who decides meanwhile, a vendor who changes texts, a connection that comes
 * and goes: whatever happens, nothing is decided without an explicit send on the item and version in view, and no text
 * holds a letter that its author neither typed into it nor received.
 *
 * `CAUSEWAY_HAND_STEPS=20000 npm test -- e2e console-random` takes more of them; `CAUSEWAY_HAND_SEED=N` makes other choices.
 */
import { expect, onTestFinished, test } from 'vitest';
import { ConsoleBrowser } from './console-browser.ts';
import { RandomHand } from './random-hand.ts';

const SEED = Number(process.env['CAUSEWAY_HAND_SEED'] ?? 6);
const STEPS = Number(process.env['CAUSEWAY_HAND_STEPS'] ?? 500);

test(`${STEPS} random steps of a reviewer (seed ${SEED})`, { timeout: 3_600_000 }, async () => {
  const desk = await ConsoleBrowser.open(40);
  onTestFinished(() => desk.close());
  const hand = await RandomHand.begin(desk, SEED);
  for (let step = 0; step < STEPS; step += 1) await hand.step();
  const { faults, counts } = hand;
  console.log(`seed ${SEED}: ${[...counts].map(([what, count]) => `${count} ${what}`).join(', ')}`);
  expect(faults.slice(0, 5)).toEqual([]);
  // A hand that decides nothing tests nothing.
  for (const what of ['approve', 'approve-edited', 'reject', 'block'])
    if (STEPS >= 2_000) expect(counts.get(what) ?? 0, what).toBeGreaterThan(0);
  expect(desk.complaints).toEqual([]);
});
