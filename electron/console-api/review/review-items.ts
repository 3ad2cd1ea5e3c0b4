/** A review item as the console API answers it (D56), from the caller's point of view. */
import { carriedEdits } from '../../../agent/ledger/review/authors.ts';
import type { Author } from '../../../agent/ledger/audit/authors.ts';
import { laterOf } from '../../../agent/ledger/serving/candidate.ts';
import { viewersOf } from '../../../agent/ledger/review/claims.ts';
import { dismissedHits } from '../../../agent/ledger/review/dismissed-hits.ts';
import { draftId, draftsOf, type StoredDraft } from '../../../agent/ledger/review/drafts.ts';
import { sharedFields, storedGrounds } from '../../../agent/ledger/explanations/items.ts';
import { findExplanation, type ExplanationRow } from '../../../agent/ledger/explanations/explanations.ts';
import type { LedgerReader } from '../../../agent/ledger/storage/ledger.ts';
import { UnknownExplanationError } from '../../../agent/ledger/explanations/transitions.ts';
import { historyOf } from '../../../agent/ledger/explanations/history.ts';
import { lastChecks } from '../../../agent/ledger/explanations/screenings.ts';
import { handOversFor } from '../../../agent/ledger/review/hand-overs.ts';
import { postponedUntil } from '../../../agent/ledger/review/postponed.ts';
import { opinionsFor } from '../../../agent/ledger/review/second-opinions.ts';
import { editsForSecond, isSecondPerson, type WaitingEdit } from '../../../agent/ledger/review/waiting-edits.ts';
import { MATCHER_VERSION } from '../../../agent/screening/matcher.ts';
import type { RecordedCheck } from '../../../agent/screening/recorded.ts';
import { withMessage, withWhy } from '../../../agent/screening/sentences.ts';
import type { Screener } from '../../../agent/screening/screen.ts';
import type { ReviewClaim, ReviewDetail, ReviewItem, WordHit } from '../../../shared/wire/console/console.ts';
import type { MissingNotice } from '../../../shared/wire/console/screening.ts';
import type { Caller, ConsoleContext } from '../context/context.ts';
import { failedChecks } from '../context/text-check.ts';
import type { Call } from '../http/endpoint.ts';

/** The facts beside an item, from the caller's point of view. */
type ItemContext = Pick<
  ReviewItem,
  'claims' | 'later' | 'postponedUntil' | 'handedOver' | 'waitingEdit' | 'opinion'
> & {
  drafts: readonly StoredDraft[];
  own: StoredDraft | undefined;
  /** The comment of a waiting edit's first approver. */
  firstComment: string | null;
};

export function contextOf(
  reader: LedgerReader,
  items: readonly ExplanationRow[],
  caller: Caller,
  context: ConsoleContext,
): (id: string) => ItemContext {
  const claims = claimsFor(reader, items, caller, context);
  const ids = items.map(({ id }) => id);
  const later = new Map(items.map((row) => [row.id, laterThan(reader, row, context.clock.now())]));
  const edits = editsForSecond(reader, ids);
  const opinions = opinionsFor(reader, ids, caller.member.id);
  const drafts = draftsOf(reader, ids);
  const handedOver = handOversFor(reader, ids, caller.member.id);
  const postponed = postponedUntil(reader, ids, caller.member.id, context.clock.now());
  return (id) => ({
    claims: claims(id),
    later: later.get(id) ?? null,
    postponedUntil: postponed.get(id) ?? null,
    handedOver: handedOver.get(id) ?? null,
    waitingEdit: seenEdit(edits.get(id), caller),
    opinion: opinions.get(id) ?? null,
    drafts: drafts.get(id) ?? [],
    own: drafts.get(id)?.find(({ memberId }) => memberId === caller.member.id),
    firstComment: edits.get(id)?.comment ?? null,
  });
}

/** Only for a waiting item does it matter whether it would be exposed. */
function laterThan(reader: LedgerReader, row: ExplanationRow, now: Date): ReviewItem['later'] {
  const later = row.status === 'PENDING_REVIEW' ? laterOf(reader, row, now) : undefined;
  return later === undefined ? null : { ...later, replaces: later.replaces === 1 };
}

function seenEdit(edit: WaitingEdit | undefined, caller: Caller): ReviewItem['waitingEdit'] {
  if (edit === undefined) return null;
  const { firstId, first, at, text: written } = edit;
  const mine = !isSecondPerson(edit, caller.member.id);
  const approvedByMe = firstId === caller.member.id;
  return { displayName: first, at, text: written, authors: namesOf(edit), mine, approvedByMe };
}

/** The claims on items, from the caller's point of view. */
export function claimsFor(
  reader: LedgerReader,
  items: readonly { id: string }[],
  caller: Caller,
  context: ConsoleContext,
): (id: string) => ReviewClaim[] {
  const ids = items.map(({ id }) => id);
  const viewers = viewersOf(reader, ids, context.clock.now(), context.limits);
  return (id) =>
    (viewers.get(id) ?? []).map(({ memberId, ...viewer }) => ({ ...viewer, mine: memberId === caller.member.id }));
}

