/** The full-text index agrees with the rows, by any writer. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { explanationId, updateVendorFields } from './explanations.ts';
import { withoutSpace } from '../../../shared/wire/search-fold.ts';
import { textCondition } from './search.ts';
import { isIndexSound } from './search-index.ts';
import { openLedger, type Ledger } from '../storage/ledger.ts';
import { sqlite } from '../storage/query.ts';
import { applyMove } from '../transitions.ts';
import { sql } from 'kysely';
import { newEntry, receive } from '../../../test/support/agent/ledger.ts';
import { vendorFields } from '../storage/vendor-fields.ts';

const AT = '2026-11-20T07:00:00.000Z';
const reviewer = { kind: 'MEMBER', id: 'm', displayName: '심사자', role: 'COMPLIANCE_REVIEWER' } as const;
const TEXTS = ['반도체 수출이 늘었습니다.', '금리 인하 기대가 컸습니다.', '"따옴표" AND 줄\n바꿈', 'KODEX'];

const EVIDENCE = { kind: 'NEWS', source: 'HANKANG', published_at: null } as const;
const TITLES = ['반도체 수출 증가', '금리\t동결'];

const step = fc.record({
  titles: fc.array(fc.constantFrom(...TITLES), { maxLength: 2 }),
  id: fc.constantFrom('a', 'b', 'c'),
  summary: fc.constantFrom(...TEXTS),
  name: fc.constantFrom('KODEX 200', 'TIGER 미국나스닥'),
  edited: fc.option(fc.constantFrom(...TEXTS)),
  // A vendor may write letters by their numbers.
  isEscaped: fc.boolean(),
});

const escaped = (json: string): string =>
  json.replace(/[^\x20-\x7e]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The rows that hold the words by the condition that reads them, without the index. */
function read(ledger: Ledger, words: string): string[] {
  return ledger
    .all(sql<{ id: string }>`SELECT id FROM explanation WHERE ${textCondition(words)} ORDER BY id`)
    .map(({ id }) => id);
}

function searched(ledger: Ledger, words: string): string[] {
  const phrase = `"${withoutSpace(words).replaceAll('"', '""')}"`;
  return ledger
    .all(
      sqlite
        .selectFrom('explanation_search')
        .innerJoin('explanation', 'explanation.number', 'explanation_search.rowid')
        .select('explanation.id')
        .where(sql<boolean>`explanation_search MATCH ${phrase}`)
        .orderBy('explanation.id'),
    )
    .map(({ id }) => id);
}

test('after any changes, every text is found in its own row and in no other', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const ledger = openLedger(':memory:');
      const known = new Set<string>();
      for (const [index, { id, summary, name, edited, titles, isEscaped }] of steps.entries()) {
        const evidences = titles.map((title) => ({ ...EVIDENCE, title }));
        const entry = newEntry(id, { summary, etf_name: name }, { cursor: index + 1, evidences });
        const json = JSON.stringify(evidences);
        const grounds = { source_events: '[]', evidences: isEscaped ? escaped(json) : json };
        ledger.write((tx) => {
          if (!known.has(id)) receive(tx, entry);
          else
            updateVendorFields(tx, explanationId(id), vendorFields(entry, grounds), {
              cursor: index + 1,
              at: '2026-11-20T07:00:00.000Z',
            });
          if (edited !== null && !known.has(id))
            applyMove(tx, {
              id: explanationId(id),
              move: 'approve-edited',
              actor: reviewer,
              at: AT,
              editedSummary: edited,
            });
        });
        known.add(id);
      }
      const rows = ledger.all(
        sqlite
          .selectFrom('explanation')
          .select(['id', 'etf_name', 'summary', 'published_summary', 'evidences'])
          .orderBy('id'),
      );
      for (const words of [
        ...TEXTS,
        '수출이 늘었',
        'KODEX 200',
        '나스닥',
        '없는 낱말',
        '반도체 수출증가',
        '금리동결',
        '반도',
        '줄바',
        '리 동',
        '국',
      ]) {
        const holding = rows.filter((row) =>
          [row.etf_name, row.summary, row.published_summary ?? '', ...titlesOf(row.evidences)].some((text) =>
            withoutSpace(text).includes(withoutSpace(words)),
          ),
        );
        const ids = holding.map(({ id }) => id);
        // The index answers three letters and more.
        if (withoutSpace(words).length > 2) expect(searched(ledger, words)).toEqual(ids);
        expect(read(ledger, words)).toEqual(ids);
      }
      expect(isIndexSound(ledger)).toBe(true);
      ledger.close();
    }),
    { numRuns: 60 },
  );
});

const titlesOf = (evidences: string): string[] =>
  (JSON.parse(evidences) as { title: string }[]).map(({ title }) => title);

test('evidence that is no list of objects has no title, and stops neither index nor search', () => {
  const ledger = openLedger(':memory:');
  ledger.write((tx) => receive(tx, newEntry('a')));
  for (const evidences of [
    '',
    '{',
    '"x"',
    '[1, "{", null, [], {"title": 5}, {"title": null}, {"arguments": {"title": "속"}}]',
    '[{"title": "금리 동결"}]',
  ])
    ledger.write((tx) => tx.run(sqlite.updateTable('explanation').set({ evidences })));
  expect(searched(ledger, '금리 동결')).toEqual([explanationId('a')]);
  expect(isIndexSound(ledger)).toBe(true);
  ledger.close();
});
