/**
 * The stages of the long commands on a ledger, with rates measured over 408,000 explanations (test/bench/README.md). Counting them costs a few look-ups, however large the ledger is.
 */
import { existsSync, statSync } from 'node:fs';
import { sql } from 'kysely';
import type { Stage } from '../../../shared/service/long-work/estimate.ts';
import { chainEnd } from '../../ledger/audit/audit.ts';
import { archiveFiles } from '../../ledger/inbox/raw-archive.ts';
import { readCursors } from '../../ledger/inbox/raw-bundles.ts';
import { stepsStage } from '../../ledger/storage/copy-before.ts';
import { Ledger, sqlite, type LedgerReader } from '../../ledger/storage/ledger.ts';
import { lookInto } from '../../ledger/storage/read-only.ts';
import { DERIVED } from '../apply/projection.ts';

export const MB = 1_000_000;

/** The stages by their names, each with its units in a second. */
export const RATES = {
  pages: { name: 'MB of pages', perSecond: 150 },
  received: { name: 'received records', perSecond: 40_000 },
  chain: { name: 'rows of the audit log', perSecond: 100_000 },
  history: { name: 'moves of the history', perSecond: 60_000 },
  derived: { name: DERIVED, perSecond: 20_000 },
  compared: { name: 'explanations to compare', perSecond: 6_500 },
  index: { name: 'texts of the search index', perSecond: 40_000 },
  corrected: { name: 'explanations to correct', perSecond: 6_500 },
  restored: { name: 'explanations to restore', perSecond: 500_000 },
  copied: { name: 'MB to copy', perSecond: 300 },
  archives: { name: 'MB of archives to copy', perSecond: 300 },
  moved: { name: 'received records to move', perSecond: 10_000 },
} as const;

const stage = (of: keyof typeof RATES, units: number): Stage => ({ ...RATES[of], units });

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
