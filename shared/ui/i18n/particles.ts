/**
 * Korean particles that depend on how the word before them ends. A catalogue writes the pair in brackets, with the form
 * after a final consonant first: `{name}[이/가]`. Compiling turns the pair into one private sign, so that brackets in a
 * name are never taken for a pair.
 */
const PAIRS = ['이/가', '을/를', '은/는', '과/와', '으로/로'] as const;
export type Particles = (typeof PAIRS)[number];

const FIRST_MARK = 0xe000;
const WRITTEN = new RegExp(`\\[(${PAIRS.join('|')})\\]`, 'gu');
const MARKS = new RegExp(
  `[\\u{${FIRST_MARK.toString(16)}}-\\u{${(FIRST_MARK + PAIRS.length - 1).toString(16)}}]`,
  'gu',
);

/** Puts the private signs in place of the written pairs. */
export function markParticles(message: string): string {
  return message.replace(WRITTEN, (_written, pair: Particles) => String.fromCharCode(FIRST_MARK + PAIRS.indexOf(pair)));
}

/** Puts the particle that fits in place of each private sign. */
export function withParticles(sentence: string): string {
  return sentence.replace(MARKS, (mark: string, at: number) => {
    const pair = PAIRS[mark.charCodeAt(0) - FIRST_MARK];
    return pair === undefined ? '' : particleAfter(sentence.slice(0, at), pair);
  });
}

/** The one of two particles that follows a word: `particleAfter('원화', '이/가')` is `가`. */
export function particleAfter(word: string, pair: Particles): string {
  const [closed = '', open = ''] = pair.split('/');
  const ending = endingOf(word);
  return ending === 'CLOSED' || (ending === 'RIEUL' && pair !== '으로/로') ? closed : open;
}

/** The ending of a word when it is read aloud. `으로/로` takes a final ㄹ for a vowel. */
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

/** So many letters from the end tell how a word ends; a search for the end of more would cost their square. */
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

/** Initials are read by their letters (엘, 엠, 엔, 알), a word by its sound. */
function endingOfLatin(word: string): Ending {
  const isInitials = word === word.toUpperCase();
  if (/l$/i.test(word) || (isInitials && word.endsWith('R'))) return 'RIEUL';
  if (/[mn]$/i.test(word) || (!isInitials && /ng$/i.test(word))) return 'CLOSED';
  return 'OPEN';
}
