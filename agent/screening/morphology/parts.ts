/**
 * The parts of a forbidden word: its morphemes with a meaning of their own. `원금이 보장되는` has 원금 and 보장, `손실 없는` has 손실
 * and 없. A word of one part alone is not looked for by its parts: 월급 of `월급처럼` says nothing.
 */
import { analyse, type AnalysedMorpheme } from './analyser.ts';
import { knowing } from './known.ts';
import { isContent, isDenial, isFuture, type Tagged } from './tags.ts';

export interface Part {
  /** In dictionary form: one morpheme, or a prefix and its noun (`무`, `손실`), or a number and its sign (`100`, `%`). */
  morphemes: readonly [string, ...string[]];
  /** A verb or an adjective, whose last letter may change (`오르`, `올라`). */
  isVerb: boolean;
  /** What is to come: `ㄹ 것`, and every other form of it (`겠`, `ㄹ 거`, `ㄹ 듯`). */
  isFuture?: true;
  /** A noun whose prefix is said as a word of its own (`위험 없는` for 무위험): it counts as it stands, not in 위험성. */
  isBare?: true;
}

/** What prefixes say, as words of their own. */
const SAID_APART: Readonly<Record<string, string>> = { 무: '없', 고: '높', 저: '낮' };

/** They stand between the parts of many claims and are part of none. */
const EMPTY = new Set('것 수 등 때 바 중 적 데 및 또 더 이 그 저'.split(' '));

/**
 * The different parts of a word, at least two; or none. What is to come is a part where a word has only one other (`급등할 것`).
 *
 * @throws as `analyse`
 */
export const partsOf: (word: string) => readonly Part[] = knowing(readParts);

function readParts(word: string): Part[] {
  const told = analyse(word);
  const saidApart = withPrefixApart(told);
  if (saidApart !== null) return saidApart;
  const parts: Part[] = [];
  let before: Tagged | undefined;
  let isToCome = false;
  for (const { text, pos: tag } of told) {
    const tells = isFuture({ text, tag }, before);
    isToCome ||= tells;
    const last = parts.at(-1);
    const continues = before?.tag === 'XPN' ? tag.startsWith('N') : before?.tag === 'SN' && text === '%';
    if (last !== undefined && continues)
      parts[parts.length - 1] = { morphemes: [...last.morphemes, text], isVerb: false };
    else if ((isContent(tag) && !EMPTY.has(text) && !tells) || isDenial({ text, tag }))
      parts.push({ morphemes: [text], isVerb: tag.startsWith('V') });
    before = { text, tag };
  }
  const different = [...new Map(parts.map((part) => [part.morphemes.join(), part])).values()];
  if (different.length === 1 && isToCome) different.push({ morphemes: ['것'], isVerb: false, isFuture: true });
  return different.length < 2 ? [] : different;
}

/** The parts of one noun with a prefix that says what another word says as well; null where the word is no such noun. */
function withPrefixApart([prefix, noun, ...more]: readonly AnalysedMorpheme[]): Part[] | null {
  const said = SAID_APART[prefix?.text ?? ''];
  // The analyser takes 고 for the ending of a verb that is not there.
  if (said === undefined || noun?.pos !== 'NNG' || more.length > 0 || !/^(?:XPN|EC)$/.test(prefix?.pos ?? ''))
    return null;
  return [
    { morphemes: [noun.text], isVerb: false, isBare: true },
    { morphemes: [said], isVerb: true },
  ];
}
