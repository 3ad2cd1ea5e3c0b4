/** Samples of texts provided without a review: their list, and a reviewer's verdict. */
import { z } from 'zod';
import { toItem } from '../../../agent/ledger/explanations/items.ts';
import { storedExplanation } from '../../../agent/ledger/explanations/explanations.ts';
import { UnknownExplanationError, VersionMismatchError } from '../../../agent/ledger/explanations/transitions.ts';
import { listSamples } from '../../../agent/ledger/review/sample-lists.ts';
import { markSample, sampleCounts, sampleOf } from '../../../agent/ledger/review/samples.ts';
import {
  SAMPLE_OUTCOMES,
  type ExplanationItem,
  type Page,
  type Sample,
  type SampleCounts,
} from '../../../shared/wire/console/console.ts';
import { pageOf } from '../../../shared/wire/console/common.ts';
import { explanationItemSchema } from '../../../shared/wire/console/explanation.ts';
import { sampleCountsSchema, sampleSchema } from '../../../shared/wire/console/sample.ts';
import { ApiError } from '../../../shared/wire/envelope.ts';
import { actorOf } from '../context/context.ts';
import { endpoint } from '../http/endpoint.ts';
import { idPath, paging } from '../http/schemas.ts';

export const sampleHandlers = {
  'GET /api/v1/review/samples': endpoint({
    summary: 'Texts that were provided without a review and are looked at afterwards, page by page',
    query: z.strictObject({ ...paging, outcome: z.enum(SAMPLE_OUTCOMES).default('OPEN') }),
    result: pageOf(explanationItemSchema),
    handle: ({ query, context }): Page<ExplanationItem> => {
      const { rows, total } = context.ledger.read((reader) => listSamples(reader, query, context.clock.now()));
      return { items: rows.map(toItem), page: query.page, size: query.size, total };
    },
  }),

  'GET /api/v1/review/samples/counts': endpoint({
    summary: 'How many samples there are of each outcome',
    result: sampleCountsSchema,
    handle: ({ context }): SampleCounts => sampleCounts(context.ledger),
  }),

  'POST /api/v1/review/samples/{id}': endpoint({
    summary: 'Mark a sample as fine, or as one that should have been reviewed',
    path: idPath,
    ifMatch: true,
    body: z.strictObject({ outcome: z.enum(['FINE', 'MISSED']) }),
    result: sampleSchema,
    handle: ({ path: { id }, body, caller, context, expected, write }): Promise<Sample> => {
      return write((tx) => {
        const at = context.clock.now().toISOString();
        const row = storedExplanation(tx, id);
        if (row === undefined) throw new UnknownExplanationError(id);
        const { expectedVersion } = expected;
        // The verdict is about the version that was seen.
        if (expectedVersion !== undefined && expectedVersion !== row.version)
          throw new VersionMismatchError(row.status, row.version);
        markSample(tx, { id, outcome: body.outcome, actor: actorOf(caller), at });
        const sample = sampleOf(tx, id);
        if (sample === null) throw new ApiError('COMMON404');
        return sample;
      });
    },
  }),
};
