/**
 * Dismissed hits: a reviewer marks a word that a screening found in an explanation as false, with a reason. The
 * explanation and the screening stay unchanged; dismissals are counted beside the word.
 */
import { sql } from 'kysely';
import type { DismissedHit } from '../../../shared/wire/console/console.ts';
import { recordAction, type Actor } from '../audit/audit.ts';
import { storedExplanation } from '../explanations/explanations.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';
import { UnknownExplanationError, VersionMismatchError } from '../explanations/transitions.ts';
import { lastChecks } from '../explanations/screenings.ts';

/** The word was not found there, or has been dismissed already (409). */
export class NoHitError extends Error {
  override name = 'NoHitError';
}

export interface Dismissal {
  /** The id of the explanation. */
  id: string;
  wordId: string;
  reason: string;
  actor: Extract<Actor, { kind: 'MEMBER' }>;
  at: string;
  expectedVersion?: number;
}

/** The join follows the key of the hits. */
const foundIn = prepared(
  (id: string, wordId: string) => sql<{ found: number }>`
  SELECT EXISTS (SELECT 1 FROM explanation JOIN word_hit ON word_hit.received_at = explanation.received_at
    AND word_hit.explanation_id = explanation.id AND word_hit.word_id = ${wordId} WHERE explanation.id = ${id}) AS found`,
);

/** @throws UnknownExplanationError, VersionMismatchError, NoHitError */
export function dismissHit(tx: LedgerTransaction, dismissal: Dismissal): void {
  const { id, wordId, reason, actor, at, expectedVersion } = dismissal;
  const now = tx.first(sqlite.selectFrom('explanation').select(['status', 'version']).where('id', '=', id));
  if (now === undefined) throw new UnknownExplanationError(id);
  if (expectedVersion !== undefined && expectedVersion !== now.version) {
    throw new VersionMismatchError(now.status, now.version);
  }
  if (tx.first(foundIn(id, wordId))?.found !== 1) throw new NoHitError('No screening has found this word there.');
  if (dismissedHits(tx, id).some((one) => one.wordId === wordId)) {
    throw new NoHitError('This hit has been dismissed already.');
  }
  const row = { explanation_id: id, word_id: wordId, reason, author_id: actor.id, author: actor.displayName, at };
  tx.run(sqlite.insertInto('dismissed_hit').values(row));
  const hits = hitsOf(tx, id, wordId);
  const detail = { wordId, word: hits[0]?.word ?? null, found: hits.map(({ place }) => place), reason };
  recordAction(tx, { at, actor, action: 'review.dismiss-hit', targetType: 'explanation', targetId: id, detail });
}

/** Letters of context on each side of a recorded hit. */
const CONTEXT = 20;

/**
 * The places of the word in the last screening, each marked in its sentence: word and text may have changed when the
 * record is read.
 */
function hitsOf(reader: LedgerReader, id: string, wordId: string): { word: string; place: string }[] {
  const text = storedExplanation(reader, id)?.summary ?? '';
  return lastChecks(reader, id)
    .flatMap(({ hits }) => hits)
    .filter((hit) => hit.wordId === wordId)
    .map(({ word, start, end, matched }) => {
      const [before, after] = [text.slice(Math.max(0, start - CONTEXT), start), text.slice(end, end + CONTEXT)];
      return { word, place: `${before}[${matched}]${after} (${start}-${end})` };
    });
}

/** The dismissed hits of an explanation, earliest first. */
export function dismissedHits(reader: LedgerReader, id: string): DismissedHit[] {
  const rows = reader.all(
    sqlite.selectFrom('dismissed_hit').selectAll().where('explanation_id', '=', id).orderBy('at').orderBy('word_id'),
  );
  return rows.map(({ word_id, reason, author, at }) => ({ wordId: word_id, reason, displayName: author, at }));
}
