/** A ledger of every earlier schema version, with data in it, becomes one of today that says the same. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { carriedEdits } from '../review/authors.ts';
import { draftsOf } from '../review/drafts.ts';
import { findExplanation } from '../explanations/explanations.ts';
import { openLedger, sqlite } from './ledger.ts';
import { LEDGER_VERSION, STEPS } from './migrate.ts';
import { historyOf } from '../explanations/history.ts';
import { activePolicy, listPolicyVersions } from '../policy/versions.ts';
import { HELD_BACK } from '../explanations/pages.ts';
import { SEED_POLICY } from '../../screening/seed-policy.ts';
import { policyVersionSchema } from '../../../shared/wire/console/policy.ts';
import * as first from './migrations/0001-ledger.ts';
import { areCountsSound } from '../explanations/search-index.ts';
import { wordCounts } from '../explanations/word-hits.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'causeway-migrate-'));
  file = path.join(folder, 'ledger.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('the files of the steps are numbered as they are made, from 1 without a hole', async () => {
  const files = readdirSync(path.join(import.meta.dirname, 'migrations')).toSorted();
  const made = await Promise.all(
    files.map(async (name) => [
      Number(name.slice(0, 4)),
      ((await import(`./migrations/${name}`)) as { sql: string }).sql,
    ]),
  );
  expect(made).toEqual(STEPS.map((sql, index) => [index + 1, sql]));
});

const AT = '2026-11-20T07:00:00.000Z';

/** As the first version left it: one text that came, was approved with an edit, and one that waits. */
function firstVersion(): void {
  const db = new Database(file);
  db.exec(first.sql);
  db.pragma('user_version = 1');
  for (const [id, status, shown] of [
    ['edited', 'PUBLISHED', '고친 본문입니다.'],
    ['waiting', 'PENDING_REVIEW', null],
  ] as const) {
    db.prepare(
      `INSERT INTO explanation VALUES (@id, @id, 'KR7', '069500', 'KODEX 200', 'KRX', '2026-11-20', @at, NULL,
        'EVENT_SUPPORTED', 'HIGH', 't', 'v1', 0.01, '받은 본문입니다.', 'run', NULL, '[]', '[]', 'hash', 1, @at,
        @status, @at, @shown, @shown, NULL, 1, '[]', 1, 2)`,
    ).run({ id, status, shown, at: AT });
    db.prepare(
      "INSERT INTO state_history VALUES (NULL, ?, 'receive', NULL, 'PENDING_REVIEW', NULL, 'SYSTEM', ?, NULL, 1)",
    ).run(id, AT);
    db.prepare("INSERT INTO screening VALUES (NULL, ?, ?, 'PENDING_REVIEW', 1, '1', ?)").run(
      id,
      AT,
      JSON.stringify([{ check: 'FORBIDDEN_WORDS', hits: [{ wordId: 'w' }, { wordId: 'w' }] }, { hits: [] }]),
    );
    if (shown === null) continue;
    db.prepare(
      "INSERT INTO state_history VALUES (NULL, ?, 'approve-edited', 'PENDING_REVIEW', 'PUBLISHED', 'm', 'M', ?, NULL, 1)",
    ).run(id, AT);
    db.prepare(
      "INSERT INTO console_action_log VALUES (1, ?, 'm', 'M', 'COMPLIANCE_REVIEWER', 'explanation.approve-edited', 'explanation', ?, ?, 'p', 'h')",
    ).run(AT, id, JSON.stringify({ published_summary: shown }));
  }
  db.close();
}

test.each(STEPS.map((_, step) => step + 1))(
  'from version %i: nothing is lost, the index finds what was there, and guards still hold',
  (version) => {
    firstVersion();
    const old = new Database(file);
    old.pragma('foreign_keys = OFF');
    for (const step of STEPS.slice(1, version)) old.exec(step);
    old.pragma(`user_version = ${version}`);
    old.close();
    const ledger = openLedger(file, { check: true });
    expect(findExplanation(ledger, 'edited', new Date(AT))).toMatchObject({
      status: 'PUBLISHED',
      published_summary: '고친 본문입니다.',
      summary: '받은 본문입니다.',
      version: 2,
    });
    expect(historyOf(ledger, 'edited').map(({ move }) => move)).toEqual(['receive', 'approve-edited']);
    const shown = ledger.all(sqlite.selectFrom('state_history').select(['explanation_id', 'shown_text']).orderBy('id'));
    expect(shown.map((row) => row.shown_text)).toEqual([null, '고친 본문입니다.', null]);
    expect(wordCounts(ledger, {})).toEqual([{ wordId: 'w', explanations: 2, lastReceivedAt: AT }]);
    expect(carriedEdits(ledger, 'edited')).toEqual([
      { source: 'CORRECTION', text: '고친 본문입니다.', authors: [{ id: 'm', name: 'M' }], isOutdated: false },
    ]);
    expect(ledger.all(sqlite.selectFrom('version_beside_moves').selectAll())).toEqual([
      { explanation_id: 'edited', version: 2 },
      { explanation_id: 'waiting', version: 2 },
    ]);
    expect(areCountsSound(ledger)).toBe(true);
    ledger.close();

    const db = new Database(file);
    expect(db.pragma('user_version', { simple: true })).toBe(LEDGER_VERSION);
    const found = (words: string) =>
      db.prepare('SELECT count(*) FROM explanation_search WHERE explanation_search MATCH ?').pluck().get(`"${words}"`);
    expect([found('받은 본문'), found('고친 본문'), found('KODEX')]).toEqual([2, 1, 2]);
    expect(() => db.exec("UPDATE state_history SET reason = 'x'")).toThrow('never changed');
    expect(() => db.exec("DELETE FROM explanation WHERE id = 'edited'")).toThrow('FOREIGN KEY');
    expect(() => db.exec("UPDATE screening SET outcome = 'AUTO_PUBLISHED'")).toThrow('a screening is never changed');
    expect(() => db.exec('DELETE FROM screening')).toThrow('a screening is never deleted');
    expect(() => db.exec('INSERT OR REPLACE INTO screening SELECT * FROM screening')).toThrow('never replaced');
    db.exec("UPDATE explanation SET status = 'INVALIDATED'");
    expect(() => db.exec("UPDATE explanation SET status = 'PENDING_REVIEW'")).toThrow('never comes back');
    db.close();
  },
);

