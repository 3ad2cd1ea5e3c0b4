/** The OpenAPI description of the bundle endpoint (sync protocol 4), for developers of other receivers. */
import { z } from 'zod';
import { describeOpenApi, namedSchemas } from '../../shared/service/http/openapi.ts';
import { APPLIED_HEADER } from '../../shared/wire/applied.ts';
import {
  BUNDLE_PATH,
  HEAD_HEADER,
  MAX_WAIT_SECONDS,
  PREFER_HEADER,
  PREFERENCE_APPLIED_HEADER,
  SIGNATURE_HEADER,
  STATEMENT_HEADER,
} from '../../shared/wire/bundle-endpoint.ts';
import * as bundle from '../../shared/wire/bundle.ts';
import { DEFAULT_LIMIT, MAX_LIMIT } from './query.ts';

const pullQuery = z.strictObject({
  after: z.int().meta({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  limit: z.int().optional().meta({ type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT }),
});

const text = (description: string): object => ({ description, schema: { type: 'string' } });

const filled = bundle.bundleSchema.extend({
  entries: z.array(z.union([bundle.newEntrySchema, bundle.invalidationEntrySchema])),
});
/** The schema of a successful answer; the tests check each answer against it. */
export const pulledSchema = filled.optional();

export function describeSync(): object {
  return describeOpenApi({
    title: 'Causeway bundle endpoint',
    version: '1',
    description:
      'Explanations and withdrawals of one tenant, in the order of their cursors. Without `result` there is nothing new. Objects are open: a field that is not described here is kept and ignored.',
    servers: [{ url: '/', description: 'The cloud, or the relay in front of it' }],
    securitySchemes: {
      certificate: { type: 'mutualTLS', description: 'The certificate that was issued to the tenant' },
    },
    codes: ['COMMON', 'SYNC'],
    schemas: namedSchemas({ ...bundle, bundleSchema: filled }),
    operations: [
      {
        method: 'GET',
        path: BUNDLE_PATH,
        summary: 'The records after a cursor',
        security: 'certificate',
        parameters: {
          query: pullQuery,
          headers: [
            {
              name: PREFER_HEADER,
              in: 'header',
              required: false,
              description: `wait=N, 1 to ${MAX_WAIT_SECONDS}: an answer without news is held for so many seconds, or until there is some (D223). Another value is ignored`,
              schema: { type: 'string' },
            },
            {
              name: APPLIED_HEADER,
              in: 'header',
              required: false,
              description:
                'applied=CURSOR;rejected=COUNT;held=COUNT and, where entries were rejected, ;entries=CURSOR:CODE,… with at most 20 of them: what the receiver has applied, for the vendor’s operator (D230). Another form is ignored',
              schema: { type: 'string' },
            },
          ],
        },
        body: null,
        result: pulledSchema,
        headers: {
          [HEAD_HEADER]: text('The highest cursor of the tenant at that moment (D31)'),
          [SIGNATURE_HEADER]: text('Ed25519 signature over the bytes of the body, base64 (D32)'),
          [PREFERENCE_APPLIED_HEADER]: text('wait=N, as it was asked for'),
          [STATEMENT_HEADER]: text('The vendor’s signed statement about this answer (D59)'),
        },
        failures: [400, 401, 403, 410, 429, 500, 503],
      },
    ],
  });
}
