import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutPositions } from './graphemes.ts';
import { segmentsOf, type TextRange } from './segments.ts';

interface Named extends TextRange {
  name: string;
}

const shown = (text: string, ranges: readonly Named[]): string =>
  segmentsOf(text, ranges)
    .map((segment) =>
      segment.ranges.length === 0
        ? segment.text
        : `<${segment.ranges.map(({ name }) => name).join('')}:${segment.text}>`,
    )
    .join('');

describe('segments of a marked text', () => {
  const text = '이 상품은 확정 수익을 보장합니다';

  test('marks a range at its place', () => {
    expect(shown(text, [{ name: 'a', start: 6, end: 11 }])).toBe('이 상품은 <a:확정 수익>을 보장합니다');
  });

  test('overlapping ranges share the segment that both cover', () => {
    expect(
      shown(text, [
        { name: 'a', start: 6, end: 11 },
        { name: 'b', start: 9, end: 15 },
      ]),
    ).toBe('이 상품은 <a:확정 ><ab:수익><b:을 보장>합니다');
  });

  test('nested, equal and touching ranges', () => {
    expect(
      shown('가나다라마', [
        { name: 'a', start: 0, end: 4 },
        { name: 'b', start: 1, end: 2 },
        { name: 'c', start: 1, end: 2 },
        { name: 'd', start: 4, end: 5 },
      ]),
    ).toBe('<a:가><abc:나><a:다라><d:마>');
  });

  test('a range outside the text is cut back, an empty or reversed one marks nothing', () => {
    expect(shown('가나', [{ name: 'a', start: 1, end: 9 }])).toBe('가<a:나>');
    expect(shown('가나', [{ name: 'a', start: 5, end: 9 }])).toBe('가나');
    expect(shown('가나', [{ name: 'a', start: 1, end: 1 }])).toBe('가나');
    expect(shown('가나', [{ name: 'a', start: 2, end: 0 }])).toBe('가나');
  });

  test('a range that would cut a sign takes the whole sign', () => {
    const decomposed = '확정'.normalize('NFD');
    expect(shown(decomposed, [{ name: 'a', start: 1, end: 2 }])).toBe(
      `<a:${'확'.normalize('NFD')}>${'정'.normalize('NFD')}`,
    );
    expect(shown('좋👍다', [{ name: 'a', start: 1, end: 2 }])).toBe('좋<a:👍>다');
  });

  test('invariant: the segments make up the text, begin where they say, and are covered as given', () => {
    const string = fc.string({ unit: fc.constantFrom('가', '각'.normalize('NFD'), '👍', ' ', 'x'), maxLength: 30 });
    const range = fc.record({
      name: fc.constant('r'),
      start: fc.integer({ min: 0, max: 60 }),
      end: fc.integer({ min: 0, max: 60 }),
    });
    fc.assert(
      fc.property(string, fc.array(range, { maxLength: 6 }), (value, ranges) => {
        const segments = segmentsOf(value, ranges);
        const cuts = new Set(cutPositions(value));
        expect(segments.map((segment) => segment.text).join('')).toBe(value);
        let at = 0;
        for (const segment of segments) {
          expect(segment.start).toBe(at);
          expect(cuts.has(segment.start)).toBe(true);
          for (const position of Array.from(segment.text, (_, index) => segment.start + index)) {
            for (const one of ranges) {
              if (one.start <= position && position < one.end) expect(segment.ranges).toContain(one);
            }
          }
          at += segment.text.length;
        }
      }),
    );
  });
});
