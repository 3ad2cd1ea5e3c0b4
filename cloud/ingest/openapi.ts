/** The OpenAPI description of the engine's door (D218), for the people of the engine. */
import { z } from 'zod';
import { describeOpenApi } from '../../shared/service/http/openapi.ts';
import { loadSchema } from '../publication/load.ts';
import { OUTCOMES, outcomeLines, type OutcomeName } from '../publication/outcomes.ts';
import { knownLoadSchema } from './known-load.ts';
import { LOADS_PATH } from './server.ts';

const NAMES = Object.keys(OUTCOMES) as [OutcomeName, ...OutcomeName[]];

/** The answer to one line; the tests check each answer against it. */
export const lineAnswerSchema = z.strictObject({
  line: z.int(),
  outcome: z.enum(NAMES),
  id: z.string().nullable(),
  reason: z.string().nullable(),
  message: z.string().nullable(),
  repeated: z.boolean(),
  warning: z.string().optional(),
  deliveries: z.int(),
});

const checkQuery = z.strictObject({ check: z.literal('true').optional() });
const idPath = z.strictObject({ id: z.string() });

export function describeDoor(): object {
  return describeOpenApi({
    title: 'Causeway engine door',
    version: '1',
    description: [
      'The body of a POST is JSON Lines (`application/x-ndjson`): one load a line, each with an answer of its own.',
      'With `check=true` each line by itself is answered and none is taken. Outcomes and reasons:',
      ...outcomeLines(),
    ].join('\n'),
    servers: [{ url: '/', description: 'The door, by CAUSEWAY_ENGINE_LISTEN' }],
    securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'CAUSEWAY_ENGINE_TOKEN' } },
    codes: ['COMMON'],
    schemas: { Load: loadSchema, LineAnswer: lineAnswerSchema, KnownLoad: knownLoadSchema },
    operations: [
      {
        method: 'POST',
        path: LOADS_PATH,
        summary: 'Takes loads, or says what would happen',
        security: 'token',
        parameters: { query: checkQuery },
        body: loadSchema,
        result: z.strictObject({ lines: z.array(lineAnswerSchema) }),
        failures: [400, 401, 403, 413, 415, 429, 500, 503],
      },
      {
        method: 'GET',
        path: `${LOADS_PATH}/{id}`,
        summary: 'A load that was taken, by the id of its result or analysis',
        security: 'token',
        parameters: { path: idPath },
        body: null,
        result: knownLoadSchema,
        failures: [401, 403, 404, 500, 503],
      },
    ],
  });
}
