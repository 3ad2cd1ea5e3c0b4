/** False hits, dismissed with a reason. */
import { z } from 'zod';
import { dismissedHits, dismissHit } from '../../../agent/ledger/review/dismissed-hits.ts';
import type { DismissedHit } from '../../../shared/wire/console/console.ts';
import { dismissedHitSchema } from '../../../shared/wire/console/review.ts';
import { actorOf } from '../context/context.ts';
import { endpoint } from '../http/endpoint.ts';
import { idPath, LONGEST, requiredText, requiredWrittenText } from '../http/schemas.ts';

export const dismissalHandlers = {
  'POST /api/v1/review/items/{id}/dismissals': endpoint({
    summary: 'Dismiss a hit in an item, with a reason; the item keeps its version',
    path: idPath,
    ifMatch: true,
    body: z.strictObject({ wordId: requiredText(LONGEST.search), reason: requiredWrittenText(LONGEST.reason) }),
    missing: { field: 'reason', code: 'REVIEW4001' },
    result: z.strictObject({ dismissed: z.array(dismissedHitSchema) }),
    handle: ({ path, body, caller, context, expected, write }): Promise<{ dismissed: DismissedHit[] }> => {
      return write((tx) => {
        const at = context.clock.now().toISOString();
        dismissHit(tx, { id: path.id, ...body, actor: actorOf(caller), at, ...expected });
        return { dismissed: dismissedHits(tx, path.id) };
      });
    },
  }),
};