const namesOf = ({ authors }: { authors: readonly Author[] }): string[] => authors.map(({ name }) => name);

export function reviewItem(
  row: ExplanationRow,
  checks: readonly RecordedCheck[],
  { own, drafts: _, firstComment, ...beside }: ItemContext,
): ReviewItem {
  const isWaiting = row.status === 'PENDING_REVIEW';
  const writing = isWaiting ? own : undefined;
  return {
    ...sharedFields(row),
    reasons: failedChecks(checks),
    edited_summary: writing?.text ?? beside.waitingEdit?.text ?? row.edited_summary,
    comment: writing?.comment ?? firstComment ?? row.comment,
    waitingSince: row.status_since,
    ...beside,
  };
}

/** The end of the hold and its remaining time: a screen's clock may differ from this one. */
function holdOf({ obstacle, held_until }: ExplanationRow, now: Date): ReviewDetail['held'] {
  if (obstacle !== 'HELD' || held_until === null) return null;
  return { until: held_until, leftMs: Math.max(0, Date.parse(held_until) - now.getTime()) };
}

/** @throws UnknownExplanationError */
export function reviewDetail(
  reader: LedgerReader,
  {
    path: { id },
    caller,
    context,
  }: Pick<Call<Caller, { id: string }, unknown, unknown>, 'path' | 'caller' | 'context'>,
): ReviewDetail {
  const now = context.clock.now();
  const row = findExplanation(reader, id, now);
  if (row === undefined) throw new UnknownExplanationError(id);
  const checks = lastChecks(reader, id);
  const screener = context.screener.of(reader);
  const beside = contextOf(reader, [row], caller, context)(id);
  const item = reviewItem(row, checks, beside);
  const underReview = textUnderReview(reader, row, screener);
  const draft = ownDraft(beside.own, screener);
  const summary = wordsIn(screener, row.summary);
  const hits = [...underReview.hits, ...summary, ...(draft?.hits ?? [])];
  return {
    ...item,
    etf_instrument_id: row.etf_instrument_id,
    content_as_of: row.content_as_of,
    published_summary: row.published_summary,
    exposed: row.obstacle === null,
    obstacle: row.obstacle,
    underReview,
    draft,
    replacements: context.screener.replacementsFor(reader, hits),
    colleagueDrafts: colleagueDrafts(row, beside, caller),
    explanation_run_id: row.explanation_run_id,
    release_bundle_version: row.release_bundle_version,
    policyVersion: row.policy_version,
    held: holdOf(row, now),
    grounds: storedGrounds(row),
    dismissed: dismissedHits(reader, id),
    checks: checks.map(withMessage),
    hitsNow: {
      policyVersion: screener.policyVersion,
      matcherVersion: MATCHER_VERSION,
      summary,
      edited_summary: item.edited_summary === null ? null : wordsIn(screener, item.edited_summary),
      missing: {
        summary: missingFrom(screener, row.summary),
        edited_summary: item.edited_summary === null ? null : missingFrom(screener, item.edited_summary),
      },
    },
    history: historyOf(reader, id, caller.member.id),
  };
}

function missingFrom(screener: Screener, text: string): MissingNotice[] {
  return screener
    .missingNotices(text)
    .map(({ notice: { id, name, terms }, severity }) => ({ noticeId: id, name, severity, terms }));
}

const wordsIn = (screener: Screener, text: string): WordHit[] => screener.findWords(text).map(withWhy);

/** The objections to a text under the active policy. */
function objectionsTo(screener: Screener, text: string): { hits: WordHit[]; missing: MissingNotice[] } {
  return { hits: wordsIn(screener, text), missing: missingFrom(screener, text) };
}

/** The text that an approval is about. An edit of a text that the vendor has changed since does not count. */
function textUnderReview(reader: LedgerReader, row: ExplanationRow, screener: Screener): ReviewDetail['underReview'] {
  const edit = row.status === 'PENDING_REVIEW' ? carriedEdits(reader, row.id)[0] : undefined;
  if (edit === undefined || edit.isOutdated)
    return { source: 'RECEIVED', text: row.summary, authors: [], ...objectionsTo(screener, row.summary) };
  const { source, text: written } = edit;
  return { source, text: written, authors: namesOf(edit), ...objectionsTo(screener, written) };
}

function ownDraft(own: StoredDraft | undefined, screener: Screener): ReviewDetail['draft'] {
  if (own === undefined) return null;
  const { text: written, comment: said, version, at } = own;
  const objections = written === null ? { hits: [], missing: [] } : objectionsTo(screener, written);
  return { text: written, comment: said, version, at, authors: namesOf(own), ...objections };
}

/** A draft equal to the received text is left out. */
function colleagueDrafts(
  { id, summary, status }: ExplanationRow,
  { drafts }: ItemContext,
  caller: Caller,
): ReviewDetail['colleagueDrafts'] {
  if (status !== 'PENDING_REVIEW') return [];
  return drafts
    .filter((draft) => draft.memberId !== caller.member.id && draft.text !== null && draft.text !== summary)
    .map((draft) => ({
      id: draftId(id, draft.memberId),
      displayName: draft.displayName,
      at: draft.at,
      authors: namesOf(draft),
    }));
}
