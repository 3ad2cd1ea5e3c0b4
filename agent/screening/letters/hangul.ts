/**
 * Hangul as typed letters. A syllable and the same syllable taken apart (`정`, `ㅈㅓㅇ`, `저ㅇ`, or conjoining jamo) give the
 * same letters. Composing jamo cannot guarantee that: a lone consonant may close the syllable before it or only follow
 * it (`반드시ㅋㅋ`), and either choice loses a hit in the other case. Compound vowels and finals become their parts (`ㅘ` is
 * `ㅗㅏ`, `ㅄ` is `ㅂㅅ`), so that both ways of typing them are equal as well.
 */
const LEADS = [...'ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ'];
const VOWELS = 'ㅏ ㅐ ㅑ ㅒ ㅓ ㅔ ㅕ ㅖ ㅗ ㅗㅏ ㅗㅐ ㅗㅣ ㅛ ㅜ ㅜㅓ ㅜㅔ ㅜㅣ ㅠ ㅡ ㅡㅣ ㅣ'.split(' ');
const TAILS =
  'ㄱ ㄲ ㄱㅅ ㄴ ㄴㅈ ㄴㅎ ㄷ ㄹ ㄹㄱ ㄹㅁ ㄹㅂ ㄹㅅ ㄹㅌ ㄹㅍ ㄹㅎ ㅁ ㅂ ㅂㅅ ㅅ ㅆ ㅇ ㅈ ㅊ ㅋ ㅌ ㅍ ㅎ'.split(' ');

export const FIRST_SYLLABLE = 0xac00;
const LAST_SYLLABLE = 0xd7a3;
const FIRST_LEAD = 0x1100;
const FIRST_VOWEL = 0x1161;
const FIRST_TAIL = 0x11a8;

const codesOf = (letters: string): readonly number[] => Array.from(letters, (letter) => letter.charCodeAt(0));

const leadCodes = LEADS.map(codesOf);
const vowelCodes = VOWELS.map(codesOf);
const tailCodes = ['', ...TAILS].map(codesOf);

/** `ㅀ` and `ㅄ` typed by themselves become these old leading clusters under NFKC, all other pairs become finals. */
const CLUSTERS = new Map([
  [0x111a, codesOf('ㄹㅎ')],
  [0x1121, codesOf('ㅂㅅ')],
]);

/** The letters of all syllables one after the other; `SYLLABLE_STARTS` holds the begin of each syllable. */
export const SYLLABLE_LETTERS = Uint16Array.from(
  leadCodes.flatMap((lead) => vowelCodes.flatMap((vowel) => tailCodes.flatMap((tail) => [...lead, ...vowel, ...tail]))),
);
export const SYLLABLES: number = LAST_SYLLABLE - FIRST_SYLLABLE + 1;
export const SYLLABLE_STARTS = new Uint32Array(SYLLABLES + 1);
{
  let syllable = 0;
  for (const lead of leadCodes)
    for (const vowel of vowelCodes)
      for (const tail of tailCodes) {
        const size = lead.length + vowel.length + tail.length;
        SYLLABLE_STARTS[syllable + 1] = (SYLLABLE_STARTS[syllable] ?? 0) + size;
        syllable += 1;
      }
}

/** The letters of a syllable or of a modern conjoining jamo, as UTF-16 codes; undefined for anything else. */
export function lettersOf(code: number): Uint16Array | readonly number[] | undefined {
  const syllable = code - FIRST_SYLLABLE;
  if (syllable >= 0 && syllable < SYLLABLES)
    return SYLLABLE_LETTERS.subarray(SYLLABLE_STARTS[syllable], SYLLABLE_STARTS[syllable + 1]);
  if (code >= FIRST_TAIL) return tailCodes[code - FIRST_TAIL + 1];
  if (code >= FIRST_VOWEL) return vowelCodes[code - FIRST_VOWEL];
  if (code >= FIRST_LEAD) return leadCodes[code - FIRST_LEAD] ?? CLUSTERS.get(code);
  return undefined;
}