test('a draft that somebody was writing is theirs, with everybody who wrote at it, and the row says what was decided', () => {
  firstVersion();
  const old = new Database(file);
  old.pragma('foreign_keys = OFF');
  for (const step of STEPS.slice(1, 30)) old.exec(step);
  old.pragma('user_version = 30');
  const log = old.prepare(
    "INSERT INTO console_action_log VALUES (@seq, @at, @by, @name, 'COMPLIANCE_REVIEWER', 'review.draft', 'explanation', 'waiting', '{}', 'p', 'h')",
  );
  log.run({ seq: 2, at: AT, by: 'a', name: '가' });
  log.run({ seq: 3, at: AT, by: 'b', name: '나' });
  old.exec(`UPDATE explanation SET edited_summary = '쓰던 글', comment = '보는 중', version = 4 WHERE id = 'waiting';
    UPDATE review_draft SET edited_summary = '쓰던 글', comment = '보는 중', version = 4 WHERE explanation_id = 'waiting'`);
  old.close();
  const ledger = openLedger(file, { check: true });
  expect(draftsOf(ledger, ['waiting', 'edited'])).toEqual(
    new Map([
      [
        'waiting',
        [
          {
            memberId: 'b',
            displayName: '나',
            text: '쓰던 글',
            comment: '보는 중',
            at: AT,
            version: 1,
            authors: [
              { id: 'a', name: '가' },
              { id: 'b', name: '나' },
            ],
          },
        ],
      ],
    ]),
  );
  expect(findExplanation(ledger, 'waiting', new Date(AT))).toMatchObject({ edited_summary: null, comment: null });
  ledger.close();
});

test('what an undo has brought back to review waits as it did before the approval', () => {
  firstVersion();
  const old = new Database(file);
  old.pragma('foreign_keys = OFF');
  const before = STEPS.findIndex((sql) => sql.includes('last.before_release = 1'));
  for (const step of STEPS.slice(1, before)) old.exec(step);
  old.pragma(`user_version = ${before}`);
  const row = old.prepare(
    `INSERT INTO state_history (explanation_id, move, from_status, to_status, actor, at, before_release)
     VALUES ('waiting', ?, ?, ?, 'M', ?, ?)`,
  );
  const undone = '2026-11-20T08:00:05.000Z';
  row.run('approve', 'PENDING_REVIEW', 'PUBLISHED', '2026-11-20T08:00:00.000Z', 0);
  row.run('move-to-review', 'PUBLISHED', 'PENDING_REVIEW', undone, 1);
  old.prepare("UPDATE explanation SET status_since = ? WHERE id = 'waiting'").run(undone);
  old.close();
  const ledger = openLedger(file);
  expect(findExplanation(ledger, 'waiting', new Date(undone))?.status_since).toBe(AT);
  expect(areCountsSound(ledger)).toBe(true);
  ledger.close();
});

test('a policy of a program that knew neither required notices nor their check is read as one without any', () => {
  firstVersion();
  const old = new Database(file);
  old.pragma('foreign_keys = OFF');
  for (const step of STEPS.slice(1, 26)) old.exec(step);
  old.pragma('user_version = 26');
  const { words, criteria, disclaimer } = SEED_POLICY;
  const changes = [{ kind: 'WORD_CHANGED', wordId: 'word-best', word: '최고', severity: 'REVIEW' }];
  old
    .prepare('INSERT INTO policy_version (version, snapshot, changes, author, created_at) VALUES (1, ?, ?, ?, ?)')
    .run(JSON.stringify({ words, criteria, disclaimer }), JSON.stringify(changes), '시스템', AT);
  old.close();
  const ledger = openLedger(file, { check: true });
  expect(activePolicy(ledger)).toEqual({ version: 1, snapshot: SEED_POLICY });
  const [item] = listPolicyVersions(ledger, { page: 1, size: 1 }).rows;
  expect(policyVersionSchema.parse(item).changes).toEqual(changes);
  const plan = ledger.all<{ detail: string }>({
    sql: `EXPLAIN QUERY PLAN SELECT id FROM explanation INDEXED BY explanation_required_notice_waiting
      WHERE status = 'PENDING_REVIEW' AND ${HELD_BACK.REQUIRED_NOTICE} ORDER BY status_since, id`,
    parameters: [],
  });
  expect(plan.map(({ detail }) => detail)).toEqual([expect.stringContaining('explanation_required_notice_waiting')]);
  ledger.close();
});
