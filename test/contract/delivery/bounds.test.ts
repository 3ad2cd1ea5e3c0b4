/**
 * What the engine's door publishes, every Intake applies (D198): random loads go to the door, and each published one
 * through a bundle to an Intake, which rejects none and withdraws each.
 */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { applyNext } from '../../../agent/intake/apply/apply.ts';
import { checkEnvelope } from '../../../agent/intake/receive/envelope.ts';
import { explanationRow, partsOn, type WholeParts } from '../../support/agent/intake.ts';
import { countHeld, countRejected } from '../../../agent/ledger/inbox/entries.ts';
import { commitBundle } from '../../../agent/ledger/inbox/raw-bundles.ts';
import { openLedger } from '../../../agent/ledger/storage/ledger.ts';
import { sqlite } from '../../../agent/ledger/storage/query.ts';
import { withdraw } from '../../../cloud/publication/withdraw.ts';
import { readLoad } from '../../../cloud/ingest/read-load.ts';
import { publish } from '../../../cloud/publication/publish.ts';
import { LoadRefusedError } from '../../../cloud/publication/refusal.ts';
import { bundleFixture } from '../../support/cloud/bundle-fixture.ts';
import { backfill, live, v2 } from '../../support/cloud/loads.ts';
import { AT, postgresKind } from '../../support/cloud/store.ts';
import { MAX_TEXT_LENGTH } from '../../../shared/wire/bundle-endpoint.ts';
import { LONGEST } from '../../../shared/wire/entry-fields.ts';
import { runs } from '../../support/runs.ts';

/** Characters that some reader or store treats in a way of its own. */
const SIGNS = [
  ...[
    '\u0001',
    '\u0007',
    '\u001b',
    '\u007f',
    '\u0085',
    '\u00a0',
    '\u00ad',
    '\u200b',
    '\u200d',
    '\u2028',
    '\u202e',
    '\u2800',
  ],
  ...[
    '\u3164',
    '\ufeff',
    '\ufffd',
    '\ufdd0',
    '\ue000',
    '\u{e0041}',
    '\t',
    '\n',
    '\r',
    ' ',
    '\\',
    '"',
    '%00',
    '/',
    '<b>',
    '0',
  ],
  ...[
    '가',
    '가\u0301',
    '漢\u{e0100}',
    '👨\u200d👩\u200d👧',
    '❤\ufe0f',
    '🏴\u{e0067}\u{e007f}',
    '__proto__',
    'constructor',
  ],
];
const sign = fc.constantFrom(...SIGNS);
const text = fc.oneof(
  fc
    .array(fc.oneof(sign, fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 4 })
    .map((parts) => parts.join('')),
  fc.tuple(sign, fc.constantFrom('한글', 'id-1')).map(([one, word]) => `${word}${one}${word}`),
  fc.stringMatching(/^[가-힣A-Za-z0-9][가-힣A-Za-z0-9 .,%/_-]{0,40}[가-힣A-Za-z0-9]$/),
  fc
    .tuple(sign, fc.constantFrom(...Object.values(LONGEST), 1, 40, MAX_TEXT_LENGTH), fc.integer({ min: -1, max: 1 }))
    .map(([one, length, more]) => one.repeat(length).slice(0, Math.max(0, length + more))),
);
const time = fc.constantFrom(
  ...['0001-01-01T00:00:00Z', '0001-01-01T00:00:00+09:00', '2026-11-20T24:00:00Z', '2026-11-20T23:59:59.9999999+09:00'],
  ...[
    '1899-12-31T23:59:60Z',
    '2026-11-20T06:30:00-15:59',
    '2026-11-20T06:30:00+15:59',
    '2026-11-20T06:30:00.123456789Z',
  ],
  ...['0001-01-01', '1582-10-10', '2024-02-29', '2026-11-20', '2026-11-20T15:30+09:00', '2026-11-20T15:30:00+09:00'],
);
const number = fc.oneof(
  fc.double({ noNaN: true }),
  fc.constantFrom(5e-324, -0, 1.7976931348623157e308, 1e21, 0.1 + 0.2),
);
const any = fc.oneof(text, time, number, fc.constantFrom(null, true), fc.jsonValue({ maxDepth: 3 }));
/** A place is a field of the load, and one of the leaves inside; most values are of the kind that stands there. */
const change = fc.record({ field: fc.nat(), place: fc.nat(), isAny: fc.nat(5), text, time, number, any });

/** Fields without any freedom: another value of theirs is refused whatever it is, and tries nothing. */
const FIXED = ['mode', 'failure', 'republication'];

type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

