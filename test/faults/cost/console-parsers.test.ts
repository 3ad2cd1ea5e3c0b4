/**
 * Parsers of the consoles and their pages: bodies, queries and paths of every route by their own schemas, headers,
 * passwords, certificates, figures. The cost of each grows at most with the length of its input.
 */
import { afterAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { checkNewPair } from '../../../agent/relay/new-certificate.ts';
import { withoutSecrets } from '../../../agent/operations/diagnostics.ts';
import { describedRoute } from '../../../cloud/operator/openapi.ts';
import { HANDLERS } from '../../../electron/console-api/routes.ts';
import { TestConsole } from '../../support/console-api/console.ts';
import { redact } from '../../../electron/main/diagnostics/redact.ts';
import { readFigures } from '../../../shared/evidence/read-figures.ts';
import { OPERATOR_ROUTES } from '../../../shared/policy/operator-routes.ts';
import { foreignReason, isOwnName, ownOrigins } from '../../../shared/service/http/origins.ts';
import { brokenRule } from '../../../shared/service/accounts/password-rules.ts';
import { readCheckpoints } from '../../../shared/service/checkpoints/checkpoint.ts';
import { findReportFacts } from '../../../cloud/console/screens/facts/report/report-facts.ts';
import { withParticles, markParticles } from '../../../shared/ui/i18n/particles.ts';
import { some } from '../../support/runs.ts';
import { growth, MOST_TIMES, repeated, type Parser } from './cost.ts';

/** The larger text has 51,200 letters, which is more than any text of ours may have. */
const SMALL = 3_200;

/** Each is repeated; an end makes a pattern that wants one try again from every start. */
const BAITS = ['a', '1', ' ', '.', '-', '(', '{"a":', 'a@', '\u0300', '가 '].flatMap((fragment) => [
  [JSON.stringify(fragment), repeated(fragment)] as const,
  [`${JSON.stringify(fragment)} and an end`, repeated(fragment, '!가a1 ')] as const,
]);

/** The bait on which a parser's cost exceeds its length; null without one. */
async function costly(parse: Parser, baits: typeof BAITS = BAITS): Promise<string | null> {
  for (const [name, textOf] of some(8, baits)) if ((await growth(parse, textOf, SMALL)) >= MOST_TIMES) return name;
  return null;
}

interface Definition {
  type: string;
  shape?: Record<string, z.ZodType>;
  innerType?: z.ZodType;
  in?: z.ZodType;
  options?: readonly z.ZodType[];
  element?: z.ZodType;
  left?: z.ZodType;
  right?: z.ZodType;
}

/** Inputs with the text at every place of a schema that allows one. */
function inputsOf(schema: z.ZodType, text: string): unknown[] {
  const { type, shape, innerType, in: input, options, element, left, right } = schema.def as unknown as Definition;
  if (type === 'object' && shape !== undefined) {
    const fields = Object.entries(shape).map(([name, field]) => [name, inputsOf(field, text)] as const);
    const most = Math.max(1, ...fields.map(([, inputs]) => inputs.length));
    const at = (index: number): object =>
      Object.fromEntries(fields.map(([name, inputs]) => [name, inputs[Math.min(index, inputs.length - 1)]]));
    return [...Array.from({ length: most }, (_, index) => at(index)), { [text]: text }];
  }
  const inner = [innerType, input, left, right, ...(options ?? [])].filter((one) => one !== undefined);
  if (inner.length > 0) return inner.flatMap((one) => inputsOf(one, text));
  if (type === 'array' && element !== undefined)
    return [
      inputsOf(element, text),
      text
        .slice(0, 10_000)
        .split('')
        .slice(0, text.length / 16),
    ];
  return [text];
}

const parsing = (schema: z.ZodType | null | undefined): Parser | null =>
  schema === null || schema === undefined
    ? null
    : (text) => inputsOf(schema, text).map((input) => schema.safeParse(input));

const ofConsole = Object.entries(HANDLERS).map(([key, { described }]) => [key, described] as const);
const ofOperator = OPERATOR_ROUTES.filter(({ path }) => path !== '/api/v1/openapi.json').map(
  (route) => [`${route.method} ${route.path}`, describedRoute(route)] as const,
);

describe.each([
  ['the console API', ofConsole],
  ['the operator API', ofOperator],
])('bodies, queries and paths of %s', (_, routes) => {
  test('there are such schemas', () => {
    expect(routes.flatMap(([, { path, query, body }]) => [path, query, body].filter(Boolean)).length).toBeGreaterThan(
      10,
    );
  });
  test('cost what their length costs, all together', async () => {
    const schemas = new Set(routes.flatMap(([, { path, query, body }]) => [path, query, body]));
    const parsers = [...schemas].map(parsing).filter((parse) => parse !== null);
    const ended = some(
      3,
      BAITS.filter(([name]) => name.includes('an end')),
    );
    expect(await costly((text) => parsers.forEach((parse) => parse(text)), ended)).toBeNull();
  });
});

const own = ownOrigins({ host: '127.0.0.1', port: 4300, names: ['console.example'] });
test.each<[string, Parser]>([
  ['Host and Origin', (text) => foreignReason({ host: text, origin: `https://${text}` }, own)],
  ['a Host of the relay', (text) => isOwnName(text, { host: '127.0.0.1', names: ['relay.example'] })],
  ['a certificate with its key', (text) => checkNewPair({ cert: text, key: text }, new Date(0))],
  [
    'blocks without an end',
    (text) => checkNewPair({ cert: text.replaceAll('a', '-----BEGIN A-----'), key: text }, new Date(0)),
  ],
  ['figures of a text', (text) => readFigures(`3%${text}`)],
  ['figures after blanks', (text) => readFigures(`3% 가량${text}`)],
  ['a new password', (text) => brokenRule(text, { username: 'reviewer', firmNames: ['한강증권'] })],
  ['a report of a day, opened again', (text) => findReportFacts(`<!doctype html>${text}`)],
  [
    'places of facts without an end',
    (text) => findReportFacts(`<!doctype html>${text.replaceAll('a', '<pre id="causeway-facts"')}`),
  ],
  ['checkpoints of the audit log', (text) => readCheckpoints(`${text}\n${text}`, 'console_action_log')],
  ['a sentence with particles', (text) => withParticles(markParticles(`${text}[이/가]`))],
])('%s: no more than a linear walk', async (_, parse) => expect(await costly(parse)).toBeNull());

test('a log for support is redacted at the cost of its length', async () => {
  const baits = [
    'token',
    'token-',
    'a-',
    'a.',
    'a+',
    '"a',
    '"token":"\\',
    'token="',
    'a://',
    '://a',
    '-----BEGIN ',
    '-----BEGIN PRIVATE KEY-----',
  ].flatMap((fragment) => [
    [JSON.stringify(fragment), repeated(fragment)] as const,
    [`${JSON.stringify(fragment)} and an end`, repeated(fragment, ' !')] as const,
  ]);
  for (const parse of [(text: string) => redact(text, '/home/kim'), (text: string) => withoutSecrets(text, [])])
    expect(await costly(parse, [...BAITS, ...baits])).toBeNull();
});

test('nor do keys without an end cost a services’ log more', async () => {
  const cut = repeated('-----BEGIN PRIVATE KEY-----');
  expect(await growth((text) => withoutSecrets(text, []), cut, 50_000)).toBeLessThan(MOST_TIMES);
  expect(withoutSecrets(`a\n${cut(100)}MC4CAQ`, [])).toBe('a\n[removed]');
});

describe('headers of a whole request', () => {
  const fixture = new TestConsole();
  afterAll(() => fixture.close());
  const HEADERS = [
    'accept',
    'authorization',
    'cookie',
    'content-type',
    'if-match',
    'if-none-match',
    'last-event-id',
    'x-forwarded-for',
  ];
  test.each(HEADERS)('%s', async (name) => {
    const bait = await costly((text) =>
      fixture.ask({
        method: 'GET',
        url: '/api/v1/audit/actions',
        as: 'TENANT_ADMIN',
        headers: { [name]: text.replaceAll(/[^\t\x20-\x7e]/g, '-') },
      }),
    );
    expect(bait).toBeNull();
  });
});
