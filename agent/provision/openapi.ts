/** The provision API's OpenAPI description (D57), for developers of channels. */
import { z } from 'zod';
import { describeOpenApi, type DescribedOperation } from '../../shared/service/http/openapi.ts';
import type { ServedExplanation } from '../../shared/wire/console/console.ts';

const instant = z.string().meta({ format: 'date-time' });

const servedExplanation: z.ZodType<ServedExplanation> = z.strictObject({
  etf_ticker: z.string(),
  etf_name: z.string(),
  trade_date: z.string().meta({ format: 'date' }),
  explanation_as_of: instant,
  content_as_of: instant.nullable(),
  text: z.string(),
  disclaimer: z.string().nullable(),
  approval_number: z.string().nullable(),
});

const EVENTS = `SHOWN: the ticker has a text. CHANGED: text, name, disclaimer or approval number are others. DARK: it has none.
RESET: nothing that is kept may be shown; list all texts anew. data: {"ticker","id","at"}, where id is the explanation's, and ticker and id are
null in RESET, and in a DARK that ends the stream and means all tickers. Without news a line comes every 15 seconds.`;

/** The parameters of the two routes: a ticker in the path, tickers in the query. */
export interface TickerParameters {
  one: z.ZodType;
  several: z.ZodType;
}

/** Every route with its answers; the tests check each answer against it. */
export function provisionOperations(asked: TickerParameters): DescribedOperation[] {
  const refused = [400, 401, 404, 429, 500, 503];
  const route = { method: 'GET', security: 'channel', body: null } as const;
  const tagged = {
    headers: { ETag: { description: 'A tag of all that the answer gives', schema: { type: 'string' } } },
    notModified: 'The answer with that tag is what may be shown now; it counts as given. HEAD answers like GET',
  };
  const headers = [
    {
      name: 'If-None-Match',
      in: 'header',
      required: false,
      description: 'The ETag of an answer that the channel has kept; * is ignored',
      schema: { type: 'string' },
    },
  ];
  return [
    {
      ...route,
      path: '/v1/explanations/{ticker}',
      summary: 'The text of one ticker with its disclaimer; 404 where there is nothing to show now',
      parameters: { path: asked.one, headers },
      ...tagged,
      result: servedExplanation,
      failures: refused,
    },
    {
      ...route,
      path: '/v1/explanations',
      summary:
        'The texts of several tickers, in the order that was asked; those with nothing to show are left out. Without tickers all texts, in pages by ticker: a page may hold few or none, and the last one has no next',
      parameters: { query: asked.several, headers },
      ...tagged,
      result: z.strictObject({
        items: z.array(servedExplanation),
        /** Where the next page begins, as `after`; null on the last. Absent where tickers were asked. */
        next: z.string().nullable().optional(),
      }),
      failures: refused,
    },
    {
      ...route,
      path: '/v1/changes',
      summary: 'Server-sent events: which texts the channel may show from now on, and which no more; none holds a text',
      parameters: {
        headers: [
          {
            name: 'Last-Event-ID',
            in: 'header',
            required: false,
            description: 'The id of the last event that the channel has got; the stream goes on from there',
            schema: { type: 'string' },
          },
        ],
      },
      result: null,
      isEnveloped: false,
      media: { 'text/event-stream': { type: 'string', description: EVENTS } },
      failures: refused,
    },
    {
      ...route,
      path: '/health',
      summary: 'Whether it serves, its version, and whether the policy is as it was recorded',
      security: null,
      parameters: {},
      result: z.strictObject({
        status: z.literal('UP'),
        version: z.string(),
        /** Whether the active policy is as the audit log tells: channels are served in either case. */
        policy: z.enum(['NONE', 'AS_RECORDED', 'ALTERED']),
        /** Whether another program has held the ledger's write lock for ten seconds: channels are served as before. */
        ledgerHeld: z.boolean(),
      }),
      failures: [400, 500, 503],
    },
  ];
}

export function describeProvision(asked: TickerParameters): object {
  return describeOpenApi({
    title: 'Causeway provision API',
    version: '1',
    description:
      'The text that a channel may show to customers at this moment. A text may be stopped at any time: ask before each showing. Whoever keeps an answer sends its ETag along, and shows it on 304 alone, or follows /v1/changes. Texts, disclaimers and names are plain text, never markup: the channel escapes them for the page, message or file that it puts them into.',
    servers: [{ url: '/', description: 'The provision API that this description comes from' }],
    securitySchemes: {
      channel: {
        type: 'http',
        scheme: 'bearer',
        description: 'The key of the channel, as its administrator was given it',
      },
    },
    codes: ['COMMON'],
    schemas: { ProvidedExplanation: servedExplanation },
    operations: provisionOperations(asked),
  });
}
