import { expect, test } from 'vitest';
import { markParticles, particleAfter, withParticles, type Particles } from './particles.ts';

test.each<[string, Particles, string]>([
  ['매수', '이/가', '가'],
  ['확실', '이/가', '이'],
  ['반도체', '을/를', '를'],
  ['은행', '을/를', '을'],
  ['삼성전자', '은/는', '는'],
  ['기업은행', '과/와', '과'],
  ['운영자', '으로/로', '로'],
  ['조회 전용', '으로/로', '으로'],
  ['서울', '으로/로', '로'],
  ['서울', '이/가', '이'],
  // Numbers, by the last digit as it is read.
  ['0', '으로/로', '으로'],
  ['1', '으로/로', '로'],
  ['1', '을/를', '을'],
  ['2', '을/를', '를'],
  ['3', '으로/로', '으로'],
  ['6', '이/가', '이'],
  ['7', '으로/로', '로'],
  ['10', '을/를', '을'],
  ['KODEX 200', '은/는', '은'],
  // Latin letters: initials by their letters, words by their sound.
  ['KRX', '이/가', '가'],
  ['NASDAQ', '이/가', '이'],
  ['KOSDAQ', '은/는', '은'],
  ['KOSPI', '은/는', '는'],
  ['OPEC', '이/가', '이'],
  ['FOMC', '이/가', '가'],
  ['ETN', '을/를', '을'],
  ['SOL', '으로/로', '로'],
  ['SOL', '은/는', '은'],
  ['HMM', '이/가', '이'],
  ['KR', '이/가', '이'],
  ['Twitter', '이/가', '가'],
  ['Samsung', '이/가', '이'],
  ['Google', '으로/로', '로'],
  ['Google', '을/를', '을'],
  ['Facebook', '은/는', '은'],
  ['Bank', '은/는', '는'],
  ['Microsoft', '을/를', '를'],
  ['online', '으로/로', '으로'],
  // Files by their extensions: as words, or letter by letter without a vowel.
  ['dossier-069500.zip', '으로/로', '으로'],
  ['facts.json', '을/를', '을'],
  ['verify.pem', '이/가', '이'],
  ['list.csv', '을/를', '를'],
  ['page.html', '으로/로', '로'],
  ['page.html', '을/를', '을'],
  ['picture.png', '으로/로', '로'],
  ['ledger.sqlite', '으로/로', '로'],
  ['intake.log', '을/를', '를'],
  ['table.xlsx', '으로/로', '로'],
  // Signs that are not read aloud: brackets, quotes, spaces.
  ['삼성전자(005930)', '이/가', '가'],
  ['KODEX 200 (069500)', '은/는', '은'],
  ['TIGER 단기통안채(총수익)[A]', '을/를', '를'],
  ['“확실”', '을/를', '을'],
  ['‘매수’ ', '을/를', '를'],
  ['(주)', '이/가', '가'],
  ['15%', '이/가', '가'],
  ['', '이/가', '가'],
  ['정'.normalize('NFD'), '이/가', '이'],
])('%s takes %s as %s', (word, pair, particle) => {
  expect(particleAfter(word, pair)).toBe(particle);
});

test('a message writes a pair in brackets, and a name with such brackets stays unchanged', () => {
  const message = markParticles('시장 {key}[이/가] 제외되어 {other}[으로/로] 바뀝니다.');
  const said = (key: string, other: string): string =>
    withParticles(message.replace('{key}', key).replace('{other}', other));
  expect(said('KRX', '3')).toBe('시장 KRX가 제외되어 3으로 바뀝니다.');
  expect(said('코스닥', '서울')).toBe('시장 코스닥이 제외되어 서울로 바뀝니다.');
  expect(said('종목[이/가]', '2')).toBe('시장 종목[이/가]이 제외되어 2로 바뀝니다.');
});
