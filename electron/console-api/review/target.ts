/** The target for an item's waiting time, in minutes of working time (09:00 to 18:00 KST on trading days). */
import { z } from 'zod';
import { reviewTarget, setReviewTarget } from '../../../agent/ledger/review/target.ts';
import { type ReviewTarget, LONGEST_TARGET_MINUTES } from '../../../shared/wire/console/console.ts';
import { reviewTargetSchema } from '../../../shared/wire/console/review-target.ts';
import { actorOf } from '../context/context.ts';
import { endpoint } from '../http/endpoint.ts';

export const reviewTargetHandlers = {
  'GET /api/v1/review/target': endpoint({
    summary: 'How long an item may wait for its review, in minutes of working time; null for no target',
    result: reviewTargetSchema,
    etag: 'version',
    handle: ({ context }): ReviewTarget => reviewTarget(context.ledger),
  }),
  'PUT /api/v1/review/target': endpoint({
    summary: 'Set how long an item may wait for its review; null takes the target away',
    body: z.strictObject({ minutes: z.int().min(1).max(LONGEST_TARGET_MINUTES).nullable() }),
    ifMatch: true,
    result: reviewTargetSchema,
    etag: 'version',
    handle: ({ body, caller, context, expected, write }): Promise<ReviewTarget> => {
      return write((tx) => {
        const at = context.clock.now().toISOString();
        setReviewTarget(tx, { minutes: body.minutes, actor: actorOf(caller), at, ...expected });
        return reviewTarget(tx);
      });
    },
  }),
};