/** The places of all leaves of a load; the fields of calculations may be anything. */
function leaves(at: unknown, way: string[] = []): { way: string[]; value: unknown }[] {
  if (typeof at !== 'object' || at === null) return [{ way, value: at }];
  const inside = Object.entries(at).flatMap(([name, item]) => leaves(item, [...way, name]));
  return way.at(-1) === 'arguments' || way.at(-1) === 'output' ? [{ way, value: at }, ...inside] : inside;
}

function set(load: object, way: string[], to: unknown): void {
  const last = way.at(-1) ?? '';
  Reflect.set(
    way.slice(0, -1).reduce((at: object, name) => Reflect.get(at, name) as object, load),
    last,
    to,
  );
}

function kindOf(value: unknown): 'text' | 'time' | 'number' | 'any' {
  if (typeof value === 'number') return 'number';
  if (typeof value !== 'string') return 'any';
  return /^\d{4}-\d\d-\d\d/.test(value) ? 'time' : 'text';
}

/** Changes a leaf, and every equal text with it: a reference still finds its row. */
function changed(load: object, changes: readonly Change[]): object {
  const copy = structuredClone(load);
  for (const { field, place, ...values } of changes) {
    const all = leaves(copy);
    const fields = Object.keys(copy).filter((name) => !FIXED.includes(name));
    const inside = all.filter(({ way: [first] }) => first === fields[field % fields.length]);
    const one = inside[place % inside.length];
    if (one === undefined) continue;
    const to = values.isAny === 0 ? values.any : values[kindOf(one.value)];
    const isText = typeof one.value === 'string' && one.value.length > 3;
    for (const other of isText ? all.filter((leaf) => leaf.value === one.value) : [one]) set(copy, other.way, to);
  }
  return copy;
}

describe('a load that the door publishes', () => {
  const fixture = bundleFixture(postgresKind);
  let parts: WholeParts;
  beforeEach(() => (parts = partsOn(openLedger(':memory:'), '2026-11-20T08:00:00.000Z')));
  afterEach(() => parts.ledger.close());

  /** What the cloud sends from here on, committed and applied by the Intake. @returns its last cursor */
  async function receive(after: number): Promise<number> {
    const { text: body, to } = await fixture.ask(after, 500);
    if (to === null) return after;
    const bytes = Buffer.from(body);
    expect(checkEnvelope(bytes, { tenantId: 1, after })).toMatchObject({ kind: 'BUNDLE' });
    const [bundleId, statement] = [crypto.randomUUID(), null];
    const row = { cursorFrom: after, cursorTo: to, bundleId, entryCount: to - after, tenantId: 1, body: bytes };
    parts.ledger.write((tx) =>
      commitBundle(tx, { ...row, signature: null, statement, receivedAt: '2026-11-20T08:00:00.000Z' }),
    );
    while (applyNext(parts));
    return to;
  }
  const rejections = (): unknown[] => [
    ...parts.ledger.all(sqlite.selectFrom('rejected_entry').select(['cursor', 'reason'])),
  ];

  test('is applied by the Intake, and withdrawn there', async () => {
    fixture.parts.calculations = true;
    let [count, published, cursor] = [0, 0, 0];
    const modes = fc.constantFrom(live, backfill, v2);
    await fc.assert(
      fc.asyncProperty(modes, fc.array(change, { minLength: 1, maxLength: 2 }), async (make, changes) => {
        count += 1;
        // An instrument of its own: a changed ticker or market would refuse all that come after it.
        const load = structuredClone(make({ key: `k${count}` }));
        load.instrument.instrument_id = `instrument-${count}`;
        const line = Buffer.from(JSON.stringify(changed(load, changes)));
        let outcome;
        try {
          outcome = await publish(fixture.store, readLoad(line), AT);
        } catch (error) {
          if (error instanceof LoadRefusedError) return;
          throw error;
        }
        if (outcome.outcome !== 'PUBLISHED' || outcome.id === null) return;
        published += 1;
        const { id } = outcome;
        cursor = await receive(cursor);
        expect(rejections()).toEqual([]);
        expect(explanationRow(parts.ledger, id)?.status).not.toBe('INVALIDATED');
        const target = make === v2 ? { movementAnalysisId: id } : { explanationResultId: id };
        await fixture.store.transaction((trx) => withdraw(trx, target, '정정', AT));
        cursor = await receive(cursor);
        expect([rejections(), countHeld(parts.ledger), countRejected(parts.ledger)]).toEqual([[], 0, 0]);
        expect(explanationRow(parts.ledger, id)?.status).toBe('INVALIDATED');
      }),
      { numRuns: runs(150, 4_000) },
    );
    expect(published).toBeGreaterThan(count / 10);
  });
});
