/** Dossiers for an inspector (D166). */
import { Readable } from 'node:stream';
import { z } from 'zod';
import { subjectOfDays, type SubjectQuery } from '../../../agent/ledger/dossier/collect.ts';
import { makeDossier } from '../../../agent/ledger/dossier/make.ts';
import { ApiError } from '../../../shared/wire/envelope.ts';
import { actorOf } from '../context/context.ts';
import { endpoint } from '../http/endpoint.ts';
import { date, requiredText } from '../http/schemas.ts';

const subject = {
  /** The id of an explanation; or a ticker with the first and the last Korean day. */
  explanation: requiredText(128).optional(),
  ticker: requiredText(40).optional(),
  from: date.optional(),
  to: date.optional(),
};

export const dossierHandlers = {
  'POST /api/v1/dossiers': endpoint({
    summary: 'Make a dossier of an explanation, or of a ticker and a span: one signed ZIP, put on record',
    body: z.strictObject(subject),
    refuses: [404],
    media: ['application/zip'],
    handle: async ({ body, context, caller, write, reply }): Promise<Readable> => {
      const { key } = context.signing;
      const checkpoints = await context.signing.checkpoints();
      const { ledger, clock } = context;
      const parts = { ledger, now: clock.now(), actor: actorOf(caller), write, key, checkpoints };
      const { name, bytes } = await makeDossier(parts, subjectOf(body));
      void reply
        .header('content-type', 'application/zip')
        .header('content-disposition', `attachment; filename="${name}"`);
      return Readable.from([Buffer.from(bytes)]);
    },
  }),
};

type Given = { [K in keyof typeof subject]?: string | undefined };

/** @throws ApiError COMMON400 */
function subjectOf({ explanation, ticker, from, to }: Given): SubjectQuery {
  const days = [ticker, from, to].filter((one) => one !== undefined).length;
  if (explanation !== undefined && days === 0) return { kind: 'EXPLANATION', id: explanation };
  if (explanation === undefined && ticker !== undefined && from !== undefined && to !== undefined && from <= to)
    return subjectOfDays(ticker, from, to);
  throw new ApiError('COMMON400', 'Give explanation alone, or ticker with from and to, the earlier day first.');
}
