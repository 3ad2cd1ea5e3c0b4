/** Prints the description of the bundle endpoint or of the engine's door, which serve no page of their own. */
import { describeDoor } from '../ingest/openapi.ts';
import { describeSync } from '../sync/openapi.ts';
import { UsageError, type Command } from './command.ts';

export const openapi: Command = {
  usage: ['causeway-cloud openapi [door]'],
  about: "Prints the OpenAPI description of the bundle endpoint, or of the engine's door.",
  help: () =>
    [
      'causeway-cloud openapi [door]',
      '',
      "Prints the OpenAPI description of the bundle endpoint, or with the word door that of the engine's door. The operator API",
      "tells its own at /api/v1/openapi.json, and the tenant's provision API at /v1/openapi.json.",
    ].join('\n'),
  run: async ({ args, print }) => {
    const [what] = args;
    if (args.length > 1 || (what !== undefined && what !== 'door'))
      throw new UsageError('"openapi" takes nothing, or the word door.');
    print(JSON.stringify(what === 'door' ? describeDoor() : describeSync(), null, 2));
    return 0;
  },
};
