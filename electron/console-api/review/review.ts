/**
 * The review queue and its decisions (console API 4, D12, D13). Every explanation is a review item under the same id;
 * decided ones can be opened too.
 *
 * Before it: `agent/intake/apply/apply.ts`. After it: `agent/ledger/transitions.ts`.
 */
import { z } from 'zod';
import { carriedEdits } from '../../../agent/ledger/review/authors.ts';
import { claimItem, dropClaims, releaseItem } from '../../../agent/ledger/review/claims.ts';
import {
  draftsOf,
  letEditWait,
  savedComment,
  saveDraft,
  spendDraft,
  takeDraftOver,
} from '../../../agent/ledger/review/drafts.ts';
import { lateNumbers, splitNumbers } from '../../../agent/ledger/review/splits.ts';
import { listExplanations } from '../../../agent/ledger/explanations/lists.ts';
import { storedExplanation } from '../../../agent/ledger/explanations/explanations.ts';
import type { LedgerReader, LedgerTransaction } from '../../../agent/ledger/storage/ledger.ts';
import type { MoveRequest } from '../../../agent/ledger/explanations/transitions.ts';
import { applyMove } from '../../../agent/ledger/transitions.ts';
import { lastChecks } from '../../../agent/ledger/explanations/screenings.ts';
import { endOf, postpone, resume } from '../../../agent/ledger/review/postponed.ts';
import { isFirstOfTwo } from '../../../agent/ledger/review/waiting-edits.ts';
import {
  SPLITS,
  CHECKS,
  EXPLANATION_SORTS,
  POSTPONEMENTS,
  type ClaimAnswer,
  type FoundPage,
  type ReviewDetail,
  type ReviewItem,
} from '../../../shared/wire/console/console.ts';
import { foundPageOf } from '../../../shared/wire/console/common.ts';
import {
  claimAnswerSchema,
  postponementAnswerSchema,
  reviewDetailSchema,
  reviewItemSchema,
  type PostponementAnswer,
} from '../../../shared/wire/console/review.ts';
import { ApiError } from '../../../shared/wire/envelope.ts';
import { refuseUnseen, unseenBy } from './blind-reviews.ts';
import { actorOf, type Caller } from '../context/context.ts';
import { countOwnChange } from '../http/access.ts';
import { endpoint, type Call } from '../http/endpoint.ts';
import { contextOf, claimsFor, reviewDetail, reviewItem } from './review-items.ts';
import {
  acknowledgedFigures,
  acknowledgedWords,
  customerText,
  idPath,
  LONGEST,
  paging,
  requiredCustomerText,
  requiredText,
  requiredWrittenText,
  search,
  statuses,
  writtenText,
} from '../http/schemas.ts';
import { broughtUpBy, screenAgain, type CheckedText, type ScreenedAgain } from '../context/text-check.ts';

const listQuery = z.strictObject({
  ...paging,
  status: statuses.default(['PENDING_REVIEW']),
  /** A failed check. */
  reason: z.enum(CHECKS).optional(),
  /** A part of the queue, from the caller's point of view (D232). */
  split: z.enum(SPLITS).optional(),
  /** Only what has waited for longer than the target. */
  late: z.literal('true').meta({ type: 'boolean', const: true }).optional(),
  q: search,
  sort: z.enum(EXPLANATION_SORTS).default('waiting-longest'),
});

const comment = writtenText(LONGEST.comment).nullable().optional();
/** The caller has requested a second opinion and decides without it. */
const withoutOpinion = z.boolean().optional();
/** Confirms, for an item that carries an edit, that the received text is meant (D62). */
const receivedText = z.literal('RECEIVED').optional();
const approveBody = z
  .strictObject({ text: receivedText, comment, acknowledgedWords, acknowledgedFigures, withoutOpinion })
  .optional();
