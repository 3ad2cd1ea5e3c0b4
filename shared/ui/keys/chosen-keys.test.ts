import { expect, test } from 'vitest';
import { capOf, readCodes, takenBy, writeCodes } from './chosen-keys.ts';

const STANDARD = { next: 'KeyJ', approve: 'KeyA', block: 'KeyB' } as const;

test('a letter or a sign can be chosen; keys that move, count, send or close cannot', () => {
  expect(['KeyQ', 'Semicolon', 'BracketLeft'].map(capOf)).toEqual(['Q', ';', '[']);
  expect(['Digit1', 'Space', 'Enter', 'Escape', 'ArrowDown', 'Slash', 'F5', 'Tab', 'KeyÄ'].map(capOf)).toEqual(
    Array.from({ length: 9 }, () => null),
  );
});

test('a key of another action is taken', () => {
  expect(takenBy(STANDARD, 'approve', 'KeyB')).toBe('block');
  expect(takenBy(STANDARD, 'approve', 'KeyA')).toBeNull();
  expect(takenBy(STANDARD, 'approve', 'KeyQ')).toBeNull();
});

test('stored keys are read back, and a newer action gets its standard key', () => {
  const chosen = { ...STANDARD, approve: 'KeyQ' };
  expect(readCodes(writeCodes(chosen), STANDARD)).toEqual(chosen);
  expect(readCodes('{"approve":"KeyQ"}', STANDARD)).toEqual(chosen);
});

test.each([
  [null],
  ['not JSON'],
  ['null'],
  ['[1]'],
  ['{"approve":"Enter"}'],
  ['{"approve":7}'],
  ['{"approve":"KeyB"}'],
  ['{"constructor":"KeyQ"}'],
])('%s leaves the standard keys', (kept) => {
  expect(readCodes(kept, STANDARD)).toEqual(STANDARD);
});
