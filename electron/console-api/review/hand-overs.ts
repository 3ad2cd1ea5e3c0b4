/** Handing a waiting item over to another reviewer, and taking it (D236). */
import { z } from 'zod';
import { handOver, handOversFor, takeItem } from '../../../agent/ledger/review/hand-overs.ts';
import type { LedgerReader } from '../../../agent/ledger/storage/ledger.ts';
import { handOverAnswerSchema, type HandOverAnswer } from '../../../shared/wire/console/review.ts';
import { actorOf, type Caller } from '../context/context.ts';
import { countOwnChange } from '../http/access.ts';
import { endpoint } from '../http/endpoint.ts';
import { idPath, LONGEST, requiredText } from '../http/schemas.ts';

export const handOverHandlers = {
  'PUT /api/v1/review/items/{id}/hand-over': endpoint({
    summary: 'Hand a waiting item over: to a display name that it already shows, or to any other reviewer (null)',
    path: idPath,
    ifMatch: true,
    body: z.strictObject({ to: requiredText(LONGEST.displayName).nullable() }),
    result: handOverAnswerSchema,
    handle: ({ path, body, caller, context, expected, write }): Promise<HandOverAnswer> => {
      countOwnChange(context, caller);
      return write((tx) => {
        const at = context.clock.now().toISOString();
        handOver(tx, { id: path.id, to: body.to, actor: actorOf(caller), at, ...expected });
        return answer(tx, path.id, caller);
      });
    },
  }),

  'DELETE /api/v1/review/items/{id}/hand-over': endpoint({
    summary: 'Take an item that was handed over, or take back that one has handed it over',
    path: idPath,
    ifMatch: true,
    result: handOverAnswerSchema,
    handle: ({ path, caller, context, expected, write }): Promise<HandOverAnswer> => {
      countOwnChange(context, caller);
      return write((tx) => {
        takeItem(tx, { id: path.id, actor: actorOf(caller), at: context.clock.now().toISOString(), ...expected });
        return answer(tx, path.id, caller);
      });
    },
  }),
};

function answer(reader: LedgerReader, id: string, caller: Caller): HandOverAnswer {
  return { handedOver: handOversFor(reader, [id], caller.member.id).get(id) ?? null };
}
