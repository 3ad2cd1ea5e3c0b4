/**
 * The review queue and its decisions (document 1 section 4, D12, D13). An explanation is a review item
 * under the same id, in whatever state it is: what has been decided can be looked at as well.
 */
import { z } from 'zod';
import { claimItem, dropClaims, releaseItem, viewersOf } from '../../agent/ledger/claims.ts';
import { dismissedHits } from '../../agent/ledger/dismissed-hits.ts';
import { letEditWait, savedComment, saveDraft } from '../../agent/ledger/drafts.ts';
import { listExplanations } from '../../agent/ledger/explanation-lists.ts';
import {
  findExplanation,
  storedExplanation,
  storedGrounds,
  type ExplanationRow,
} from '../../agent/ledger/explanations.ts';
import type { LedgerReader, LedgerTransaction } from '../../agent/ledger/ledger.ts';
import {
  applyMove,
  historyOf,
  UnknownExplanationError,
  type LookedAt,
  type MoveRequest,
} from '../../agent/ledger/moves.ts';
import { lastChecks } from '../../agent/ledger/screenings.ts';
import { opinionsFor } from '../../agent/ledger/second-opinions.ts';
import { MATCHER_VERSION } from '../../agent/screening/matcher.ts';
import { editsForSecond, isFirstOfTwo, type WaitingEdit } from '../../agent/ledger/waiting-edits.ts';
import {
  AWAITED,
  CHECKS,
  EXPLANATION_SORTS,
  type CheckResult,
  type FoundPage,
  type ClaimAnswer,
  type ReviewClaim,
  type ReviewDetail,
  type ReviewItem,
} from '../../shared/wire/console.ts';
import { foundPageOf } from '../../shared/wire/console/common.ts';
import { claimAnswerSchema, reviewDetailSchema, reviewItemSchema } from '../../shared/wire/console/review.ts';
import { noteLooks } from './blind-reviews.ts';
import { actorOf, type Caller, type ConsoleContext } from './context.ts';
import { endpoint, type Call } from './endpoint.ts';
import {
  acknowledgedWords,
  idPath,
  LONGEST,
  paging,
  requiredText,
  requiredWrittenText,
  search,
  statuses,
  text,
  writtenText,
} from './schemas.ts';
import { broughtUpBy, showText, type CheckedText } from './text-check.ts';

const listQuery = z.strictObject({
  ...paging,
  status: statuses.default(['PENDING_REVIEW']),
  /** A check that did not pass. */
  reason: z.enum(CHECKS).optional(),
  /** What it waits for another person to do. */
  awaited: z.enum(AWAITED).optional(),
  q: search,
  sort: z.enum(EXPLANATION_SORTS).default('waiting-longest'),
});

const comment = text(LONGEST.comment).nullable().optional();
/** Said by who has asked for a second opinion and decides before it is given. */
const withoutOpinion = z.boolean().optional();
const approveBody = z.strictObject({ comment, acknowledgedWords, withoutOpinion }).optional();
const approveEditedBody = z.strictObject({
  edited_summary: requiredWrittenText(LONGEST.summary),
  comment,
  acknowledgedWords,
  withoutOpinion,
});
/** A draft may be empty for a while; null takes it away. */
const draftBody = z.strictObject({ edited_summary: writtenText(LONGEST.summary).nullable(), comment });
const reasonBody = z.strictObject({ reason: requiredText(LONGEST.reason) });

