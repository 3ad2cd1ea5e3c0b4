/**
 * Bulk actions that only reduce exposure: stop, move to review, reject, block. There is no bulk approval. Each item is
 * bound to the version that was seen and is a separate transition with its own history and audit row; an item that has
 * changed is skipped and reported. When the ledger fails at an item, the rest is not tried; earlier items stay done,
 * and the answer reports them.
 */
import { z } from 'zod';
import { dropClaims } from '../../../agent/ledger/review/claims.ts';
import { findExplanation } from '../../../agent/ledger/explanations/explanations.ts';
import type { LedgerReader } from '../../../agent/ledger/storage/ledger.ts';
import {
  MoveNotAllowedError,
  UnknownExplanationError,
  VersionMismatchError,
} from '../../../agent/ledger/explanations/transitions.ts';
import { applyMove } from '../../../agent/ledger/transitions.ts';
import { MOST_AT_ONCE, type BulkResult } from '../../../shared/wire/console/console.ts';
import { bulkResultSchema } from '../../../shared/wire/console/bulk.ts';
import { actorOf, type Caller } from '../context/context.ts';
import { endpoint, type Call } from '../http/endpoint.ts';
import { LONGEST, requiredText, requiredWrittenText } from '../http/schemas.ts';

const bulkBody = z.strictObject({
  items: z
    .array(z.strictObject({ id: requiredText(LONGEST.search), version: z.int().min(1) }))
    .min(1)
    .max(MOST_AT_ONCE)
    .refine((items) => new Set(items.map(({ id }) => id)).size === items.length, 'must not name an item twice'),
  reason: requiredWrittenText(LONGEST.reason),
});
type Outcome = BulkResult['results'][number];
type BulkCall = Call<Caller, object, object, z.infer<typeof bulkBody>>;

export const bulkHandlers = {
  'POST /api/v1/bulk/stop': bulk('stop', 'Stop the provision of many texts; the answer has the outcome of each'),
  'POST /api/v1/bulk/move-to-review': bulk(
    'move-to-review',
    'Send many texts back to review; the answer has the outcome of each',
  ),
  'POST /api/v1/bulk/reject': bulk('reject', 'Reject many items; the answer has the outcome of each'),
  'POST /api/v1/bulk/block': bulk('block', 'Block many items; the answer has the outcome of each'),
};

function bulk(move: 'stop' | 'move-to-review' | 'reject' | 'block', summary: string) {
  return endpoint({
    summary,
    body: bulkBody,
    missing: { field: 'reason', code: 'REVIEW4001' },
    result: bulkResultSchema,
    handle: async (call: BulkCall): Promise<BulkResult> => {
      const results: Outcome[] = [];
      let done = 0;
      for (const item of call.body.items) {
        try {
          const moved = await moveOne(call, move, item);
          results.push(moved);
          if (moved.outcome === 'DONE') done += 1;
        } catch (error) {
          // Nothing has been done, so the failure is the whole answer.
          if (done === 0) throw error;
          call.request.log.error({ err: error, id: item.id }, 'a bulk action ended early');
          const untried = call.body.items.slice(results.length);
          results.push(...untried.map(({ id }): Outcome => ({ id, outcome: 'FAILED', ...NOTHING_TOLD })));
          break;
        }
      }
      return { done, results };
    },
  });
}

async function moveOne(
  { context, caller, body: { reason }, write }: BulkCall,
  move: 'stop' | 'move-to-review' | 'reject' | 'block',
  { id, version: expectedVersion }: { id: string; version: number },
): Promise<Outcome> {
  try {
    return await write((tx) => {
      const now = context.clock.now();
      const at = now.toISOString();
      applyMove(tx, { id, move, actor: actorOf(caller), at, reason, expectedVersion });
      dropClaims(tx, id, at);
      return { id, outcome: 'DONE', ...standing(tx, id, now) };
    });
  } catch (error) {
    if (error instanceof UnknownExplanationError) return { id, outcome: 'MISSING', ...NOTHING_TOLD };
    if (!(error instanceof MoveNotAllowedError || error instanceof VersionMismatchError)) throw error;
    return { id, outcome: 'CONFLICT', ...standing(context.ledger, id, context.clock.now()) };
  }
}

const NOTHING_TOLD = { status: null, version: null, exposed: null, obstacle: null } as const;

/** The state of an item now, and whether channels get it (D60). */
function standing(reader: LedgerReader, id: string, now: Date): Omit<Outcome, 'id' | 'outcome'> {
  const row = findExplanation(reader, id, now);
  if (row === undefined) return NOTHING_TOLD;
  return { status: row.status, version: row.version, exposed: row.obstacle === null, obstacle: row.obstacle };
}
