import { expect, test } from 'vitest';
import type { WordHit } from '../../../shared/wire/console/console.ts';
import { firstPlaces, offerAt, offersOf } from './replacements.ts';

const hit = (wordId: string, matched: string): WordHit => ({
  ...{ wordId, word: matched, matched, severity: 'REVIEW', start: 0, end: matched.length },
  ...{ pass: 'strict', exception: null, isExact: true, why: '' },
});
const offers = offersOf(
  [hit('a', '대박'), hit('a', '대 박'), hit('b', '대박 수익'), hit('c', '확실')],
  [
    { wordId: 'a', phrases: ['호조'] },
    { wordId: 'b', phrases: ['높은 수익', '호조'] },
  ],
);

test('a hit is offered the phrases of its word; one without any is not offered', () => {
  expect(offers).toEqual([
    { matched: '대박', phrases: ['호조'] },
    { matched: '대 박', phrases: ['호조'] },
    { matched: '대박 수익', phrases: ['높은 수익', '호조'] },
  ]);
});

test('the caret is on a hit inside it and at its ends, wherever it stands now; the longest one counts', () => {
  const text = '새 글: 대박 수익, 또 대박!';
  const at = (start: number, end = start) => {
    const found = offerAt(text, { start, end }, offers);
    return found === null ? null : text.slice(found.start, found.end);
  };
  expect([5, 7, 10].map((place) => at(place))).toEqual(['대박 수익', '대박 수익', '대박 수익']);
  expect([14, 15, 16].map((place) => at(place))).toEqual(['대박', '대박', '대박']);
  expect([0, 4, 11, 17].map((place) => at(place))).toEqual([null, null, null, null]);
  expect([at(14, 16), at(13, 16)]).toEqual(['대박', null]);
});

test('beside the text each expression stands once, in its order', () => {
  expect(firstPlaces('대 박, 대박, 대박', offers).map(({ matched, start }) => [matched, start])).toEqual([
    ['대 박', 0],
    ['대박', 5],
  ]);
});