const approveEditedBody = z.strictObject({
  edited_summary: requiredCustomerText(LONGEST.summary),
  comment,
  acknowledgedWords,
  acknowledgedFigures,
  withoutOpinion,
});
/** A draft may be empty for a while; null removes it. */
const draftVersion = z.int().min(0).optional();
const draftBody = z.strictObject({ edited_summary: customerText(LONGEST.summary).nullable(), comment, draftVersion });
const takeOverBody = z.strictObject({ draftId: requiredText(LONGEST.search), draftVersion });
const postponementBody = z.strictObject({ postponement: z.enum(POSTPONEMENTS) });
const reasonBody = z.strictObject({ reason: requiredWrittenText(LONGEST.reason) });

/** Hidden in a list from a reviewer with a pending blind review: everything about the first decision but the state. */
const HIDDEN = {
  ...{ edited_summary: null, comment: null, opinion: null },
  ...{ approvalNumber: null, validUntil: null },
} as const satisfies Partial<ReviewItem>;

const refusal = (summary: string, move: 'reject' | 'block') =>
  endpoint({
    summary,
    result: reviewDetailSchema,
    etag: 'version',
    ifMatch: true,
    path: idPath,
    body: reasonBody,
    missing: { field: 'reason', code: 'REVIEW4001' },
    handle: (call): Promise<ReviewDetail> => decide(call, { move, reason: call.body.reason }),
  });