export const reviewHandlers = {
  'GET /api/v1/review/items': endpoint({
    summary: 'The review queue, page by page',
    result: foundPageOf(reviewItemSchema),
    query: listQuery,
    handle: ({ query, caller, context }): FoundPage<ReviewItem> => {
      const { status, reason, awaited, q, sort, page, size } = query;
      const found = context.ledger.read((reader) => {
        const filter = {
          statuses: status,
          ...(reason === undefined ? {} : { failedCheck: reason }),
          ...(awaited === undefined ? {} : { awaited }),
          ...(q === undefined ? {} : { q }),
          sort,
          page,
          size,
        };
        const { rows, total, more } = listExplanations(reader, filter, context.clock.now());
        const beside = besideItems(reader, rows, caller, context);
        return {
          items: rows.map((row) => reviewItem(row, lastChecks(reader, row.id), beside(row.id))),
          page,
          size,
          total,
          more,
        };
      });
      // Beside the states stand the comments and the edited texts.
      noteLooks(
        context,
        caller,
        found.items.map(({ id }) => id),
      );
      return found;
    },
  }),

  'GET /api/v1/review/items/{id}': endpoint({
    summary: 'One item with grounds, reasons, checks and history',
    result: reviewDetailSchema,
    etag: 'version',
    path: idPath,
    handle: (call): ReviewDetail => {
      const detail = call.context.ledger.read((reader) => reviewDetail(reader, call));
      noteLooks(call.context, call.caller, [detail.id]);
      return detail;
    },
  }),

  'POST /api/v1/review/items/{id}/approve': endpoint({
    summary: 'Approve the text as received',
    result: reviewDetailSchema,
    etag: 'version',
    ifMatch: true,
    path: idPath,
    body: approveBody,
    handle: (call): ReviewDetail => {
      return decide(call, { move: 'approve', ...without(call.body) }, (tx) => {
        const { id } = call.path;
        // What its screening has put before the reviewer is what they decide about; what has become a finding
        // since then they must be told first.
        const told = lastChecks(tx, id).flatMap(broughtUpBy);
        return {
          text: storedExplanation(tx, id)?.summary ?? '',
          field: 'summary',
          acknowledged: [...told, ...(call.body?.acknowledgedWords ?? [])],
          comment: call.body?.comment,
        };
      });
    },
  }),

  'POST /api/v1/review/items/{id}/approve-edited': endpoint({
    summary: 'Approve an edited text; where the policy wants two people, the first one lets it wait for the second',
    result: reviewDetailSchema,
    etag: 'version',
    ifMatch: true,
    path: idPath,
    body: approveEditedBody,
    missing: { field: 'edited_summary', code: 'REVIEW4002' },
    handle: (call): ReviewDetail => {
      const { edited_summary: editedText, acknowledgedWords: acknowledged = [], comment: given } = call.body;
      return decide(call, { move: 'approve-edited', editedText, ...without(call.body) }, () => ({
        text: editedText,
        field: 'body.edited_summary',
        acknowledged,
        comment: given,
      }));
    },
  }),

  'POST /api/v1/review/items/{id}/reject': endpoint({
    summary: 'Reject',
    result: reviewDetailSchema,
    etag: 'version',
    ifMatch: true,
    path: idPath,
    body: reasonBody,
    missing: { field: 'reason', code: 'REVIEW4001' },
    handle: (call): ReviewDetail => decide(call, { move: 'reject', reason: call.body.reason }),
  }),

  'POST /api/v1/review/items/{id}/block': endpoint({
    summary: 'Block',
    result: reviewDetailSchema,
    etag: 'version',
    ifMatch: true,
    path: idPath,
    body: reasonBody,
    missing: { field: 'reason', code: 'REVIEW4001' },
    handle: (call): ReviewDetail => decide(call, { move: 'block', reason: call.body.reason }),
  }),

  'PUT /api/v1/review/items/{id}/draft': endpoint({
    summary: 'Keep what a reviewer is writing; the answer says what it hits',
    result: reviewDetailSchema,
    etag: 'version',
    ifMatch: true,
    path: idPath,
    body: draftBody,
    handle: (call): ReviewDetail => {
      const { path, body, caller, context, expected } = call;
      const at = context.clock.now().toISOString();
      return context.ledger.write((tx) => {
        const { edited_summary, comment: given } = body;
        const comment = given === undefined ? {} : { comment: given };
        saveDraft(tx, { id: path.id, actor: actorOf(caller), at, text: edited_summary, ...comment, ...expected });
        return reviewDetail(tx, call);
      });
    },
  }),

  'POST /api/v1/review/items/{id}/claim': endpoint({
    summary: 'Say that one is looking at an item, or still is; the answer tells who is',
    result: claimAnswerSchema,
    ifMatch: true,
    path: idPath,
    handle: ({ path, caller, context, expected }): ClaimAnswer => {
      const at = context.clock.now();
      return context.ledger.write((tx) => {
        claimItem(tx, { id: path.id, actor: actorOf(caller), token: caller.token, at, ...expected });
        return { claims: claimsFor(tx, [path], caller, context)(path.id) };
      });
    },
  }),

  'DELETE /api/v1/review/items/{id}/claim': endpoint({
    summary: 'Say that one is not looking any more',
    result: claimAnswerSchema,
    ifMatch: true,
    path: idPath,
    handle: ({ path, caller, context, expected }): ClaimAnswer =>
      context.ledger.write((tx) => {
        const at = context.clock.now();
        releaseItem(tx, { id: path.id, actor: actorOf(caller), token: caller.token, at, ...expected });
        return { claims: claimsFor(tx, [path], caller, context)(path.id) };
      }),
  }),
};

/**
 * Makes one decision, in one write. A text that it shows is screened once existence and state have been
 * looked at (D6); where that refuses, nothing of the decision remains.
 */
