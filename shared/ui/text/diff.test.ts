import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countChanges, diffBySyllable, type DiffPiece } from './diff.ts';
import { graphemes } from './graphemes.ts';

const written = (pieces: readonly DiffPiece[]): string =>
  pieces
    .map(({ kind, before, after }) => (kind === 'same' ? after : kind === 'removed' ? `[-${before}]` : `[+${after}]`))
    .join('');

describe('difference by syllable', () => {
  test('marks only the syllables that changed', () => {
    expect(written(diffBySyllable('수익이 확정되었습니다.', '수익이 예상되었습니다.'))).toBe(
      '수익이 [-확정][+예상]되었습니다.',
    );
  });

  test('an added or removed text is one piece', () => {
    expect(written(diffBySyllable('올랐습니다.', '크게 올랐습니다.'))).toBe('[+크게 ]올랐습니다.');
    expect(written(diffBySyllable('반드시 올랐습니다.', '올랐습니다.'))).toBe('[-반드시 ]올랐습니다.');
  });

  test('one shared sign between two wordings does not split the change', () => {
    expect(written(diffBySyllable('매수 추천', '관망 권고'))).toBe('[-매수 추천][+관망 권고]');
  });

  test('a single sign inside a change counts as unchanged where it was kept', () => {
    const pieces = diffBySyllable('이주비 대출 한도를 줄인다.', '이주비 대출 추가한 말이다. 한도를 줄인다.');
    expect(written(pieces)).toBe('이주비 대출 [+추가한 말이다. ]한도를 줄인다.');
    expect(countChanges(pieces)).toEqual({ removed: 0, added: 9 });
  });

  test('equal texts have no difference, empty ones a single piece', () => {
    expect(written(diffBySyllable('그대로', '그대로'))).toBe('그대로');
    expect(diffBySyllable('', '')).toEqual([]);
    expect(written(diffBySyllable('', '새 글'))).toBe('[+새 글]');
  });

  test('syllables stored as single jamo look the same and are the same', () => {
    const composed = '확정 수익';
    const pieces = diffBySyllable(composed.normalize('NFD'), composed);
    expect(pieces.every(({ kind }) => kind === 'same')).toBe(true);
    expect(pieces.map(({ before }) => before).join('')).toBe(composed.normalize('NFD'));
    expect(pieces.map(({ after }) => after).join('')).toBe(composed);
  });

  test('a decomposed syllable is replaced whole', () => {
    expect(written(diffBySyllable('각'.normalize('NFD'), '간'))).toBe(`[-${'각'.normalize('NFD')}][+간]`);
  });

  test('an emoji of several code points counts as one sign and is never cut', () => {
    const family = '👨‍👩‍👧';
    const pieces = diffBySyllable(`좋음${family}`, '좋음👨‍👩‍👦');
    expect(written(pieces)).toBe(`좋음[-${family}][+👨‍👩‍👦]`);
    expect(countChanges(pieces)).toEqual({ removed: 1, added: 1 });
  });

  test('texts without common parts are shown as replaced, without a long search', () => {
    const before = '가'.repeat(9_000);
    const after = '나'.repeat(9_000);
    expect(diffBySyllable(before, after).map(({ kind }) => kind)).toEqual(['removed', 'added']);
  });

  const text = fc.string({
    unit: fc.constantFrom('가', '나', '각', '가'.normalize('NFD'), ' ', '.', '👍', '👨‍👩‍👧', 'a'),
    maxLength: 40,
  });

  test('invariant: the pieces make up both texts', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const pieces = diffBySyllable(before, after);
        expect(pieces.map((piece) => piece.before).join('')).toBe(before);
        expect(pieces.map((piece) => piece.after).join('')).toBe(after);
        for (const piece of pieces) {
          if (piece.kind === 'same') expect(piece.before.normalize('NFC')).toBe(piece.after.normalize('NFC'));
          if (piece.kind === 'removed') expect(piece.after).toBe('');
          if (piece.kind === 'added') expect(piece.before).toBe('');
        }
      }),
    );
  });

  test('invariant: every border between pieces lies between signs', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const pieces = diffBySyllable(before, after).filter((piece) => piece.after !== '');
        expect(pieces.flatMap((piece) => graphemes(piece.after))).toEqual(graphemes(after));
      }),
    );
  });
});
