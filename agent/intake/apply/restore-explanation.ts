/**
 * Restores the lost row of an explanation that the history or the audit log still knows: people's decisions stay, and
 * where a decision is uncertain a person decides again.
 */
import type { Came } from '../../ledger/serving/ahead.ts';
import { explanationId, insertRow } from '../../ledger/explanations/explanations.ts';
import { firstCursorOf } from '../../ledger/explanations/position.ts';
import { insertExplanation } from '../../ledger/transitions.ts';
import { isDecidedOnRecord, isHistoryOnRecord, rememberedOf, wasHeldBack } from '../../ledger/explanations/history.ts';
import type { LedgerTransaction } from '../../ledger/storage/ledger.ts';
import { recordFact } from '../../ledger/serving/record.ts';
import { isExposable } from '../../ledger/explanations/transition-table.ts';
import type { Screened } from '../../ledger/explanations/screenings.ts';
import type { NewEntry } from '../../../shared/wire/bundle.ts';
import type { VendorFields } from '../../ledger/storage/vendor-fields.ts';
import { CommittedEntries } from './committed-entries.ts';
import { isScreened, stateColumns } from './explanation-faults.ts';
import { rescreen } from './rescreen.ts';
import type { ScreenEntry } from './screening.ts';

interface Lost {
  entry: NewEntry;
  fields: VendorFields;
  /** The cursor of the entry that gave the fields. */
  cursor: number;
  /** That of its first entry. */
  firstCursor: number;
  /** When that entry came, and when the one that gave the fields did. */
  receivedAt: string;
  came: Came;
  /** The least number of entries that have changed it. */
  changes: number;
  /** The text of its first entry. */
  firstText: string;
  /** The caller withdraws it in the same transaction. */
  isWithdrawn: boolean;
  /** Its history says other than the audit log. */
  isUntold?: boolean;
}

/** Restores the state from the explanation's history, or, without a history, from a new screening. */
export function restoreExplanation(
  tx: LedgerTransaction,
  lost: Lost,
  { at, screenEntry }: { at: string; screenEntry: ScreenEntry },
): void {
  const { entry, fields, cursor, firstCursor, receivedAt, came } = lost;
  const id = explanationId(fields.explanation_result_id);
  const standing = rememberedOf(tx, id, lost.firstText);
  if (standing === undefined) {
    const found = screenEntry(tx, entry);
    const isKept = isDecidedOnRecord(tx, id) || (found.screened.outcome === 'AUTO_PUBLISHED' && wasHeldBack(tx, id));
    const taken = isKept ? forPerson(found.screened) : found;
    insertExplanation(tx, fields, {
      cursor,
      firstCursor,
      at,
      receivedAt,
      came,
      ...(lost.isWithdrawn ? withdrawnBefore(found.screened) : taken),
    });
    return;
  }
  const version = standing.moves + standing.versionBesideMoves + lost.changes;
  const row = { ...fields, ...stateColumns(standing), id, cursor, received_at: receivedAt, version };
  tx.run(insertRow(row));
  recordFact(tx, at, 'CORRECTED', row.etf_ticker, {});
  if (standing.status === 'INVALIDATED' || lost.isWithdrawn) return;
  const isDoubted = isExposable(standing.status) && (lost.isUntold === true || !isHistoryOnRecord(tx, id, standing));
  if (!isDoubted && isScreened({ ...row, published_summary: null }, standing, fields.summary)) return;
  const known = { id, decided: isDoubted || standing.decided === 1 };
  rescreen(tx, entry, known, { at, came, screenEntry, reason: isDoubted ? DOUBTED : NEVER_SCREENED });
}

/** The fields with which an id was first received; undefined where their bundle is gone. */
export function firstFields(tx: LedgerTransaction, id: string): VendorFields | undefined {
  const cursor = firstCursorOf(tx, id);
  try {
    const fields = cursor === undefined ? undefined : new CommittedEntries(tx).newAt(cursor).fields;
    // After bundles were set aside another entry may stand there.
    return fields !== undefined && explanationId(fields.explanation_result_id) === id ? fields : undefined;
  } catch {
    return undefined;
  }
}

/** Inserts an explanation whose withdrawal is already known: no record may say that it was ever exposed. */
export function withdrawnBefore(screened: Screened): { screened: Screened; reason: string } {
  const outcome = screened.outcome === 'AUTO_PUBLISHED' ? 'PENDING_REVIEW' : screened.outcome;
  return { screened: { ...screened, outcome }, reason: WITHDRAWN_BEFORE };
}

/** Inserts into review an explanation whose earlier decision or screening is lost: a person decides. */
function forPerson(screened: Screened): { screened: Screened; reason: string } {
  return { screened: { ...screened, outcome: 'PENDING_REVIEW' }, reason: DOUBTED };
}

const WITHDRAWN_BEFORE =
  '도착하기 전에 공급사가 철회한 설명으로, 제공되지 않았습니다. (withdrawn by the vendor before it arrived)';

/** For the history. */
export const NEVER_SCREENED = '심사 기록이 없는 본문이어서 심사하였습니다. (the text had never been screened)';
export const DOUBTED =
  '이전 결정의 기록이 온전하지 않아 재심사로 보냅니다. (what is on record of an earlier decision is not whole)';
