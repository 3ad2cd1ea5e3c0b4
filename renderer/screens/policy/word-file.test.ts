/** The word list in a file: written, edited by people, and read as a change of the policy. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { REASON_CODES, type ForbiddenWord } from '../../../shared/wire/console/console.ts';
import { IN_USE_WORDS, SEVERITY_WORDS, WORD_COLUMNS } from '../../../shared/wire/console/word-list-words.ts';
import { csvLine } from '../../../shared/wire/csv.ts';
import { catalogues } from '../../i18n/catalogues.ts';
import { readTable, UnreadableTableError, writeTable } from './table-file.ts';
import { readWords, wordHeadings, wordRows, type ReadWords } from './word-file.ts';

const WORDS: readonly ForbiddenWord[] = [
  {
    id: 'w1',
    word: '최고',
    severity: 'BLOCK',
    reason: 'EXAGGERATION',
    active: true,
    exceptions: [
      { text: '최고가, 최저가', becomes: 'CLEAR' },
      { text: '최고 경영자', becomes: 'REVIEW' },
    ],
  },
  { id: 'w2', word: '=원금', severity: 'REVIEW', active: false, exceptions: [] },
];
const NOTHING = { draft: {}, added: 0, changed: 0, switched: 0, same: 2, absent: 0, problems: [], isTooLong: false };

const headings = wordHeadings('ko');
const read = (...rows: string[][]): ReadWords => readWords([headings, ...rows], WORDS);

describe.each(['csv', 'xlsx'] as const)('as %s', (type) => {
  const text = fc.stringMatching(/^[가-힣a-z0-9=+@",-][가-힣a-z0-9=+@'", -]{0,8}[가-힣a-z]$/u);
  const word = fc.record({
    id: fc.uuid(),
    word: text,
    severity: fc.constantFrom('BLOCK' as const, 'REVIEW' as const),
    reason: fc.constantFrom(...REASON_CODES),
    active: fc.boolean(),
    exceptions: fc.array(fc.record({ text, becomes: fc.constantFrom('CLEAR' as const, 'REVIEW' as const) })),
    apart: fc.constantFrom(undefined, null, 0, 12),
    replacements: fc.option(fc.uniqueArray(text, { maxLength: 3 }), { nil: undefined }),
  });

  test('a list that nobody has edited changes nothing, in either language', async () => {
    const words = fc.uniqueArray(word, { selector: (one) => one.word.replaceAll(' ', ''), maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(words, fc.constantFrom('ko' as const, 'en' as const), async (all, language) => {
        const table = {
          name: 'words',
          headings: wordHeadings(language),
          rows: wordRows(all, language),
        };
        const { draft, problems, same } = readWords(await readTable(await writeTable(table, type)), all);
        expect({ draft, problems, same }).toEqual({ draft: {}, problems: [], same: all.length });
      }),
      { numRuns: 30 },
    );
  });
});

test('edited rows are a draft: a new word, another treatment, on and off; a word that is not there stays', () => {
  expect(
    read(
      ['최 고', 'REVIEW', '투자권유', '미사용', '최고가', ''],
      ['신규', '', '', '', '', '', '글자', '대신 쓸 말\n다른 말, 또'],
      ['둘째', '차단', 'Forecast', '사용', '둘째로, 둘째줄\n둘째날', ''],
    ),
  ).toEqual({
    ...NOTHING,
    ...{ added: 2, changed: 1, switched: 1, same: 0, absent: 1 },
    draft: {
      addWords: [
        { word: '신규', severity: 'REVIEW', apart: null, replacements: ['대신 쓸 말', '다른 말, 또'] },
        {
          word: '둘째',
          severity: 'BLOCK',
          reason: 'FORECAST',
          exceptions: ['둘째로', '둘째줄', '둘째날'].map((text) => ({ text, becomes: 'CLEAR' })),
        },
      ],
      changeWords: [
        { id: 'w1', severity: 'REVIEW', reason: 'SOLICITATION', exceptions: [{ text: '최고가', becomes: 'CLEAR' }] },
      ],
      toggleWords: ['w1'],
    },
  });
});

test('columns stand in any order, one that lacks changes nothing, and without headings each row is a new word', () => {
  expect(
    readWords(
      [
        ['비고', 'Action', 'word'],
        ['', 'block', '=원금'],
      ],
      WORDS,
    ).draft,
  ).toEqual({ changeWords: [{ id: 'w2', severity: 'BLOCK' }] });
  expect(readWords([['금지어'], ['최고']], WORDS)).toMatchObject({ draft: {}, same: 1, absent: 1 });
  expect(readWords([['하나'], [''], ['둘', 'x']], WORDS).draft).toEqual({
    addWords: [
      { word: '하나', severity: 'REVIEW' },
      { word: '둘', severity: 'REVIEW' },
    ],
  });
});

test.for([
  [['', '차단', '', '', '', ''], 'MISSING'],
  [['가'.repeat(201), '', '', '', '', ''], 'LONG'],
  [['낱말', '금지', '', '', '', ''], 'VALUE'],
  [['낱말', '', '없는 사유', '', '', ''], 'VALUE'],
  [['낱말', '', '', '아마', '', ''], 'VALUE'],
  [['낱말', '', '', '미사용', '', ''], 'NEW_OFF'],
  [['낱말', '', '', '', '낱말들, 낱말들', ''], 'EXCEPTIONS'],
  [['낱말', '', '', '', '', '', '13'], 'VALUE'],
  [['낱말', '', '', '', '', '', '', '긴 문구'.repeat(80)], 'VALUE'],
] as const)('a row that cannot be taken is named: %s', ([row, kind]) => {
  expect(read(['하나', '', '', '', '', ''], [...row]).problems).toMatchObject([{ row: 3, kind }]);
});

test('a word that stands twice is named, in any spelling; more than 500 changes are too many for one version', () => {
  expect(read(['하나', '', '', '', '', ''], ['하 나', '', '', '', '', '']).problems).toMatchObject([
    { row: 3, kind: 'TWICE' },
  ]);
  const rows = (count: number): string[][] => Array.from({ length: count }, (_, n) => [`낱말${n}`]);
  expect([read(...rows(500)).isTooLong, read(...rows(501)).isTooLong]).toEqual([false, true]);
});

test('a file is read as Excel writes it: code page of Korean Windows, UTF-16 with tabs, UTF-8; another one is refused', async () => {
  const korean = Uint8Array.of(0xb1, 0xdd, 0xc1, 0xf6, 0xbe, 0xee, 0x0d, 0x0a, 0xbf, 0xf8, 0xb1, 0xdd, 0x0d, 0x0a);
  const wide = Buffer.from('\ufeff금지어\t처리\r\n원금\t차단\r\n', 'utf16le');
  expect(await readTable(new Blob([korean]))).toEqual([['금지어'], ['원금']]);
  expect(await readTable(new Blob([wide]))).toEqual([
    ['금지어', '처리'],
    ['원금', '차단'],
  ]);
  expect(await readTable(new Blob([csvLine(['금지어', '"=1'])]))).toEqual([['금지어', '"=1']]);
  for (const bad of [Uint8Array.of(0x50, 0x4b, 3, 4, 0), Uint8Array.of(0xff, 0xff, 0x41)])
    await expect(readTable(new Blob([bad]))).rejects.toThrow(UnreadableTableError);
});

test('a file has the words of the screens', () => {
  const { ko, en } = catalogues;
  const said = (id: keyof typeof ko): unknown => [ko[id], en[id]];
  expect(Object.values(WORD_COLUMNS)).toEqual(
    (['policy.word', 'policy.severity', 'policy.word.reason', 'policy.state'] as const)
      .map(said)
      .concat((['policy.exceptions.CLEAR', 'policy.exceptions.REVIEW'] as const).map(said))
      .concat((['policy.word.apart', 'replacement.field'] as const).map(said)),
  );
  expect([SEVERITY_WORDS.BLOCK, SEVERITY_WORDS.REVIEW]).toEqual([said('severity.BLOCK'), said('severity.REVIEW')]);
  expect([IN_USE_WORDS.on, IN_USE_WORDS.off]).toEqual([said('value.on'), said('value.off')]);
});
