import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { REASON_CODES } from '../../../shared/wire/console/console.ts';
import { missingOfReason, readReason, reasonsOffered, writeReason } from './reasons.ts';

describe('reasons', () => {
  test('a code stands alone or before its free text', () => {
    expect(writeReason('FORECAST', '  ')).toBe('FORECAST');
    expect(writeReason('OTHER', ' 표현이\n거칢 ')).toBe('OTHER: 표현이\n거칢');
  });

  test('invariant: a written reason is read back', () => {
    fc.assert(
      fc.property(fc.constantFrom(...REASON_CODES), fc.string(), (code, text) => {
        expect(readReason(writeReason(code, text))).toEqual({ code, text: text.trim() });
      }),
    );
  });

  test('a reason without a known code is all free text', () => {
    expect(readReason('v2 automatic exposure: 심사 없이')).toEqual({
      code: null,
      text: 'v2 automatic exposure: 심사 없이',
    });
    expect(readReason('NOT_OURS: x')).toEqual({ code: null, text: 'NOT_OURS: x' });
    expect(readReason('forecast')).toEqual({ code: null, text: 'forecast' });
    expect(readReason('')).toEqual({ code: null, text: '' });
  });

  test('each action has its own reasons, OTHER last', () => {
    for (const action of ['reject', 'block', 'stop'] as const) {
      const { offered, more } = reasonsOffered(action, [null], false);
      expect(offered.at(-1)).toBe('OTHER');
      // Each of them has a key of its own.
      expect(offered.length).toBeLessThanOrEqual(9);
      expect(offered.length + more).toBe(REASON_CODES.length);
    }
    expect(reasonsOffered('reject', [], false).offered).not.toContain('SOLICITATION');
    expect(reasonsOffered('block', [], false).offered).not.toContain('WEAK_GROUNDS');
  });

  test("the chosen reason follows the action's own, and all are shown on demand, none twice", () => {
    const { offered } = reasonsOffered('reject', ['FORECAST', 'WEAK_GROUNDS', null], false);
    expect(offered.slice(-2)).toEqual(['OTHER', 'FORECAST']);
    const all = reasonsOffered('reject', ['FORECAST'], true);
    expect([all.offered.toSorted(), all.more]).toEqual([REASON_CODES.toSorted(), 0]);
    // A reason that was offered before keeps its place and digit.
    const few = reasonsOffered('reject', ['FORECAST'], false).offered;
    expect(all.offered.slice(0, few.length)).toEqual(few);
  });

  test('the firm gives a reason one digit in every form, and the others stay within reach', () => {
    const ofFirm = ['FORECAST', 'OTHER'] as const;
    for (const action of ['reject', 'block', 'stop', 'move-to-review'] as const) {
      expect(reasonsOffered(action, ['ASSERTIVE'], false, ofFirm).offered).toEqual([...ofFirm, 'ASSERTIVE']);
      const all = reasonsOffered(action, [], true, ofFirm).offered;
      expect([all.slice(0, 2), all.toSorted()]).toEqual([ofFirm, REASON_CODES.toSorted()]);
    }
  });

  test('a code is needed, and OTHER needs words', () => {
    expect(missingOfReason(null, 'x')).toBe('code');
    expect(missingOfReason('OTHER', ' ')).toBe('text');
    expect(missingOfReason('OTHER', 'x')).toBeNull();
    expect(missingOfReason('ASSERTIVE', '')).toBeNull();
  });
});
