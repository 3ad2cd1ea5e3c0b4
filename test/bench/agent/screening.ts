/**
 * Texts against forbidden words (D15): the time must depend on the text, not on the words. The morphological analyser (D220)
 * takes most of what is given to it, which is few texts. All of it is computation, so processor time is measured.
 */
import { BLOCKED, CLAIMS, DENIALS, HARMLESS } from '../../support/sentences/korean-sentences.ts';
import { createMatcher } from '../../../agent/screening/matcher.ts';
import { createScreener } from '../../../agent/screening/screen.ts';
import { SEED_POLICY } from '../../../agent/screening/seed/seed-policy.ts';
import { alternate as timed, median, ratioRow, valueRow, type Bench, type Side } from '../bench.ts';

const alternate = <Name extends string>(sides: Record<Name, Side>, { rounds }: { rounds: number }) =>
  timed(sides, { rounds, clock: 'PROCESSOR' });

const CHARACTERS = 600;
const ROUNDS = 300;
/** Texts per round: one alone is too short to time. */
const TEXTS = 10;
/** Length of the long text in short ones: linear time grows by the same factor. */
const LONGER = 8;

export const screening: Bench = {
  name: 'screening',
  about: `a text of ${CHARACTERS} characters against forbidden words`,
  run: async () => {
    const times = await alternate({ many: side(10_000, TEXT), few: side(100, TEXT) }, { rounds: ROUNDS });
    const [many, few] = [median(times.many) / TEXTS, median(times.few) / TEXTS];
    const read = await alternate(
      { marked: side(10_000, `<b>${TEXT}</b>`), hanja: side(10_000, `美 ${TEXT}`) },
      { rounds: ROUNDS / 2 },
    );
    // The same characters in either round, so that both take as long and a busy machine affects both.
    const cuts = await alternate(
      { whole: side(10_000, TEXT.repeat(LONGER)), parts: side(10_000, TEXT, TEXTS * LONGER) },
      { rounds: ROUNDS / 2 },
    );
    const seed = createScreener({ version: 1, snapshot: SEED_POLICY });
    const texts = {
      passed: replay(seed, HARMLESS),
      found: replay(seed, [...Object.values(CLAIMS).flat(), ...DENIALS]),
    };
    const paths = await alternate(texts, { rounds: ROUNDS / 10 });
    const replayed = await alternate({ day: replay(seed, mixed()) }, { rounds: 5 });
    const built = await alternate({ words: builder(5_000) }, { rounds: 5 });
    const [whole, parts] = [median(cuts.whole) / TEXTS, median(cuts.parts) / TEXTS];
    return [
      valueRow(`${CHARACTERS} characters against 10,000 words, median`, 'ms', many, { atMost: 0.2 }),
      // Read in two ways: as a page, and as its source.
      valueRow('the same with markup', 'ms', median(read.marked) / TEXTS, { atMost: 0.5 }),
      valueRow('the same with a Chinese character', 'ms', median(read.hanja) / TEXTS, { atMost: 0.5 }),
      valueRow(
        'a harmless sentence under the seed policy, median',
        'µs',
        (median(paths.passed) * 1_000) / HARMLESS.length,
        { atMost: 500 },
      ),
      valueRow('a claim or a denial, median', 'µs', (median(paths.found) * 1_000) / CLAIM_COUNT, { atMost: 1_000 }),
      valueRow(
        'replay of 100,000 texts, one in fifty with a claim',
        's',
        (median(replayed.day) / 1_000) * (100_000 / MIXED),
        { atMost: 60 },
      ),
      valueRow('a screener with 5,000 words', 'ms', median(built.words), { atMost: 1_500 }),
      // A hundred times the words: a remaining difference is the memory that they take.
      ratioRow('the same against 10,000 words and against 100', 'ms', many, few, { atMost: 3 }),
      ratioRow(`a text ${LONGER} times as long, and ${LONGER} of that length`, 'ms', whole, parts, { atMost: 1.5 }),
    ];
  },
};

const CLAIM_COUNT = Object.values(CLAIMS).flat().length + DENIALS.length;
const MIXED = 5_000;

/** Texts of three harmless sentences, every fiftieth with one that is not. */
function mixed(): string[] {
  const others = [...Object.values(CLAIMS).flat(), ...BLOCKED, ...DENIALS];
  return Array.from({ length: MIXED }, (_, n) => {
    const three = [n, n * 7 + 1, n * 13 + 2].map((one) => HARMLESS[one % HARMLESS.length] ?? '');
    return [...three, ...(n % 50 === 0 ? [others[n % others.length] ?? ''] : [])].join(' ');
  });
}

function replay(screener: { findWords(text: string): unknown }, texts: readonly string[]): Side {
  return {
    run: async () => {
      for (const text of texts) screener.findWords(text);
    },
  };
}

/** Other words each time, because the parts of a word are read once in a process. */
function builder(count: number): Side {
  let round = 0;
  const words = () =>
    Array.from({ length: count }, (_, n) => ({
      id: `w${n}`,
      word: `${wordOf(n + round * count)} ${SEED_POLICY.words[n % SEED_POLICY.words.length]?.word ?? ''}`,
      severity: 'REVIEW' as const,
      active: true,
      exceptions: [],
    }));
  return {
    run: async () => {
      createMatcher(words());
      round += 1;
    },
  };
}

function side(count: number, summary: string, texts = TEXTS): Side {
  const words = Array.from({ length: count }, (_, index) => ({
    id: `w${index}`,
    word: wordOf(index),
    severity: 'REVIEW' as const,
    active: true,
    exceptions: [],
  }));
  const screener = createScreener({ version: 1, snapshot: { ...SEED_POLICY, words } });
  const input = {
    summary,
    explanation_type: 'EVENT_SUPPORTED',
    confidence_level: 'HIGH' as const,
    sourceEventIds: ['a', 'b'],
    observed_return: null,
    outOfScope: [],
  };
  return {
    run: async () => {
      for (let n = 0; n < texts; n += 1) screener.screen(input);
    },
  };
}

/** Different words of three syllables that share prefixes with each other and with the text. */
function wordOf(index: number): string {
  const syllable = (n: number): string => String.fromCharCode(0xac00 + ((n * 37) % 11_172));
  return syllable(index % 100) + syllable(Math.floor(index / 100)) + syllable(index * 7);
}

const SENTENCE = '반도체 업종의 수출 증가 소식에 지수가 1.2% 올랐고, 외국인은 사흘째 순매수했습니다. ';
const TEXT = SENTENCE.repeat(Math.ceil(CHARACTERS / SENTENCE.length)).slice(0, CHARACTERS);