export const reviewHandlers = {
  'GET /api/v1/review/items': endpoint({
    summary: 'The review queue, page by page',
    result: foundPageOf(reviewItemSchema),
    query: listQuery,
    handle: ({ query, caller, context }): FoundPage<ReviewItem> => {
      const { status, reason, split, late, q, sort, page, size } = query;
      return context.ledger.read((reader) => {
        const now = context.clock.now();
        const part = split === undefined ? null : splitNumbers(reader, split, { memberId: caller.member.id, now });
        const overTarget = late === undefined ? null : lateNumbers(reader, now);
        const numbers = part === null || overTarget === null ? (part ?? overTarget) : common(part, overTarget);
        const filter = {
          statuses: status,
          ...(reason === undefined ? {} : { failedCheck: reason }),
          ...(numbers === null ? {} : { numbers }),
          ...(q === undefined ? {} : { q }),
          sort,
          page,
          size,
        };
        const { rows, total, more } = listExplanations(reader, filter, now);
        const beside = contextOf(reader, rows, caller, context);
        const unseen = unseenBy(
          reader,
          caller,
          rows.map(({ id }) => id),
        );
        return {
          items: rows.map((row) => {
            const item = reviewItem(row, lastChecks(reader, row.id), beside(row.id));
            return unseen.has(row.id) ? { ...item, ...HIDDEN } : item;
          }),
          page,
          size,
          total,
          more,
        };
      });
    },
  }),

  'GET /api/v1/review/items/{id}': endpoint({
    refuses: [409],
    summary: 'One item with grounds, reasons, checks and history',
    result: reviewDetailSchema,
    etag: 'version',
    path: idPath,
    handle: (call): ReviewDetail =>
      call.context.ledger.read((reader) => {
        refuseUnseen(reader, call.caller, call.path.id);
        return reviewDetail(reader, call);
      }),
  }),

  'POST /api/v1/review/items/{id}/approve': endpoint({
    summary: 'Approve the text as received; an item that carries an edit needs `text: RECEIVED`',
    result: reviewDetailSchema,
    etag: 'version',
    ifMatch: true,
    path: idPath,
    body: approveBody,
    handle: (call): Promise<ReviewDetail> => {
      return decide(call, { move: 'approve', ...without(call.body) }, (tx) => {
        const { id } = call.path;
        const isMeant = call.body?.text === 'RECEIVED' || !carriesEdit(tx, id, call.caller);
        // An approval covers the findings of the last screening. The reviewer must acknowledge later findings.
        const screened = lastChecks(tx, id).flatMap(broughtUpBy);
        return {
          text: storedExplanation(tx, id)?.summary ?? '',
          field: 'summary',
          words: [...screened, ...(call.body?.acknowledgedWords ?? [])],
          figures: call.body?.acknowledgedFigures ?? [],
          comment: call.body?.comment,
          ...(isMeant
            ? {}
            : { refused: new ApiError('REVIEW4092', undefined, [{ path: 'body.text', message: 'RECEIVED' }]) }),
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
    handle: (call): Promise<ReviewDetail> => {
      const { edited_summary: editedSummary, acknowledgedWords, acknowledgedFigures, comment: given } = call.body;
      return decide(call, { move: 'approve-edited', editedSummary, ...without(call.body) }, () => ({
        text: editedSummary,
        field: 'body.edited_summary',
        words: acknowledgedWords ?? [],
        figures: acknowledgedFigures ?? [],
        comment: given,
      }));
    },
  }),

  'POST /api/v1/review/items/{id}/reject': refusal('Reject', 'reject'),
  'POST /api/v1/review/items/{id}/block': refusal('Block', 'block'),

  'PUT /api/v1/review/items/{id}/draft': endpoint({
    summary: "Save the caller's draft; the item's version stays",
    result: reviewDetailSchema,
    etag: 'version',
    ifMatch: true,
    path: idPath,
    body: draftBody,
    handle: (call): Promise<ReviewDetail> => {
      const { path, body, caller, context, expected, write } = call;
      return write((tx) => {
        const at = context.clock.now().toISOString();
        const { edited_summary, comment: given } = body;
        const comment = given === undefined ? {} : { comment: given };
        const own = { id: path.id, actor: actorOf(caller), at, ...drafted(body), ...expected };
        saveDraft(tx, { ...own, text: edited_summary, ...comment });
        return reviewDetail(tx, call);
      });
    },
  }),

  'POST /api/v1/review/items/{id}/draft/take-over': endpoint({
    summary: "Continue a colleague's draft as the caller's own; both are its authors from then on",
    result: reviewDetailSchema,
    etag: 'version',
    ifMatch: true,
    path: idPath,
    body: takeOverBody,
    handle: (call): Promise<ReviewDetail> => {
      const { path, body, caller, context, expected, write } = call;
      return write((tx) => {
        const at = context.clock.now().toISOString();
        const own = { id: path.id, actor: actorOf(caller), at, ...drafted(body), ...expected };
        takeDraftOver(tx, { ...own, from: body.draftId });
        return reviewDetail(tx, call);
      });
    },
  }),

  'POST /api/v1/review/items/{id}/claim': endpoint({
    summary: 'Claim an item, or renew the claim; the answer lists who is looking at it',
    result: claimAnswerSchema,
    ifMatch: true,
    path: idPath,
    handle: ({ path, caller, context, expected, write }): Promise<ClaimAnswer> => {
      return write((tx) => {
        const at = context.clock.now();
        claimItem(tx, { id: path.id, actor: actorOf(caller), token: caller.token, at, ...expected });
        return { claims: claimsFor(tx, [path], caller, context)(path.id) };
      });
    },
  }),

  'DELETE /api/v1/review/items/{id}/claim': endpoint({
    summary: 'Release the claim of an item',
    result: claimAnswerSchema,
    ifMatch: true,
    path: idPath,
    handle: ({ path, caller, context, expected, write }): Promise<ClaimAnswer> =>
      write((tx) => {
        const at = context.clock.now();
        releaseItem(tx, { id: path.id, actor: actorOf(caller), token: caller.token, at, ...expected });
        return { claims: claimsFor(tx, [path], caller, context)(path.id) };
      }),
  }),

  'PUT /api/v1/review/items/{id}/postponement': endpoint({
    summary:
      'Put a waiting item off for the caller alone: half an hour, to the close of the market, to the next trading day',
    result: postponementAnswerSchema,
    ifMatch: true,
    path: idPath,
    body: postponementBody,
    handle: ({ path, body, caller, context, expected, write }): Promise<PostponementAnswer> => {
      countOwnChange(context, caller);
      return write((tx) => {
        const at = context.clock.now();
        const until = endOf(body.postponement, at);
        postpone(tx, { id: path.id, actor: actorOf(caller), at, until, ...expected });
        return { postponedUntil: until.toISOString() };
      });
    },
  }),

  'DELETE /api/v1/review/items/{id}/postponement': endpoint({
    summary: 'End the caller’s postponement of an item',
    result: postponementAnswerSchema,
    ifMatch: true,
    path: idPath,
    handle: ({ path, caller, context, expected, write }): Promise<PostponementAnswer> => {
      countOwnChange(context, caller);
      return write((tx) => {
        resume(tx, { id: path.id, actor: actorOf(caller), at: context.clock.now(), ...expected });
        return { postponedUntil: null };
      });
    },
  }),
};

function common(some: readonly number[], others: readonly number[]): number[] {
  const known = new Set(others);
  return some.filter((number) => known.has(number));
}

/**
 * Makes one decision in one write. A text that the decision exposes is judged after the checks of existence and state (D6),
 * and before the move is written.
 */
function decide(
  call: Call<Caller, { id: string }, unknown, unknown>,
  decision: Pick<MoveRequest, 'move' | 'reason' | 'editedSummary' | 'withoutOpinion'>,
  exposes?: (
    tx: LedgerTransaction,
  ) => Omit<CheckedText, 'id'> & { comment: string | null | undefined; refused?: ApiError },
): Promise<ReviewDetail> {
  const { path, caller, context, expected, write } = call;
  return write((tx) => {
    const at = context.clock.now().toISOString();
    const made = { id: path.id, actor: actorOf(caller), at, ...decision, ...expected };
    if (exposes === undefined) applyMove(tx, made);
    else {
      const { comment: given, refused, ...checked } = exposes(tx);
      // The comment goes into the history too: the decision's own, or the one saved with the draft.
      const kept = given === undefined ? savedComment(tx, { ...made, text: made.editedSummary }) : given;
      const { acknowledgement, assertText } = screenAgain(tx, context.screener, { id: path.id, ...checked });
      approveOrWait(tx, {
        ...{ ...made, acknowledgement, comment: kept, reason: kept },
        assertText: () => {
          if (refused !== undefined) throw refused;
          assertText();
        },
      });
      spendDraft(tx, made);
    }
    dropClaims(tx, path.id, at);
    return reviewDetail(tx, call);
  });
}

/** Approves, or lets an edit wait if the policy requires two people and this is the first. */
function approveOrWait(
  tx: LedgerTransaction,
  request: MoveRequest & ScreenedAgain & { actor: ReturnType<typeof actorOf> },
): void {
  const { editedSummary: text, comment = null } = request;
  if (request.move === 'approve-edited' && text !== undefined && isFirstOfTwo(tx, { ...request, text })) {
    letEditWait(tx, { ...request, text, comment });
  } else applyMove(tx, request);
}

const drafted = ({ draftVersion: version }: { draftVersion?: number | undefined }): { draftVersion?: number } =>
  version === undefined ? {} : { draftVersion: version };

/** Whether a plain approval would drop an edit that a colleague has sent or that the caller is writing (D62). */
function carriesEdit(reader: LedgerReader, id: string, caller: Caller): boolean {
  const received = storedExplanation(reader, id)?.summary;
  const own = draftsOf(reader, [id])
    .get(id)
    ?.find(({ memberId }) => memberId === caller.member.id);
  const hasOwnEdit = (own?.text ?? null) !== null && own?.text !== received;
  return hasOwnEdit || carriedEdits(reader, id).length > 0;
}

const without = (body: { withoutOpinion?: boolean | undefined } | undefined): { withoutOpinion?: boolean } =>
  body?.withoutOpinion === undefined ? {} : { withoutOpinion: body.withoutOpinion };
