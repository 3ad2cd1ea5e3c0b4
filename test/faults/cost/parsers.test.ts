/** Parsers of input from the wire: the cost grows at most with the length. */
import { expect, test } from 'vitest';
import { checkEnvelope } from '../../../agent/intake/receive/envelope.ts';
import { entryTexts } from '../../../agent/intake/apply/entry-texts.ts';
import { readEntry } from '../../../agent/intake/apply/entry.ts';
import { readJson } from '../../../agent/intake/receive/json.ts';
import { readStatement, readVerifyKeys } from '../../../agent/intake/receive/statement.ts';
import { createMatcher } from '../../../agent/screening/matcher.ts';
import { SEED_POLICY } from '../../../agent/screening/seed/seed-policy.ts';
import { unfitnessOf } from '../../../shared/wire/unfit.ts';
import { readLoad } from '../../../cloud/ingest/read-load.ts';
import { readPullQuery } from '../../../cloud/sync/query.ts';
import { parseJson } from '../../../shared/wire/json.ts';
import { growth, MOST_TIMES, repeated } from './cost.ts';
import { makeVendorKey } from '../../support/vendor-key.ts';
import { runs } from '../../support/runs.ts';
import { bodyOf, bundleOf, newAt } from '../truth.ts';

/** Sixteen times the smaller one still shows a search for a text from each letter on, which reads 16 bytes in a nanosecond. */
const SMALL = runs(8_192, 16_384);

const matcher = createMatcher(SEED_POLICY.words);
const { publicKey } = makeVendorKey();
const whole = (text: string): string =>
  bodyOf(bundleOf(0, [newAt(1, 'a', { summary: 'MARK' })]))
    .toString()
    .replace('MARK', () => text);

/** Each takes any text; its errors do not matter. */
const PARSERS: Record<string, (text: string) => unknown> = {
  'parseJson, one-escape names': (text) => parseJson(`{"\\"":1,"b":"${text}"}`),
  'parseJson, raw': (text) => parseJson(`{"\\"":${text}}`),
  readJson: (text) => readJson(Buffer.from(`{"a":${text}}`)),
  checkEnvelope: (text) => checkEnvelope(Buffer.from(whole(text)), { after: 0, tenantId: 7 }),
  entryTexts: (text) => {
    const body = whole(text);
    JSON.parse(body);
    return entryTexts(body);
  },
  readEntry: (text) => readEntry(newAt(1, 'a', { summary: text }), text, '2026-11-20T08:00:00.000Z'),
  readStatement: (text) => readStatement(`${text}.${text}`, [publicKey]),
  readVerifyKeys: (text) => readVerifyKeys(text),
  readLoad: (text) => readLoad(Buffer.from(`{"mode":"REALTIME","x":"${text}"}`)),
  readPullQuery: (text) => readPullQuery({ after: text }),
  'the matcher of words': (text) => matcher.find(text),
  'what makes a text unfit': (text) => unfitnessOf(text),
};

const FRAGMENTS = [
  'a',
  '.',
  '0',
  ' ',
  '\\"',
  '\\\\',
  '\\u0041',
  '"',
  '"\\"" ',
  '","\\"":"',
  '[',
  '[],',
  '{"a":',
  'one escape.',
  'one escape1;',
  '-----BEGIN A-----',
  '\u0300',
  'ㅎ',
  '매수 ',
  '확-정 수.익',
  '\u200b',
  '¨',
  '<b>',
  '<p ',
  '</',
  '<!--',
  '<template>',
  '&#x1',
  '&amp',
  '[a](',
  '](/',
  '**a ',
  '`',
  '{a',
  '{{',
  '%s',
  '元',
  '(元',
  '元(원)',
  'the cat ',
  'ㅁ드리',
  '저는 ',
  'ì›ê¸',
];

test.each(Object.entries(PARSERS))('%s: sixteen times the text costs no more than a linear walk', async (_, parse) => {
  for (const fragment of FRAGMENTS)
    expect(await growth(parse, repeated(fragment), SMALL), `of ${JSON.stringify(fragment)}`).toBeLessThan(MOST_TIMES);
});

test('a hundred thousand dots after the words of a mark, which took 14 s, are read in the time of others', async () => {
  const parse = PARSERS['parseJson, one-escape names'] ?? String;
  expect(await growth(parse, (size) => `one escape${'.'.repeat(size)}`, 100_000)).toBeLessThan(MOST_TIMES);
});
