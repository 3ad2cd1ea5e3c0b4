/**
 * Hangul as the letters it is typed with. A syllable and the same syllable taken apart (`정`, `ㅈㅓㅇ`,
 * `저ㅇ`, or conjoining jamo) give the same letters, which putting jamo together cannot guarantee:
 * whether a lone consonant closes the syllable before it or only follows it (`반드시ㅋㅋ`) is open,
 * and whichever way one decides, a hit is lost in the other. Compound vowels and finals become their
 * parts (`ㅘ` is `ㅗㅏ`, `ㅄ` is `ㅂㅅ`), so that both ways of typing them are the same as well.
 */
const LEADS = [...'ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ'];
const VOWELS = 'ㅏ ㅐ ㅑ ㅒ ㅓ ㅔ ㅕ ㅖ ㅗ ㅗㅏ ㅗㅐ ㅗㅣ ㅛ ㅜ ㅜㅓ ㅜㅔ ㅜㅣ ㅠ ㅡ ㅡㅣ ㅣ'.split(' ');
const TAILS =
  'ㄱ ㄲ ㄱㅅ ㄴ ㄴㅈ ㄴㅎ ㄷ ㄹ ㄹㄱ ㄹㅁ ㄹㅂ ㄹㅅ ㄹㅌ ㄹㅍ ㄹㅎ ㅁ ㅂ ㅂㅅ ㅅ ㅆ ㅇ ㅈ ㅊ ㅋ ㅌ ㅍ ㅎ'.split(' ');

const FIRST_SYLLABLE = 0xac00;
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

const syllables: (readonly number[])[] = [];
for (const lead of leadCodes) {
  for (const vowel of vowelCodes) {
    for (const tail of tailCodes) syllables.push([...lead, ...vowel, ...tail]);
  }
}

/** The letters of a syllable or of a modern conjoining jamo, as UTF-16 codes; undefined for anything else. */
export function lettersOf(code: number): readonly number[] | undefined {
  if (code >= FIRST_SYLLABLE && code <= LAST_SYLLABLE) return syllables[code - FIRST_SYLLABLE];
  if (code >= FIRST_TAIL) return tailCodes[code - FIRST_TAIL + 1];
  if (code >= FIRST_VOWEL) return vowelCodes[code - FIRST_VOWEL];
  if (code >= FIRST_LEAD) return leadCodes[code - FIRST_LEAD] ?? CLUSTERS.get(code);
  return undefined;
}
