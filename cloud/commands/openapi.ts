/** Prints the description of the bundle endpoint, which serves nothing but bundles itself. */
import { describeSync } from '../sync/openapi.ts';
import { UsageError, type Command } from './command.ts';

export const openapi: Command = {
  usage: ['causeway-cloud openapi'],
  about: 'Prints the OpenAPI description of the bundle endpoint.',
  help: () =>
    [
      'causeway-cloud openapi',
      '',
      'Prints the OpenAPI description of the bundle endpoint. The operator API tells its own at /api/v1/openapi.json, and the',
      "tenant's provision API at /v1/openapi.json.",
    ].join('\n'),
  run: async ({ args, print }) => {
    if (args.length > 0) throw new UsageError('"openapi" takes no arguments.');
    print(JSON.stringify(describeSync(), null, 2));
    return 0;
  },
};
