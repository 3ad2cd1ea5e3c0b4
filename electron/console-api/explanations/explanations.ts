/** The status board: lists, details, counts, and taking a text out of provision (console API 4). */
import { z } from 'zod';
import { lastReceivedAt, receivedCount, statusCounts } from '../../../agent/ledger/explanations/counts.ts';
import { listExplanations } from '../../../agent/ledger/explanations/lists.ts';
import { storedGrounds, toItem } from '../../../agent/ledger/explanations/items.ts';
import { findExplanation, snapshotsOf } from '../../../agent/ledger/explanations/explanations.ts';
import { screeningBlock } from '../../../agent/ledger/explanations/screening-blocks.ts';
import type { LedgerReader } from '../../../agent/ledger/storage/ledger.ts';
import { columnsIn, type VendorFields } from '../../../agent/ledger/storage/vendor-fields.ts';
import { exposureNumbers, heldNumbers } from '../../../agent/ledger/serving/visibility.ts';
import { UnknownExplanationError } from '../../../agent/ledger/explanations/transitions.ts';
import { historyOf } from '../../../agent/ledger/explanations/history.ts';
import { applyMove } from '../../../agent/ledger/transitions.ts';
import { sampleOf } from '../../../agent/ledger/review/samples.ts';
import { servedOf } from '../../../agent/ledger/serving/served.ts';
import { receptionState } from '../../../agent/ledger/inbox/sync-state.ts';
import { kstDate, kstMidnight } from '../../../shared/time/kst.ts';
import {
  EXPLANATION_SORTS,
  EXPOSURES,
  type ExplanationDetail,
  type ExplanationItem,
  type FeedStatus,
  type FoundPage,
  type StatusCounts,
} from '../../../shared/wire/console/console.ts';
import { foundPageOf } from '../../../shared/wire/console/common.ts';
import {
  explanationDetailSchema,
  explanationItemSchema,
  feedStatusSchema,
  statusCountsSchema,
} from '../../../shared/wire/console/explanation.ts';
import { refuseUnseen, unseenBy } from '../review/blind-reviews.ts';
import { actorOf, type Caller } from '../context/context.ts';
import { endpoint } from '../http/endpoint.ts';
import { consoleEvidence } from './evidence.ts';
import {
  acknowledgedFigures,
  acknowledgedWords,
  date,
  idPath,
  LONGEST,
  paging,
  receivedDays,
  receivedWithin,
  requiredText,
  requiredCustomerText,
  requiredWrittenText,
  search,
  statuses,
  writtenText,
} from '../http/schemas.ts';
import { screenAgain } from '../context/text-check.ts';

const listQuery = z.strictObject({
  ...paging,
  status: statuses.optional(),
  market: requiredText(LONGEST.search).optional(),
  tradeDateFrom: date.optional(),
  tradeDateTo: date.optional(),
  ...receivedDays,
  /** Id of a forbidden word that its screening has found. */
  word: requiredText(LONGEST.search).optional(),
  /** Only approved texts on hold. */
  held: z.literal('true').meta({ type: 'boolean', const: true }).optional(),
  /** Only texts that are exposed now, or that the scope alone keeps from them (D233). */
  exposure: z.enum(EXPOSURES).optional(),
  q: search,
  sort: z.enum(EXPLANATION_SORTS).default('newest'),
});

const finalBody = z.strictObject({
  published_summary: requiredCustomerText(LONGEST.summary),
  reason: writtenText(LONGEST.reason).nullable().optional(),
  acknowledgedWords,
  acknowledgedFigures,
});
const reasonBody = z.strictObject({ reason: requiredWrittenText(LONGEST.reason) });
const moveToReviewBody = z.strictObject({ reason: writtenText(LONGEST.reason).optional() }).optional();