function decide(
  call: Call<Caller, { id: string }, unknown, unknown>,
  decision: Pick<MoveRequest, 'move' | 'reason' | 'editedText' | 'withoutOpinion'>,
  shown?: (tx: LedgerTransaction) => CheckedText & { comment: string | null | undefined },
): ReviewDetail {
  const { path, caller, context, expected } = call;
  return context.ledger.write((tx) => {
    const at = context.clock.now().toISOString();
    const made = { id: path.id, actor: actorOf(caller), at, ...decision, ...expected };
    if (shown === undefined) applyMove(tx, made);
    else {
      const { comment: given, ...checked } = shown(tx);
      // The comment stands in the history too: a decision has its own, or the one that was written towards it.
      const said = given === undefined ? savedComment(tx, path.id) : given;
      showText(context.screener.of(tx), checked, (looked) => put(tx, { ...made, looked, comment: said, reason: said }));
    }
    dropClaims(tx, path.id);
    return reviewDetail(tx, call);
  });
}

/** Puts a text on show, or lets it wait where the policy wants a second person and there is none yet. */
function put(
  tx: LedgerTransaction,
  request: MoveRequest & { actor: ReturnType<typeof actorOf>; looked: LookedAt },
): void {
  const { editedText: text, comment = null } = request;
  if (request.move === 'approve-edited' && text !== undefined && isFirstOfTwo(tx, { ...request, text })) {
    letEditWait(tx, { ...request, text, comment });
  } else applyMove(tx, request);
}

const without = (body: { withoutOpinion?: boolean | undefined } | undefined): { withoutOpinion?: boolean } =>
  body?.withoutOpinion === undefined ? {} : { withoutOpinion: body.withoutOpinion };

/** What stands beside an item, as this caller sees it. */
type BesideItem = Pick<ReviewItem, 'claims' | 'waitingEdit' | 'opinion'>;

function besideItems(
  reader: LedgerReader,
  items: readonly { id: string }[],
  caller: Caller,
  context: ConsoleContext,
): (id: string) => BesideItem {
  const claims = claimsFor(reader, items, caller, context);
  const ids = items.map(({ id }) => id);
  const edits = editsForSecond(reader, ids);
  const opinions = opinionsFor(reader, ids, caller.member.id);
  return (id) => ({
    claims: claims(id),
    waitingEdit: seenEdit(edits.get(id), caller),
    opinion: opinions.get(id) ?? null,
  });
}

function seenEdit(edit: WaitingEdit | undefined, caller: Caller): ReviewItem['waitingEdit'] {
  if (edit === undefined) return null;
  const { authorId, author, at } = edit;
  return { displayName: author, at, mine: authorId === caller.member.id };
}

/** The claims on items as this caller sees them. */
function claimsFor(
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

function reviewItem(row: ExplanationRow, checks: readonly CheckResult[], beside: BesideItem): ReviewItem {
  return {
    id: row.id,
    explanation_result_id: row.explanation_result_id,
    etf_ticker: row.etf_ticker,
    etf_name: row.etf_name,
    market: row.market,
    trade_date: row.trade_date,
    explanation_as_of: row.explanation_as_of,
    explanation_type: row.explanation_type,
    confidence_level: row.confidence_level,
    observed_return: row.observed_return,
    status: row.status,
    summary: row.summary,
    reasons: checks
      .filter(({ verdict }) => verdict !== 'PASS')
      .map(({ check, verdict, code, parameters, message, hits }) => ({
        check,
        verdict,
        code,
        parameters,
        message,
        hits,
      })),
    edited_summary: row.edited_summary,
    comment: row.comment,
    version: row.version,
    receivedAt: row.received_at,
    waitingSince: row.status_since,
    ...beside,
  };
}

/** Until when it is held, and how long that is: a screen's clock need not be this one. */
function holdOf({ obstacle, held_until }: ExplanationRow, now: Date): ReviewDetail['held'] {
  if (obstacle !== 'HELD' || held_until === null) return null;
  return { until: held_until, leftMs: Math.max(0, Date.parse(held_until) - now.getTime()) };
}

/** @throws UnknownExplanationError */
function reviewDetail(
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
  return {
    ...reviewItem(row, checks, besideItems(reader, [row], caller, context)(id)),
    etf_instrument_id: row.etf_instrument_id,
    content_as_of: row.content_as_of,
    published_summary: row.published_summary,
    explanation_run_id: row.explanation_run_id,
    release_bundle_version: row.release_bundle_version,
    policyVersion: row.policy_version,
    held: holdOf(row, now),
    grounds: storedGrounds(row),
    dismissed: dismissedHits(reader, id),
    checks,
    hitsNow: {
      policyVersion: screener.policyVersion,
      matcherVersion: MATCHER_VERSION,
      summary: screener.findWords(row.summary),
      edited_summary: row.edited_summary === null ? null : screener.findWords(row.edited_summary),
    },
    history: historyOf(reader, id),
  };
}
