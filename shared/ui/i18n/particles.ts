/**
 * Korean particles that depend on the ending of the word before them. A catalogue writes the pair in brackets, with the
 * form after a final consonant first: `{name}[이/가]`. Compiling turns the pair into one private sign, so that brackets
 * in a name are never read as a pair.
 */
const PAIRS = ['이/가', '을/를', '은/는', '과/와', '으로/로'] as const;
export type Particles = (typeof PAIRS)[number];

const FIRST_MARK = 0xe000;
const WRITTEN = new RegExp(`\\[(${PAIRS.join('|')})\\]`, 'gu');
const MARKS = new RegExp(
  `[\\u{${FIRST_MARK.toString(16)}}-\\u{${(FIRST_MARK + PAIRS.length - 1).toString(16)}}]`,
  'gu',
);

/** Replaces written pairs by private signs. */
export function markParticles(message: string): string {
  return message.replace(WRITTEN, (_written, pair: Particles) => String.fromCharCode(FIRST_MARK + PAIRS.indexOf(pair)));
}

/** Replaces each private sign by the fitting particle. */
export function withParticles(sentence: string): string {
  return sentence.replace(MARKS, (mark: string, at: number) => {
    const pair = PAIRS[mark.charCodeAt(0) - FIRST_MARK];
    return pair === undefined ? '' : particleAfter(sentence.slice(0, at), pair);
  });
}

/** Chooses the particle of a pair after a word: `particleAfter('원화', '이/가')` is `가`. */
export function particleAfter(word: string, pair: Particles): string {
  const [closed = '', open = ''] = pair.split('/');
  const ending = endingOf(word);
  return ending === 'CLOSED' || (ending === 'RIEUL' && pair !== '으로/로') ? closed : open;
}

/** The ending of a word when read aloud. `으로/로` treats a final ㄹ as a vowel. */
type Ending = 'OPEN' | 'CLOSED' | 'RIEUL';

const FIRST_SYLLABLE = 0xac00;
const LAST_SYLLABLE = 0xd7a3;
const FINALS = 28;
const FINAL_RIEUL = 8;

/** 영 일 이 삼 사 오 육 칠 팔 구 */
const DIGITS: readonly Ending[] = [
  'CLOSED',
  'RIEUL',
  'OPEN',
  'CLOSED',
  'OPEN',
  'OPEN',
  'CLOSED',
  'RIEUL',
  'RIEUL',
  'OPEN',
];

/** A remark in brackets is not read aloud, and signs are not either. */
const UNREAD = /(?:\s*(?:\([^()]*\)|\[[^[\]]*\]))+\s*$|[^\p{Letter}\p{Number}%]+$/u;

/** The ending shows within this many letters; searching longer texts would take quadratic time. */
const MOST_READ = 200;

function endingOf(word: string): Ending {
  let read = word.slice(-MOST_READ).normalize('NFC');
  while (UNREAD.test(read)) read = read.replace(UNREAD, '');
  const last = read.at(-1);
  if (last === undefined) return 'OPEN';
  const code = last.charCodeAt(0);
  if (code >= FIRST_SYLLABLE && code <= LAST_SYLLABLE) {
    const final = (code - FIRST_SYLLABLE) % FINALS;
    if (final === 0) return 'OPEN';
    return final === FINAL_RIEUL ? 'RIEUL' : 'CLOSED';
  }
  if (/[0-9]/.test(last)) return DIGITS[Number(last)] ?? 'OPEN';
  return endingOfLatin(/[a-z]+$/i.exec(read)?.[0] ?? '');
}

/** Letters whose name ends in a consonant: 엘, 알, 엠, 엔. */
const LETTERS: Readonly<Record<string, Ending>> = { l: 'RIEUL', r: 'RIEUL', m: 'CLOSED', n: 'CLOSED' };
/** A word of capitals up to this length is read letter by letter: `ETF`, but not `KOSDAQ`. */
const MOST_INITIALS = 3;

/**
 * Initials, and what has no vowel, are read letter by letter; a word by its sound as the rules for foreign words write
 * it: a stop after one short vowel closes the syllable (코스닥, 집, 북), after anything else it gets a vowel (뱅크, 시트).
 */
function endingOfLatin(written: string): Ending {
  const word = written.toLowerCase();
  const isInitials = written === written.toUpperCase() && written.length <= MOST_INITIALS;
  if (isInitials || !/[aeiouy]/.test(word)) return LETTERS[word.at(-1) ?? ''] ?? 'OPEN';
  if (/le?$/.test(word)) return 'RIEUL';
  if (/(?:[mn]|ng|[aeiouy][mn]e)$/.test(word)) return 'CLOSED';
  return /(?:(?<![aeiouy])[aeiouy](?:[ptkcq]|ck|pp)|ook)$/.test(word) ? 'CLOSED' : 'OPEN';
}
