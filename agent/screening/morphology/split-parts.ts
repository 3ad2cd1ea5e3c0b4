/**
 * Parts of a word that a text writes with gaps inside (`원 금이 보 장됩니다`): the analyser takes each piece for a word of its own. The
 * sentence is read once more without these gaps.
 */
import { asReceived, Rewriting, type ReadText } from '../reading/read-text.ts';
import type { Part } from './parts.ts';

/** Between two letters of a part. */
const GAP = String.raw`[\s\p{P}\p{S}]{0,3}`;
/** A part begins where a word does, and no unit of a number does (`5만 원 금리`). */
const BEGIN = String.raw`(?<![가-힣\d])(?<![\d만억조천백십]\s)`;

/** Whether a syllable stands alone before a mark (`원-금을`), so that a sentence may hold parts that its letters do not show. */
export const holdsLoneSyllables = (text: string): boolean => LONE.test(text);
const LONE = /(?<![가-힣])[가-힣][^\s\w가-힣]{1,3}[가-힣]/u;

/** A sentence without the gaps inside of parts; null where there are none. */
export function joined(sentence: string, parts: readonly Part[]): ReadText | null {
  const names = new Set(parts.flatMap(({ morphemes: [name, ...more] }) => (more.length === 0 ? [name] : [])));
  const split = [...names].filter((name) => HANGUL.test(name)).map((name) => Array.from(name).join(GAP));
  if (split.length === 0) return null;
  const made = new Rewriting(asReceived(sentence));
  let done = 0;
  for (const { index, 0: found } of sentence.matchAll(new RegExp(`${BEGIN}(?:${split.join('|')})`, 'gu')))
    for (const { index: gap, 0: marks } of found.matchAll(/[^가-힣]+/gu)) {
      made.keep(done, index + gap);
      done = index + gap + marks.length;
    }
  if (done === 0) return null;
  made.keep(done, sentence.length);
  return made.done();
}

const HANGUL = /^[가-힣]{2,}$/;
