import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { Automaton } from './automaton.ts';

const codes = (text: string): Uint16Array => Uint16Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));

type Found = [pattern: number, start: number, end: number];

function search(patterns: string[], text: string): Found[] {
  const found: Found[] = [];
  new Automaton(patterns.map(codes)).scan(codes(text), (...one) => found.push(one));
  return found.sort(byPlace);
}

function naively(patterns: string[], text: string): Found[] {
  const found: Found[] = [];
  patterns.forEach((pattern, index) => {
    if (pattern === '') return;
    for (let at = text.indexOf(pattern); at >= 0; at = text.indexOf(pattern, at + 1))
      found.push([index, at, at + pattern.length]);
  });
  return found.sort(byPlace);
}

const byPlace = (a: Found, b: Found): number => a[1] - b[1] || a[2] - b[2] || a[0] - b[0];

describe('finds exactly the same as a search for each pattern by itself', () => {
  test.each([
    ['words inside words', ['he', 'she', 'his', 'hers'], 'ushers'],
    ['overlapping ones', ['aa', 'aaa'], 'aaaaa'],
    ['the same pattern twice', ['ab', 'ab'], 'abab'],
    ['none in no text', ['a'], ''],
    ['nothing without patterns', [], 'abc'],
    ['an empty pattern never', ['', 'b'], 'abc'],
    ['codes 0 and 65535', ['\u0000', '\uffff\u0000'], '\u0000\uffff\u0000'],
  ])('%s', (_, patterns, text) => {
    expect(search(patterns, text)).toEqual(naively(patterns, text));
  });

  test('for random patterns over few letters', () => {
    const few = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 });
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 60 });
    fc.assert(
      fc.property(fc.array(few, { maxLength: 30 }), text, (patterns, one) => {
        expect(search(patterns, one)).toEqual(naively(patterns, one));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('effort', () => {
  /** The number of edges that a search reads. */
  function effort(patterns: number, text: string): number {
    const automaton = new Automaton(Array.from({ length: patterns }, (_, i) => codes(`금지된${i}번째말`)));
    const step = vi.spyOn(automaton, 'step');
    automaton.scan(codes(text), () => undefined);
    return step.mock.calls.length;
  }
  const text = '금지된말과 금지된1말, 금지된12번째 그리고 아무것도 아닌 말. '.repeat(20).slice(0, 600);

  test('is bounded by the text and does not grow with the number of patterns', () => {
    const few = effort(100, text);
    const many = effort(10_000, text);
    // At the root no edge is read.
    expect(few).toBeGreaterThan(100);
    expect(many).toBeLessThanOrEqual(2 * 600);
    expect(many - few).toBeLessThan(0.1 * few);
  });

  test('grows in proportion to the text', () => {
    expect(effort(10_000, text.repeat(10))).toBeLessThanOrEqual(10 * effort(10_000, text) + 10);
  });
});
