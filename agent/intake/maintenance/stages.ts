/** The stages of the long commands on a ledger. Counting their units costs a few look-ups, however large the ledger is. */
import { existsSync, statSync } from 'node:fs';
import { sql } from 'kysely';
import type { Stage } from '../../../shared/service/long-work/progress.ts';
import { chainEnd } from '../../ledger/audit/audit.ts';
import { archiveFiles } from '../../ledger/inbox/raw-archive.ts';
import { readCursors } from '../../ledger/inbox/raw-bundles.ts';
import { stepsStage } from '../../ledger/storage/copy-before.ts';
import { Ledger, type LedgerReader } from '../../ledger/storage/ledger.ts';
import { sqlite } from '../../ledger/storage/query.ts';
import { lookInto } from '../../ledger/storage/read-only.ts';
import { DERIVED } from '../apply/projection.ts';

export const MB = 1_000_000;

export const STAGES = {
  pages: 'MB of pages',
  received: 'received records',
  chain: 'rows of the audit log',
  history: 'moves of the history',
  derived: DERIVED,
  compared: 'explanations to compare',
  index: 'texts of the search index',
  corrected: 'explanations to correct',
  restored: 'explanations to restore',
  copied: 'MB to copy',
  archives: 'MB of archives to copy',
  moved: 'received records to move',
} as const;

const stage = (of: keyof typeof STAGES, units: number): Stage => ({ name: STAGES[of], units });

/** Megabytes of a file; 0 without one. */
export const mbOf = (file: string): number => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) / MB;

interface Sizes {
  committed: number;
  applied: number;
  rows: number;
  moves: number;
  explanations: number;
}

function sizesOf(reader: LedgerReader): Sizes {
  const last = reader.first(sqlite.selectFrom('explanation').select(sql<number | null>`max(number)`.as('number')));
  const move = reader.first(sqlite.selectFrom('state_history').select(sql<number | null>`max(id)`.as('id')));
  return { ...readCursors(reader), rows: chainEnd(reader).seq, moves: move?.id ?? 0, explanations: last?.number ?? 0 };
}

/** @param file the ledger that is verified, or a file of its size */
export function verifyStages(reader: LedgerReader, file: string): Stage[] {
  const { committed, applied, rows, moves, explanations } = sizesOf(reader);
  return [
    stage('pages', mbOf(file)),
    stage('received', committed),
    stage('chain', rows),
    stage('history', moves),
    stage('derived', applied),
    stage('compared', explanations),
    stage('index', explanations),
  ];
}

export function rebuildStages(reader: LedgerReader): Stage[] {
  const { committed, applied, moves, explanations } = sizesOf(reader);
  return [
    stage('received', committed),
    stage('derived', applied),
    stage('history', moves),
    stage('compared', explanations),
    stage('index', explanations),
    stage('corrected', explanations),
    stage('restored', applied),
  ];
}

/** The entries of the commands that derive all of them first. */
export const deriveStages = (reader: LedgerReader): Stage[] => [stage('derived', readCursors(reader).applied)];

/** @param from the file that is copied, and whose archives lie beside it */
export function copyStages(reader: LedgerReader, from: string): Stage[] {
  const archives = archiveFiles(reader).filter((file) => existsSync(file));
  return [
    stage('copied', mbOf(from)),
    stage(
      'archives',
      archives.reduce((sum, file) => sum + mbOf(file), 0),
    ),
  ];
}

/** Of a backup that is not opened yet; without what the cloud has delivered since, which nobody can count before. */
export function restoreStages(backup: string): Stage[] {
  const told = lookInto(backup, (db) => {
    const reader = new Ledger(backup, db);
    const steps = stepsStage(db);
    return [...copyStages(reader, backup), ...(steps.units === 0 ? [] : [steps]), ...verifyStages(reader, backup)];
  });
  return told ?? [stage('copied', mbOf(backup))];
}

export const moveStages = (records: number): Stage[] => [stage('moved', records)];
