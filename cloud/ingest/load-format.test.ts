/** The JSON Schema of a load against the door: what one takes the other takes, but for what the description says. */
import fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commandWith } from '../../test/support/cloud/command.ts';
import { backfill, live, v2 } from '../../test/support/cloud/loads.ts';
import { outcomeLines } from '../publication/outcomes.ts';
import { describeLoad, EXAMPLE_LOAD } from './load-format.ts';
import { readLoad } from './read-load.ts';

/** A validator of JSON Schema that changes nothing of what it reads. */
const validator = fastify({
  ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } },
});
beforeAll(async () => {
  // Its validator knows no later draft by that name; the keywords used are the same.
  const body = { ...describeLoad() };
  delete body.$schema;
  validator.post('/', { schema: { body } }, () => ({}));
  await validator.ready();
});
afterAll(() => validator.close());

async function bySchema(load: unknown): Promise<boolean> {
  const { statusCode } = await validator.inject({
    method: 'POST',
    url: '/',
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify(load),
  });
  return statusCode === 200;
}
function byDoor(load: unknown): boolean {
  try {
    readLoad(Buffer.from(JSON.stringify(load)));
    return true;
  } catch {
    return false;
  }
}

type Change = [what: string, path: string, value: unknown];
/** The load with one value changed; undefined takes it away. */
function changed(load: object, path: string, value: unknown): unknown {
  const copy: unknown = structuredClone(load);
  const steps = path.split('.');
  let at = copy as Record<string, unknown>;
  for (const step of steps.slice(0, -1)) at = at[step] as Record<string, unknown>;
  const last = steps.at(-1) ?? '';
  if (value === undefined) delete at[last];
  else at[last] = value;
  return copy;
}

test('the command prints it, with an example that the schema and the door take', async () => {
  const { code, out } = await commandWith({}, 'load', '--schema');
  expect(code).toBe(0);
  const printed = JSON.parse(out) as { examples: unknown[] };
  expect(printed).toEqual(describeLoad());
  expect(printed.examples).toEqual([EXAMPLE_LOAD]);
  expect([await bySchema(EXAMPLE_LOAD), byDoor(EXAMPLE_LOAD)]).toEqual([true, true]);
  expect(await commandWith({}, 'load', '--schema', 'file')).toMatchObject({ code: 2 });
});

test.each([
  ['REALTIME', live({ key: 'a' })],
  ['DAILY', { ...live({ key: 'b' }), mode: 'DAILY' }],
  ['BACKFILL', backfill({ key: 'c' })],
  ['BACKFILL without a result', { ...backfill({ key: 'd' }), result: null }],
  ['V2', v2({ key: 'e' })],
  ['a field that may be absent', changed(EXAMPLE_LOAD, 'result.counter_factors', undefined)],
  [
    'nothing measured',
    changed(
      changed(changed(EXAMPLE_LOAD, 'result.surface', null) as object, 'result.confidence_level', null) as object,
      'result.surface_units',
      undefined,
    ),
  ],
  ['a calculation of an instant', changed(EXAMPLE_LOAD, 'lineage.calculations.0.as_of', '2026-06-15T15:30:00Z')],
])('%s: both take it', async (_what, load) => {
  expect([await bySchema(load), byDoor(load)]).toEqual([true, true]);
});

test('every field says what it is, and every value has an example that fits', () => {
  const silent: string[] = [];
  const look = (at: string, schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return;
    for (const [key, value] of Object.entries(schema))
      if (key === 'properties') {
        for (const [name, inside] of Object.entries(
          value as Record<string, { description?: string; examples?: unknown[] }>,
        )) {
          const isValue =
            JSON.stringify(inside).includes('"type":') &&
            !/"properties"|"additionalProperties"|"items"/.test(JSON.stringify(inside));
          if (inside.description === undefined || (isValue && inside.examples === undefined))
            silent.push(`${at}${name}`);
          look(`${at}${name}.`, inside);
        }
      } else look(at, value);
  };
  look('', describeLoad());
  expect(silent).toEqual([]);
  const help = outcomeLines().join('\n');
  expect(describeLoad().description).toContain(help);
});

const BAD: Change[] = [
  ['another mode', 'mode', 'NIGHTLY'],
  ['a field that is missing', 'run', undefined],
  ['a misspelt field', 'sumary', 'x'],
  ['a misspelt field inside', 'result.sumary', 'x'],
  ['a short ticker', 'instrument.ticker', '12'],
  ['an empty id', 'trigger.trigger_id', ''],
  ['a long id', 'trigger.trigger_id', 'x'.repeat(201)],
  ['a return as text', 'trigger.observed_return', '0.1'],
  ['a firing without an offset', 'trigger.fired_at', '2026-06-15T15:30:00'],
  ['a firing without seconds', 'trigger.fired_at', '2026-06-15T15:30+09:00'],
  ['a date that is none', 'result.trade_date', '2026-02-30'],
  ['a date of another form', 'result.trade_date', '15.06.2026'],
  ['a content time of another offset', 'result.content_as_of', '2026-06-15T06:30:00Z'],
  ['an empty text', 'result.summary', ''],
  ['another level', 'result.confidence_level', 'SURE'],
  ['measured, and no level', 'result.confidence_level', null],
  ['measured, and no type', 'result.explanation_type', null],
  ['a measured value as text', 'result.surface', { return: '0.1' }],
  ['a blank doubt', 'result.counter_factors', [' ']],
  ['too many doubts', 'result.counter_factors', Array.from({ length: 21 }, () => 'x')],
  ['a blank reason', 'republication', { reason: ' ' }],
  ['a time of a calculation that is none', 'lineage.calculations.0.as_of', 'June'],
  ['another kind of document', 'lineage.documents.0.document_type', 'RUMOUR'],
  ['lineage as null', 'lineage', null],
];
test.each(BAD)('%s: both refuse it', async (_what, path, value) => {
  const load = changed(EXAMPLE_LOAD, path, value);
  expect([await bySchema(load), byDoor(load)]).toEqual([false, false]);
});

describe('what the door alone refuses, as the description says', () => {
  const [document] = EXAMPLE_LOAD.lineage.documents;
  test.each<Change>([
    ['a reference to nothing', 'lineage.event_evidences.0.document_id', 'doc-9'],
    ['an id twice', 'lineage.documents', [document, document]],
    ['a NUL', 'result.summary', 'a\0b'],
    ['an instant of the year 0000', 'trigger.fired_at', '0000-06-15T15:30:00Z'],
  ])('%s', async (_what, path, value) => {
    const load = changed(EXAMPLE_LOAD, path, value);
    expect([await bySchema(load), byDoor(load)]).toEqual([true, false]);
  });
});