export const explanationHandlers = {
  'GET /api/v1/explanations': endpoint({
    summary: 'Explanations, page by page',
    result: foundPageOf(explanationItemSchema),
    query: listQuery,
    handle: ({ query, context }): FoundPage<ExplanationItem> => {
      const { status, market, tradeDateFrom, tradeDateTo, word, held, exposure, q, sort, page, size } = query;
      const now = context.clock.now();
      const filter = {
        ...(status === undefined ? {} : { statuses: status }),
        ...(market === undefined ? {} : { market }),
        ...(tradeDateFrom === undefined ? {} : { tradeDateFrom }),
        ...(tradeDateTo === undefined ? {} : { tradeDateTo }),
        ...receivedWithin(query),
        ...(word === undefined ? {} : { word }),
        ...(held === undefined ? {} : { heldAt: now.toISOString() }),
        ...(q === undefined ? {} : { q }),
        sort,
        page,
        size,
      };
      const found = context.ledger.read((reader) => {
        const numbers = exposure === undefined ? {} : { numbers: exposureNumbers(reader, now)[exposure] };
        return listExplanations(reader, { ...filter, ...numbers }, now);
      });
      return { items: found.rows.map(toItem), page, size, total: found.total, more: found.more };
    },
  }),

  'GET /api/v1/explanations/feed-status': endpoint({
    summary: 'The state of the reception',
    result: feedStatusSchema,
    handle: ({ context }): FeedStatus => {
      const now = context.clock.now();
      const midnight = kstMidnight(kstDate(now)).toISOString();
      return context.ledger.read((reader) => ({
        state: receptionState(reader),
        lastReceivedAt: lastReceivedAt(reader),
        receivedToday: receivedCount(reader, { receivedFrom: midnight }),
        waiting: statusCounts(reader).PENDING_REVIEW,
        held: heldNumbers(reader, now.toISOString()).length,
      }));
    },
  }),

  'GET /api/v1/explanations/status-counts': endpoint({
    summary: 'How many explanations are in each state',
    result: statusCountsSchema,
    handle: ({ context }): StatusCounts => statusCounts(context.ledger),
  }),

  'GET /api/v1/explanations/{id}': endpoint({
    refuses: [409],
    summary: 'One explanation with its evidence',
    result: explanationDetailSchema,
    etag: 'version',
    path: idPath,
    handle: ({ path, caller, context }): ExplanationDetail =>
      context.ledger.read((reader) => {
        refuseUnseen(reader, caller, path.id);
        return explanationDetail(reader, path.id, context.clock.now(), caller);
      }),
  }),

  'PATCH /api/v1/explanations/{id}/final': endpoint({
    summary: 'Correct the exposed text in place',
    result: explanationDetailSchema,
    etag: 'version',
    ifMatch: true,
    path: idPath,
    body: finalBody,
    handle: ({ path, body, caller, context, expected, write }): Promise<ExplanationDetail> => {
      const { published_summary: editedSummary, reason = null } = body;
      return write((tx) => {
        const now = context.clock.now();
        const at = now.toISOString();
        const corrected = {
          id: path.id,
          move: 'correct' as const,
          actor: actorOf(caller),
          at,
          editedSummary,
          reason,
          ...expected,
        };
        const checked = {
          id: path.id,
          text: editedSummary,
          field: 'body.published_summary',
          words: body.acknowledgedWords ?? [],
          figures: body.acknowledgedFigures ?? [],
        } as const;
        applyMove(tx, { ...corrected, ...screenAgain(tx, context.screener, checked) });
        return explanationDetail(tx, path.id, now, caller);
      });
    },
  }),

  'POST /api/v1/explanations/{id}/stop': reasonedMove('stop', 'Stop the provision of a text'),

  'POST /api/v1/explanations/{id}/move-to-review': endpoint({
    summary: 'Send a text back to review',
    result: explanationDetailSchema,
    etag: 'version',
    ifMatch: true,
    path: idPath,
    body: moveToReviewBody,
    handle: ({ path, body, caller, context, expected, write }): Promise<ExplanationDetail> => {
      return write((tx) => {
        const now = context.clock.now();
        const at = now.toISOString();
        const reason = body?.reason ?? null;
        applyMove(tx, { id: path.id, move: 'move-to-review', actor: actorOf(caller), at, reason, ...expected });
        return explanationDetail(tx, path.id, now, caller);
      });
    },
  }),

  'POST /api/v1/explanations/{id}/unblock': reasonedMove(
    'unblock',
    'Send to review what the screening blocked; a block by a person is final',
  ),
};

/** A move that needs a reason. */
function reasonedMove(move: 'stop' | 'unblock', summary: string) {
  return endpoint({
    summary,
    result: explanationDetailSchema,
    etag: 'version',
    ifMatch: true,
    path: idPath,
    body: reasonBody,
    missing: { field: 'reason', code: 'REVIEW4001' },
    handle: ({ path, body, caller, context, expected, write }): Promise<ExplanationDetail> => {
      return write((tx) => {
        const now = context.clock.now();
        const at = now.toISOString();
        applyMove(tx, { id: path.id, move, actor: actorOf(caller), at, reason: body.reason, ...expected });
        return explanationDetail(tx, path.id, now, caller);
      });
    },
  });
}

/** All of the vendor's fields are in it. @throws UnknownExplanationError */
function explanationDetail(reader: LedgerReader, id: string, now: Date, caller: Caller): ExplanationDetail {
  const row = findExplanation(reader, id, now);
  if (row === undefined) throw new UnknownExplanationError(id);
  const { source_events, evidences } = storedGrounds(row);
  const snapshots = snapshotsOf(reader, row, now);
  const others = snapshots.map((snapshot) => snapshot.id).filter((other) => other !== id);
  const unseen = unseenBy(reader, caller, others);
  return {
    ...columnsIn(row, explanationDetailSchema.shape),
    ...toItem(row),
    source_events,
    evidences: evidences.map(consoleEvidence),
    snapshots: snapshots.map((snapshot) =>
      unseen.has(snapshot.id) ? { ...snapshot, status: null, exposed: null } : snapshot,
    ),
    history: historyOf(reader, id, caller.member.id),
    served: servedOf(reader, id),
    sample: sampleOf(reader, id),
    canUnblock: screeningBlock(reader, id) !== undefined,
  } satisfies ExplanationDetail & Record<keyof VendorFields, unknown>;
}
