import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../test/support/runs.ts';
import { MOST_ENTRIES, readApplied, REJECTION_CODES, writeApplied } from './applied.ts';

const count = fc.oneof(fc.maxSafeNat(), fc.nat(50));
const told = count.chain((applied) =>
  fc.record({
    applied: fc.constant(applied),
    rejected: count,
    held: count,
    entries: fc.array(fc.record({ cursor: fc.nat(applied), code: fc.constantFrom(...REJECTION_CODES) }), {
      maxLength: MOST_ENTRIES + 5,
    }),
  }),
);

test('what is written is read, within 512 bytes; of the entries the first', () => {
  fc.assert(
    fc.property(told, (of) => {
      const value = writeApplied(of);
      expect(value.length).toBeLessThanOrEqual(512);
      const read = readApplied(value);
      expect({ ...of, entries: of.entries.slice(0, read?.entries.length) }).toEqual(read);
      expect(read?.entries.length).toBeGreaterThanOrEqual(Math.min(of.entries.length, 12));
    }),
    { numRuns: runs(200, 5_000) },
  );
});

test('a value that is read is written the same: nothing else can travel in it', () => {
  const near = fc.stringMatching(/^applied=\d{1,3};rejected=\d;held=\d(;entries=\d:[A-Z_]{1,9}(,\d:FORM)?)?.?$/);
  fc.assert(
    fc.property(fc.oneof(near, fc.string()), (value) => {
      const read = readApplied(value);
      if (read !== null) expect(writeApplied(read)).toBe(value);
    }),
    { numRuns: runs(500, 20_000) },
  );
});

test.each([
  undefined,
  '',
  'applied=5',
  'applied=5;rejected=0;held=-1',
  'applied=9007199254740992;rejected=0;held=0',
  'applied=5;rejected=1;held=0;entries=',
  'applied=5;rejected=1;held=0;entries=6:FORM',
  'applied=5;rejected=1;held=0;entries=3:매수',
  'applied=5;rejected=1;held=0;entries=3:SECRET',
  'applied=5;rejected=0;held=0; note="text"',
  `applied=5;rejected=21;held=0;entries=${Array.from({ length: 21 }, () => '1:FORM').join()}`,
  ['applied=5;rejected=0;held=0', 'applied=6;rejected=0;held=0'],
])('%j is no such header', (value) => {
  expect(readApplied(value)).toBeNull();
});
