/** Second opinions: requested of the other reviewers, given by one of them or withdrawn. They decide nothing. */
import { z } from 'zod';
import { splitCounts } from '../../../agent/ledger/review/splits.ts';
import type { LedgerReader } from '../../../agent/ledger/storage/ledger.ts';
import { askOpinion, giveOpinion, opinionsFor, withdrawOpinion } from '../../../agent/ledger/review/second-opinions.ts';
import { OPINIONS, type SplitCounts, type OpinionAnswer } from '../../../shared/wire/console/console.ts';
import { splitCountsSchema, opinionAnswerSchema } from '../../../shared/wire/console/opinion.ts';
import { actorOf, type Caller } from '../context/context.ts';
import { endpoint } from '../http/endpoint.ts';
import { idPath, LONGEST, requiredWrittenText } from '../http/schemas.ts';

export const opinionHandlers = {
  'GET /api/v1/review/splits': endpoint({
    summary: 'How many items each part of the caller’s queue has',
    result: splitCountsSchema,
    handle: ({ caller, context }): SplitCounts =>
      context.ledger.read((reader) => splitCounts(reader, { memberId: caller.member.id, now: context.clock.now() })),
  }),

  'POST /api/v1/review/items/{id}/opinions': endpoint({
    summary: 'Ask the other reviewers for a second opinion on an item that waits; the item keeps its version',
    path: idPath,
    ifMatch: true,
    body: z.strictObject({ question: requiredWrittenText(LONGEST.note) }),
    result: opinionAnswerSchema,
    handle: ({ path, body, caller, context, expected, write }): Promise<OpinionAnswer> => {
      return write((tx) => {
        const at = context.clock.now().toISOString();
        askOpinion(tx, { id: path.id, question: body.question, actor: actorOf(caller), at, ...expected });
        return answer(tx, path.id, caller);
      });
    },
  }),

  'POST /api/v1/review/opinions/{id}/answer': endpoint({
    summary: 'Give the second opinion that a colleague has asked for: a decision and its reason',
    path: idPath,
    body: z.strictObject({ opinion: z.enum(OPINIONS), text: requiredWrittenText(LONGEST.note) }),
    result: opinionAnswerSchema,
    handle: ({ path, body, caller, context, write }): Promise<OpinionAnswer> => {
      const ending = { opinionId: path.id, actor: actorOf(caller), at: context.clock.now().toISOString() };
      return write((tx) => {
        const id = giveOpinion(tx, { ...ending, opinion: body.opinion, answer: body.text });
        return answer(tx, id, caller);
      });
    },
  }),

  'DELETE /api/v1/review/opinions/{id}': endpoint({
    summary: 'Take back the request for a second opinion that one has made',
    path: idPath,
    result: opinionAnswerSchema,
    handle: ({ path, caller, context, write }): Promise<OpinionAnswer> => {
      const at = context.clock.now().toISOString();
      return write((tx) => answer(tx, withdrawOpinion(tx, { opinionId: path.id, actor: actorOf(caller), at }), caller));
    },
  }),
};

function answer(reader: LedgerReader, id: string, caller: Caller): OpinionAnswer {
  return { opinion: opinionsFor(reader, [id], caller.member.id).get(id) ?? null };
}
