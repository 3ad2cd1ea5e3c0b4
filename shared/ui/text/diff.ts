/** The difference between two texts, sign by sign: for Korean, by syllable. */
import { diffArrays } from 'diff';
import { graphemes } from './graphemes.ts';

/**
 * A piece of the comparison. `before` joined over all pieces is the old text, `after` joined is the new one; in a
 * `same` piece both look alike and may differ in their stored form.
 */
export interface DiffPiece {
  kind: 'same' | 'removed' | 'added';
  before: string;
  after: string;
}

/** With more single changes than this, the texts are unrelated and shown as replaced. */
const MAX_CHANGES = 1_500;

export function diffBySyllable(before: string, after: string): DiffPiece[] {
  const oldSigns = graphemes(before);
  const newSigns = graphemes(after);
  const changes = diffArrays(oldSigns.map(asSeen), newSigns.map(asSeen), { maxEditLength: MAX_CHANGES });
  if (changes === undefined) return tidy([pieceOf('removed', before, ''), pieceOf('added', '', after)]);

  const pieces: DiffPiece[] = [];
  let oldAt = 0;
  let newAt = 0;
  for (const change of changes) {
    const oldPart = change.added ? '' : oldSigns.slice(oldAt, oldAt + change.count).join('');
    const newPart = change.removed ? '' : newSigns.slice(newAt, newAt + change.count).join('');
    if (!change.added) oldAt += change.count;
    if (!change.removed) newAt += change.count;
    pieces.push(pieceOf(change.added ? 'added' : change.removed ? 'removed' : 'same', oldPart, newPart));
  }
  return tidy(pieces);
}

/** The normalised form of a sign, so that signs that look alike compare equal. */
function asSeen(sign: string): string {
  return sign.normalize('NFC');
}

function pieceOf(kind: DiffPiece['kind'], before: string, after: string): DiffPiece {
  return { kind, before, after };
}

/**
 * Merges a single sign that two different wordings happen to share into the change around it, because it only splits
 * the picture. The removed text then stands before the added one.
 */
function tidy(pieces: readonly DiffPiece[]): DiffPiece[] {
  const result: DiffPiece[] = [];
  let removed = '';
  let added = '';
  const push = (piece: DiffPiece): void => {
    const last = result.at(-1);
    if (piece.before + piece.after === '') return;
    if (piece.kind !== 'same' || last?.kind !== 'same') result.push(piece);
    else result.splice(-1, 1, pieceOf('same', last.before + piece.before, last.after + piece.after));
  };
  const flush = (): void => {
    // A merged sign is not a change where it begins or ends both wordings.
    const [old, now] = [graphemes(removed), graphemes(added)];
    const [head, tail] = commonEnds(old, now);
    const cut = (signs: string[], from: number, to: number): string => signs.slice(from, to).join('');
    push(pieceOf('same', cut(old, 0, head), cut(now, 0, head)));
    push(pieceOf('removed', cut(old, head, old.length - tail), ''));
    push(pieceOf('added', '', cut(now, head, now.length - tail)));
    push(pieceOf('same', cut(old, old.length - tail, old.length), cut(now, now.length - tail, now.length)));
    removed = '';
    added = '';
  };
  pieces.forEach((piece, index) => {
    const amidChanges = index > 0 && index < pieces.length - 1;
    if (piece.kind === 'same' && !(amidChanges && graphemes(piece.after).length === 1)) {
      flush();
      push(piece);
    } else {
      removed += piece.before;
      added += piece.after;
    }
  });
  flush();
  return result;
}

/** The length of the common beginning of two wordings, and of the common end of the rest. */
function commonEnds(old: readonly string[], now: readonly string[]): [head: number, tail: number] {
  const shorter = Math.min(old.length, now.length);
  const isSame = (one: string | undefined, other: string | undefined): boolean =>
    one !== undefined && other !== undefined && asSeen(one) === asSeen(other);
  let head = 0;
  while (head < shorter && isSame(old[head], now[head])) head += 1;
  let tail = 0;
  while (tail < shorter - head && isSame(old.at(-1 - tail), now.at(-1 - tail))) tail += 1;
  return [head, tail];
}

/** Counts the removed and added signs. */
export function countChanges(pieces: readonly DiffPiece[]): { removed: number; added: number } {
  let removed = 0;
  let added = 0;
  for (const piece of pieces) {
    if (piece.kind === 'removed') removed += graphemes(piece.before).length;
    if (piece.kind === 'added') added += graphemes(piece.after).length;
  }
  return { removed, added };
}
