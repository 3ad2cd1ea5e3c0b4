/** The full-text index agrees with the rows, by any writer. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { vendorFields, explanationId, updateVendorFields } from './explanations.ts';
import { openLedger, sqlite, type Ledger } from '../storage/ledger.ts';
import { applyMove } from '../transitions.ts';
import { sql } from 'kysely';
import { newEntry, receive } from '../testing.ts';

const AT = '2026-11-20T07:00:00.000Z';
const reviewer = { kind: 'MEMBER', id: 'm', displayName: '심사자', role: 'COMPLIANCE_REVIEWER' } as const;
const TEXTS = ['반도체 수출이 늘었습니다.', '금리 인하 기대가 컸습니다.', '"따옴표" AND 줄\n바꿈', 'KODEX'];

const step = fc.record({
  id: fc.constantFrom('a', 'b', 'c'),
  summary: fc.constantFrom(...TEXTS),
  name: fc.constantFrom('KODEX 200', 'TIGER 미국나스닥'),
  edited: fc.option(fc.constantFrom(...TEXTS)),
});

function searched(ledger: Ledger, words: string): string[] {
  const phrase = `"${words.replaceAll('"', '""')}"`;
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
      for (const [index, { id, summary, name, edited }] of steps.entries()) {
        const entry = newEntry(id, { summary, etf_name: name }, { cursor: index + 1 });
        ledger.write((tx) => {
          if (!known.has(id)) receive(tx, entry);
          else
            updateVendorFields(tx, explanationId(id), vendorFields(entry, GROUNDS), {
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
        sqlite.selectFrom('explanation').select(['id', 'etf_name', 'summary', 'published_summary']).orderBy('id'),
      );
      for (const words of [...TEXTS, '수출이 늘었', 'KODEX 200', '나스닥', '없는 낱말']) {
        const holding = rows.filter((row) =>
          [row.etf_name, row.summary, row.published_summary ?? ''].some((text) => text.includes(words)),
        );
        expect(searched(ledger, words)).toEqual(holding.map(({ id }) => id));
      }
      // FTS5's own comparison of the index with the rows; it throws at a difference.
      const compare = sql`INSERT INTO explanation_search (explanation_search, rank) VALUES ('integrity-check', 1)`;
      ledger.write((tx) => tx.run({ compile: () => compare.compile(sqlite) }));
      ledger.close();
    }),
    { numRuns: 60 },
  );
});

const GROUNDS = { source_events: '[]', evidences: '[]' };
