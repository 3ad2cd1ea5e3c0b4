import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { missingOfReason, readReason, REASON_CODES, writeReason } from './reasons.ts';

describe('reasons', () => {
  test('a code stands alone or before its free text', () => {
    expect(writeReason('FORECAST', '  ')).toBe('FORECAST');
    expect(writeReason('OTHER', ' 표현이\n거칢 ')).toBe('OTHER: 표현이\n거칢');
  });

  test('law: what was written is read again', () => {
    fc.assert(
      fc.property(fc.constantFrom(...REASON_CODES), fc.string(), (code, text) => {
        expect(readReason(writeReason(code, text))).toEqual({ code, text: text.trim() });
      }),
    );
  });

  test('what no code of ours begins is all free text', () => {
    expect(readReason('v2 automatic exposure: 심사 없이')).toEqual({
      code: null,
      text: 'v2 automatic exposure: 심사 없이',
    });
    expect(readReason('NOT_OURS: x')).toEqual({ code: null, text: 'NOT_OURS: x' });
    expect(readReason('forecast')).toEqual({ code: null, text: 'forecast' });
    expect(readReason('')).toEqual({ code: null, text: '' });
  });

  test('a code is needed, and OTHER needs words', () => {
    expect(missingOfReason(null, 'x')).toBe('code');
    expect(missingOfReason('OTHER', ' ')).toBe('text');
    expect(missingOfReason('OTHER', 'x')).toBeNull();
    expect(missingOfReason('ASSERTIVE', '')).toBeNull();
  });
});
