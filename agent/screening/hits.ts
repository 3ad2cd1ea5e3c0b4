/** What a screening records of a word that it has found: place, cause, and a sentence for the reviewer. */
import type { WordHit } from '../../shared/wire/console/console.ts';
import { holdsHanja } from './reading/hanja.ts';
import type { ForbiddenWord } from './policy.ts';
import type { Reading } from './reading/reading.ts';

/** A word, or one of its REVIEW exceptions, at a place of a text as it is read. */
export interface Finding extends Pick<WordHit, 'pass' | 'grammar' | 'turnedBy'> {
  word: ForbiddenWord;
  /** The word or the exception as in the policy. */
  expression: string;
  isException: boolean;
  /** UTF-16 units, end exclusive. */
  start: number;
  end: number;
}

/** @param text as it was received. A finding that is not certain has the severity REVIEW. */
export function hitOf(text: string, reading: Reading, found: Finding): WordHit {
  const { word, expression, isException, pass, grammar, turnedBy } = found;
  const { start, end } = received(reading, found);
  const matched = text.slice(start, end);
  const how = howRead(matched, reading, found);
  const isCertain = pass === 'strict' && !isException && grammar === undefined;
  return {
    wordId: word.id,
    word: word.word,
    severity: isCertain ? word.severity : 'REVIEW',
    ...(word.reason === undefined ? {} : { reason: word.reason }),
    start,
    end,
    matched,
    pass,
    ...(grammar === undefined ? {} : { grammar }),
    ...(turnedBy === undefined ? {} : { turnedBy }),
    ...(how === undefined ? {} : { reading: how }),
    exception: isException ? expression : null,
    isExact: matched === expression,
    why: reason(found, matched, how),
  };
}

/** The place of a finding in the text as it was received. */
function received({ read }: Reading, { start, end }: Finding): { start: number; end: number } {
  return read === null ? { start, end } : { start: read.starts[start] ?? 0, end: read.ends[end - 1] ?? 0 };
}

/** How the letters were read; undefined where they were read as they are. */
function howRead(matched: string, { as, read, isSecond }: Reading, { start, end }: Finding): WordHit['reading'] {
  if (as === 'PLAIN' && isSecond) return 'SOURCE';
  if (read === null || read.text.slice(start, end) === matched) return undefined;
  return as === 'PAGE' && !holdsHanja(matched) ? 'PAGE' : 'HANJA';
}

const READ: Record<NonNullable<WordHit['reading']>, string> = {
  HANJA: '한자를 한글로 읽어 비교했습니다.',
  PAGE: '마크업을 해석하여 화면에 표시되는 대로 비교했습니다.',
  SOURCE: '마크업을 해석하지 않은 원문에만 있어 심사로 보냅니다.',
};

/** The cause of a hit, for the reviewer. */
function reason(found: Finding, matched: string, how: WordHit['reading']): string {
  const { word, expression, isException, pass, grammar, turnedBy = '' } = found;
  const named = `금지어 “${word.word}”`;
  const what = isException
    ? `${named}의 예외 표현 “${expression}”에 해당하지만 담당자의 확인이 필요합니다.`
    : `${named}에 해당합니다.`;
  const said = [PASSES[pass].replace('{}', what)];
  if (pass === 'strict' && matched !== expression && how !== 'HANJA' && how !== 'PAGE')
    said.push('띄어쓰기, 대소문자, 보이지 않는 문자, 자모 분리, 백분율 표기의 차이는 무시하고 비교했습니다.');
  if (grammar !== undefined) said.push(GRAMMAR[grammar].replace('{}', turnedBy));
  if (how !== undefined) said.push(READ[how]);
  return said.join(' ');
}

const PASSES: Record<WordHit['pass'], string> = {
  strict: '{}',
  loose: '문장 부호와 기호를 빼고 읽으면 {} 우연일 수 있어 심사로 보냅니다.',
  morphemes: '형태소로 읽으면 {} 조사, 어미, 어순과 사이에 든 말은 무시하고 비교하여 심사로 보냅니다.',
};

const GRAMMAR: Record<NonNullable<WordHit['grammar']>, string> = {
  INSIDE: '다른 단어의 일부일 수 있어 심사로 보냅니다.',
  TURNED: '“{}”(으)로 뜻이 반대일 수 있어 심사로 보냅니다.',
  UNREAD: '문장이 너무 길어 형태소로 읽지 못하여 심사로 보냅니다.',
};
