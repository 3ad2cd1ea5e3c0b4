/** Bundles in memory that is used again: each has its own rows and no other's, however they are taken and released. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CopiedRow } from '../store/copied-rows.ts';
import { CollectedBundle } from './collected-bundle.ts';

/** A row of `BUNDLE_ENTRIES`. */
function row(...columns: (string | null)[]): CopiedRow {
  const text = (column: number): string | null => columns[column] ?? null;
  const bytes = (column: number): Buffer | null => (text(column) === null ? null : Buffer.from(text(column) ?? ''));
  return { text, bytes };
}

const HEAD = '{"entries":[';
const whole = (entries: readonly string[]): string => `${HEAD}${entries.join()}]}}`;

const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 3_000 }), fc.integer({ min: 1, max: 900_000 })), {
  minLength: 1,
  maxLength: 12,
});
const step = fc.oneof(
  fc.record({ do: fc.constant('collect' as const), sizes, isAskedAgain: fc.boolean() }),
  fc.record({ do: fc.constant('release' as const), which: fc.nat({ max: 50 }) }),
);

test('no bundle changes until it is released, whatever is collected and released meanwhile', () => {
  let number = 0;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const held: { bundle: CollectedBundle; body: Buffer; text: string }[] = [];
      for (const each of steps) {
        if (each.do === 'release') held.splice(each.which % (held.length + 1), 1)[0]?.bundle.release();
        else {
          const bundle = new CollectedBundle();
          number += 1;
          const entries = each.sizes.map((size, index) =>
            String.fromCharCode(97 + ((number + index) % 26)).repeat(size),
          );
          for (let times = each.isAskedAgain ? 2 : 1; times > 0; times -= 1) {
            bundle.reset();
            bundle.take(row('1', '3', '9', null));
            for (const [index, entry] of entries.entries()) bundle.take(row('1', null, null, String(index + 4), entry));
          }
          expect(bundle).toMatchObject({
            retentionFloor: 3,
            head: 9,
            entries: entries.length,
            to: entries.length + 3,
            bytes: each.sizes.reduce((sum, size) => sum + size, 0),
          });
          held.push({ bundle, body: bundle.body(HEAD), text: whole(entries) });
        }
        for (const { body, text } of held) expect(body.equals(Buffer.from(text))).toBe(true);
      }
    }),
    { numRuns: 60 },
  );
});

test('memory goes to one bundle alone, although it is released twice', () => {
  const first = new CollectedBundle();
  first.take(row('1', null, null, '1', 'first'));
  first.body(HEAD);
  first.release();
  first.release();
  const [second, third] = [new CollectedBundle(), new CollectedBundle()];
  second.take(row('1', null, null, '1', 'second'));
  third.take(row('1', null, null, '1', 'third'));
  expect(second.body(HEAD).toString()).toBe(whole(['second']));
  expect(third.body(HEAD).toString()).toBe(whole(['third']));
});

test('an entry that is not there makes the bundle incomplete', () => {
  const bundle = new CollectedBundle();
  bundle.take(row('1', '0', '5', null));
  bundle.take(row('1', null, null, '1', '{}'));
  bundle.take(row('1', null, null, '2', '{}'));
  bundle.take(row('1', null, null, '3', null));
  expect(bundle).toMatchObject({ isIncomplete: true, entries: 2 });
});

test('a head that does not fit before the entries is refused', () => {
  expect(() => new CollectedBundle().body('x'.repeat(513))).toThrow('a head of 513 bytes');
});
