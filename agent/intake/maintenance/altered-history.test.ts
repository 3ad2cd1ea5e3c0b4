/**
 * What somebody has written into the history, the screenings or the record of what was shown is named by `verify`, and
 * by all that verifies (D199). A rebuild lets no such text out and puts on record what it found.
 */
import { renameSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { explanationId } from '../../ledger/explanations/explanations.ts';
import { setApprovalNumbering } from '../../ledger/serving/approval.ts';
import { openChannel } from '../../ledger/serving/channels.ts';
import { setSector } from '../../ledger/serving/scope.ts';
import { exposedExplanation } from '../../ledger/serving/visibility.ts';
import { recordKeyFile } from '../../ledger/made/record-key.ts';
import { openLedger, type Ledger } from '../../ledger/storage/ledger.ts';
import { testLedger } from '../../../test/support/agent/ledger.ts';
import { applyMove } from '../../ledger/transitions.ts';
import { backupLedger } from '../backup/backup.ts';
import { restoreLedger } from '../backup/restore.ts';
import {
  changeOnDisk,
  explanationRow,
  invalidationAt,
  newAt,
  partsOn,
  RESTORE_ALONE,
  reviewer,
  takeIn,
  type WholeParts,
} from '../../../test/support/agent/intake.ts';
import { rebuildLedger } from './rebuild.ts';
import { verifyLedger } from './verify.ts';
import { newSeed, runs } from '../../../test/support/runs.ts';

const NOW = '2026-11-20T08:00:00.000Z';
const LATER = new Date('2026-11-20T09:00:00.000Z');
const FORBIDDEN = '이 상품은 확정 수익을 드립니다.';
const FORGED = `${FORBIDDEN} 지금 매수하십시오.`;

let ledger: Ledger;
let file: string;
let parts: WholeParts;
beforeEach(() => {
  ({ ledger, file } = testLedger());
  parts = partsOn(ledger, NOW);
  ledger.write((tx) => openChannel(tx, { channel: 'MTS', key: 'k', at: NOW }));
  const other = (n: number) => ({ etf_ticker: `${n}`.repeat(6), etf_instrument_id: `i${n}` });
  takeIn(
    parts,
    newAt(1, 'automatic'),
    newAt(2, 'corrected', other(1)),
    newAt(3, 'waiting', { ...other(2), summary: '지금은 매수 시점입니다.' }),
    newAt(4, 'blocked', { ...other(3), summary: FORBIDDEN }),
    newAt(5, 'v2', { ...other(4), analysis_engine: 'v2', explanation_type: null, confidence_level: null }),
    newAt(6, 'withdrawn', other(5)),
    invalidationAt(7, 'withdrawn'),
  );
  ledger.write((tx) => {
    const by = { actor: reviewer, at: '2026-11-20T08:10:00.000Z', reason: '고침' };
    setApprovalNumbering(tx, { pattern: '{SEQ}', validDays: 30, next: 1 }, by);
    const editedSummary = '지수가 조금 올랐습니다.';
    applyMove(tx, { id: explanationId('corrected'), move: 'correct', ...by, editedSummary });
    setSector(tx, { code: '069500', sector: '은행', actor: reviewer, at: NOW });
  });
});

test('a committed cursor that was raised for a moment gives an act no later place', () => {
  const raise = (cursor: number): void =>
    changeOnDisk(file, `DROP TRIGGER committed_cursor_never_falls; UPDATE sync_state SET committed_cursor = ${cursor}`);
  raise(900_000);
  const id = explanationId('automatic');
  ledger.write((tx) =>
    applyMove(tx, { id, move: 'stop', actor: reviewer, at: '2026-11-20T08:20:00.000Z', reason: '중단' }),
  );
  raise(7);
  const earlier = { trade_date: '2026-11-19', explanation_as_of: '2026-11-19T06:50:00.000Z' };
  takeIn(parts, newAt(8, 'later', { summary: '지수가 내렸습니다.', ...earlier }));
  expect(exposedText('069500')).toBe('지수가 내렸습니다.');
});

const OPEN = ['state_history', 'screening', 'serving_fact']
  .map((table) => `DROP TRIGGER IF EXISTS ${table}_is_never_updated; DROP TRIGGER IF EXISTS ${table}_is_never_deleted;`)
  .join('');
const alter = (sql: string): void => changeOnDisk(file, `${OPEN} ${sql}`);
const exposedText = (ticker: string): string | undefined => exposedExplanation(ledger, ticker, 'MTS', LATER)?.text;
const of = (id: string): string => `explanation_id = '${explanationId(id)}'`;
const row = (id: string): string => `explanation_result_id = '${id}'`;

/** The forgeries that the checks of row and history alone do not see. */
const FORGERIES: [name: string, id: string, ticker: string, sql: string][] = [
  [
    'the words of a correction',
    'corrected',
    '111111',
    `UPDATE state_history SET published_summary = '${FORGED}' WHERE move = 'correct';
    UPDATE explanation SET published_summary = '${FORGED}', edited_summary = '${FORGED}' WHERE ${row('corrected')}`,
  ],
  [
    'the words of a text that no person has read',
    'automatic',
    '069500',
    `UPDATE state_history SET published_summary = '${FORGED}' WHERE ${of('automatic')};
    UPDATE explanation SET published_summary = '${FORGED}' WHERE ${row('automatic')}`,
  ],
  [
    'the words of a v2 text',
    'v2',
    '444444',
    `UPDATE state_history SET published_summary = '${FORGED}' WHERE ${of('v2')};
    UPDATE explanation SET published_summary = '${FORGED}' WHERE ${row('v2')}`,
  ],
  [
    'the person who has corrected a text',
    'corrected',
    '111111',
    "UPDATE state_history SET actor = '다른 사람', actor_id = 'other' WHERE move = 'correct'",
  ],
  [
    'the number of an approval, and its end',
    'corrected',
    '111111',
    `UPDATE state_history SET approval_number = '2', valid_until = NULL WHERE move = 'correct';
    UPDATE explanation SET approval_number = '2', valid_until = NULL WHERE ${row('corrected')}`,
  ],
  [
    'the outcome of a blocked text',
    'blocked',
    '333333',
    `UPDATE explanation SET status = 'AUTO_PUBLISHED', published_summary = summary, failed_checks = '[]' WHERE ${row('blocked')};
    UPDATE state_history SET to_status = 'AUTO_PUBLISHED', published_summary = '${FORBIDDEN}' WHERE ${of('blocked')};
    UPDATE screening SET outcome = 'AUTO_PUBLISHED', checks = (SELECT checks FROM screening WHERE ${of('automatic')})
      WHERE ${of('blocked')};
    DELETE FROM word_hit WHERE ${of('blocked')}`,
  ],
];

describe.each(FORGERIES)('%s', (_, id, ticker, sql) => {
  test('is named by verify, and makes neither a backup nor a restored ledger', async () => {
    const backup = path.join(path.dirname(file), 'backup.sqlite');
    await backupLedger(ledger, backup);
    const restore = () =>
      restoreLedger({ file: path.join(path.dirname(file), 'back.sqlite'), backup, ...RESTORE_ALONE, now: LATER });
    changeOnDisk(backup, `${OPEN} ${sql}`);
    await expect(restore()).rejects.toThrow(`does not say what the history says of the`);
    alter(sql);
    expect(exposedText(ticker)).toBeDefined();
    expect(verifyLedger(ledger).findings.join('\n')).toContain(explanationId(id));
    await expect(backupLedger(ledger, `${backup}-2`)).rejects.toThrow('differs from the audit log');
  });

  test.each([
    ['', ''],
    ['with the row lost', `; DELETE FROM explanation WHERE ${row(id)}`],
  ])('is let out by no rebuild %s, which puts it on record', (__, more) => {
    alter(`${sql}${more}`);
    rebuildLedger(parts);
    expect([explanationRow(ledger, id)?.status, exposedText(ticker)]).toEqual(['PENDING_REVIEW', undefined]);
    expect(verifyLedger(ledger)).toMatchObject({
      findings: [],
      notices: [
        `The history of 1 explanations differed from the audit log when a rebuild put it on record: ${explanationId(id)}.`,
      ],
    });
    // From there on it is held as it was put on record, and what follows as ever.
    const by = { actor: reviewer, at: '2026-11-20T09:10:00.000Z', reason: '다시 봄', comment: '다시 봄' };
    ledger.write((tx) => applyMove(tx, { id: explanationId(id), move: 'approve', ...by }));
    expect(verifyLedger(ledger).findings).toEqual([]);
    for (const move of ['receive', 'approve']) {
      const [reason] = rowsIn(`SELECT quote(reason) AS "is" FROM state_history WHERE ${of(id)} AND move = '${move}'`);
      alter(`UPDATE state_history SET reason = 'other' WHERE ${of(id)} AND move = '${move}'`);
      expect(verifyLedger(ledger).findings.join()).toContain(`of ${explanationId(id)}`);
      alter(`UPDATE state_history SET reason = ${reason?.is} WHERE ${of(id)} AND move = '${move}'`);
    }
    expect(verifyLedger(ledger).findings).toEqual([]);
  });
});

const rowsIn = (sql: string) => ledger.all<Record<'is', string>>({ sql, parameters: [] });

/** Another value that the column can hold, in SQL as the present one is. */
function otherThan(column: string, value: string): string {
  switch (column) {
    case 'during_hold':
      return value === '0' ? '1' : '0';
    case 'text_sha256':
      return 'zeroblob(32)';
    case 'outcome':
      return value === "'PENDING_REVIEW'" ? "'AUTO_PUBLISHED'" : "'PENDING_REVIEW'";
    case 'kind':
      return value === "'CORRECTED'" ? "'FIELDS'" : "'CORRECTED'";
    case 'policy_version':
    case 'screening_id':
    case 'id':
      return '77';
    default:
      return /^'\d{4}-\d\d-\d\dT/.test(value) ? "'2026-11-19T00:00:00.000Z'" : "'other'";
  }
}

const SEED = newSeed();

/** The numbers of these only count. */
const COUNTED = ['state_history.id', 'serving_fact.seq'];

/** A row of each kind. No row of the log tells of the market that the program gives a ticker (D189). */
const KINDS = {
  state_history: 'SELECT min(id) FROM state_history GROUP BY move, to_status',
  screening: 'SELECT min(id) FROM screening GROUP BY outcome',
  serving_fact: `SELECT min(seq) FROM serving_fact WHERE json_extract(value, '$.by') IS NOT NULL OR kind <> 'INSTRUMENT' GROUP BY kind`,
};

test.each(['state_history', 'screening', 'serving_fact'] as const)(
  'each altered value and lost row of %s is found',
  (table) => {
    expect(verifyLedger(ledger).findings).toEqual([]);
    const columns = rowsIn(`SELECT name AS "is" FROM pragma_table_info('${table}')`).map(({ is }) => is);
    const unseen: string[] = [];
    const tryOut = (name: string, sql: string, back: string): void => {
      alter(sql);
      if (verifyLedger(ledger).findings.length === 0) unseen.push(name);
      alter(back);
    };
    const rows = rowsIn(`SELECT rowid AS "is" FROM ${table} WHERE rowid IN (${KINDS[table]})`);
    // Each column in one row at least, each time in others.
    const every = Math.min(runs(8, 1), rows.length);
    for (const [number, { is: row }] of rows.entries()) {
      for (const [place, column] of columns.entries()) {
        if ((place + number + SEED) % every !== 0) continue;
        if (COUNTED.includes(`${table}.${column}`)) continue;
        const [{ is: from } = { is: '' }] = rowsIn(
          `SELECT quote(${column}) AS "is" FROM ${table} WHERE rowid = ${row}`,
        );
        const to = otherThan(column, from);
        const now = column === 'id' ? to : row;
        const set = (value: string, of: string) => `UPDATE ${table} SET ${column} = ${value} WHERE rowid = ${of}`;
        tryOut(`${column} of ${row}: ${from}`, set(to, row), set(from, now));
      }
      const values = columns.map((column) => `quote(${column})`).join(" || ', ' || ");
      const [{ is: put } = { is: '' }] = rowsIn(
        `SELECT 'INSERT INTO ${table} VALUES (' || ${values} || ')' AS "is" FROM ${table} WHERE rowid = ${row}`,
      );
      tryOut(`row ${row}`, `DELETE FROM ${table} WHERE rowid = ${row}`, put);
    }
    expect(unseen).toEqual([]);
    expect(verifyLedger(ledger).findings).toEqual([]);
  },
);

test('decisions appended in a reviewer’s name, each with its row and without the record key, are no decisions', async () => {
  expect(verifyLedger(ledger).findings).toEqual([]);
  const keyFile = recordKeyFile(file) ?? '';
  renameSync(keyFile, `${keyFile}.away`);
  const other = openLedger(file);
  other.write((tx) => {
    const by = { id: explanationId('waiting'), actor: reviewer, at: '2026-11-20T08:20:00.000Z', reason: '확인' };
    applyMove(tx, { ...by, move: 'approve', comment: '확인' });
    applyMove(tx, { ...by, move: 'correct', editedSummary: FORGED });
  });
  other.close();
  renameSync(`${keyFile}.away`, keyFile);
  expect(exposedText('222222')).toBe(FORGED);
  expect(verifyLedger(ledger).findings).toEqual([
    expect.stringMatching(/^2 rows of the audit log, from row \d+ on, were written without the record key\.$/),
  ]);
  await expect(backupLedger(ledger, `${file}.copy`)).rejects.toThrow('without the record key');
});
