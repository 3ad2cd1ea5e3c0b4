/**
 * The review queue and its decisions (document 1 section 4, D12, D13). An explanation is a review item
 * under the same id, in whatever state it is: what has been decided can be looked at as well.
 */
import { z } from 'zod';
import {
  findExplanation,
  listExplanations,
  storedGrounds,
  type ExplanationRow,
} from '../../agent/ledger/explanations.ts';
import type { LedgerReader, LedgerTransaction } from '../../agent/ledger/ledger.ts';
import { applyMove, historyOf, UnknownExplanationError, type MoveRequest } from '../../agent/ledger/moves.ts';
import { lastChecks } from '../../agent/ledger/screenings.ts';
import {
  CHECKS,
  EXPLANATION_SORTS,
  type CheckResult,
  type Page,
  type ReviewDetail,
  type ReviewItem,
} from '../../shared/wire/console.ts';
import { pageOf } from '../../shared/wire/console/common.ts';
import { reviewDetailSchema, reviewItemSchema } from '../../shared/wire/console/review.ts';
import { actorOf, type Caller } from './context.ts';
import { endpoint, expectedVersion, tag, type Call } from './endpoint.ts';
import { refuseBlockedWords } from './edited-text.ts';
import { idPath, LONGEST, paging, requiredText, search, statuses, text } from './schemas.ts';

const listQuery = z.strictObject({
  ...paging,
  status: statuses.default(['PENDING_REVIEW']),
  /** A check that did not pass. */
  reason: z.enum(CHECKS).optional(),
  q: search,
  sort: z.enum(EXPLANATION_SORTS).default('waiting-longest'),
});

const approveBody = z.strictObject({ comment: text(LONGEST.comment).nullable().optional() }).optional();
const approveEditedBody = z.strictObject({
  edited_summary: requiredText(LONGEST.summary),
  comment: text(LONGEST.comment).nullable().optional(),
});
const reasonBody = z.strictObject({ reason: requiredText(LONGEST.reason) });

export const reviewHandlers = {
  'GET /api/v1/review/items': endpoint({
    summary: 'The review queue, page by page',
    result: pageOf(reviewItemSchema),
    query: listQuery,
    handle: ({ query, context }): Page<ReviewItem> => {
      const { status, reason, q, sort, page, size } = query;
      return context.ledger.read((reader) => {
        const { rows, total } = listExplanations(reader, {
          statuses: status,
          ...(reason === undefined ? {} : { failedCheck: reason }),
          ...(q === undefined ? {} : { q }),
          sort,
          page,
          size,
        });
        return { items: rows.map((row) => reviewItem(row, lastChecks(reader, row.id))), page, size, total };
      });
    },
  }),

  'GET /api/v1/review/items/{id}': endpoint({
    summary: 'One item with grounds, reasons, checks and history',
    result: reviewDetailSchema,
    path: idPath,
    handle: ({ path, context, reply }): ReviewDetail =>
      tag(
        reply,
        context.ledger.read((reader) => reviewDetail(reader, path.id)),
      ),
  }),

  'POST /api/v1/review/items/{id}/approve': endpoint({
    summary: 'Approve the text as received',
    result: reviewDetailSchema,
    path: idPath,
    body: approveBody,
    handle: (call): ReviewDetail => {
      const comment = call.body?.comment ?? null;
      // The comment stands in the history too: a later decision has a comment of its own.
      return decide(call, { move: 'approve', comment, reason: comment });
    },
  }),

  'POST /api/v1/review/items/{id}/approve-edited': endpoint({
    summary: 'Approve an edited text',
    result: reviewDetailSchema,
    path: idPath,
    body: approveEditedBody,
    missing: { field: 'edited_summary', code: 'REVIEW4002' },
    handle: (call): ReviewDetail => {
      const comment = call.body.comment ?? null;
      const editedText = call.body.edited_summary;
      return decide(call, { move: 'approve-edited', editedText, comment, reason: comment }, (tx) =>
        refuseBlockedWords(call.context.screener.of(tx), editedText),
      );
    },
  }),

  'POST /api/v1/review/items/{id}/reject': endpoint({
    summary: 'Reject',
    result: reviewDetailSchema,
    path: idPath,
    body: reasonBody,
    missing: { field: 'reason', code: 'REVIEW4001' },
    handle: (call): ReviewDetail => decide(call, { move: 'reject', reason: call.body.reason }),
  }),

  'POST /api/v1/review/items/{id}/block': endpoint({
    summary: 'Block',
    result: reviewDetailSchema,
    path: idPath,
    body: reasonBody,
    missing: { field: 'reason', code: 'REVIEW4001' },
    handle: (call): ReviewDetail => decide(call, { move: 'block', reason: call.body.reason }),
  }),
};

/**
 * Makes one decision, in one write. `refuse` may still throw after existence and state have been looked
 * at (D6); then nothing of it remains.
 */
function decide(
  { path, caller, context, request, reply }: Call<Caller, { id: string }, unknown, unknown>,
  decision: Pick<MoveRequest, 'move' | 'reason' | 'editedText' | 'comment'>,
  refuse?: (tx: LedgerTransaction) => void,
): ReviewDetail {
  const expected = expectedVersion(request);
  const at = context.clock.now().toISOString();
  return tag(
    reply,
    context.ledger.write((tx) => {
      applyMove(tx, { id: path.id, actor: actorOf(caller), at, ...decision, ...expected });
      refuse?.(tx);
      return reviewDetail(tx, path.id);
    }),
  );
}

function reviewItem(row: ExplanationRow, checks: readonly CheckResult[]): ReviewItem {
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
  };
}

/** @throws UnknownExplanationError */
function reviewDetail(reader: LedgerReader, id: string): ReviewDetail {
  const row = findExplanation(reader, id);
  if (row === undefined) throw new UnknownExplanationError(id);
  const checks = lastChecks(reader, id);
  return {
    ...reviewItem(row, checks),
    etf_instrument_id: row.etf_instrument_id,
    content_as_of: row.content_as_of,
    published_summary: row.published_summary,
    explanation_run_id: row.explanation_run_id,
    release_bundle_version: row.release_bundle_version,
    policyVersion: row.policy_version,
    grounds: storedGrounds(row),
    checks,
    history: historyOf(reader, id),
  };
}
