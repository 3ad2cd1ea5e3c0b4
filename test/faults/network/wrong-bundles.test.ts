/**
 * Faults 16 to 20, 36 to 38 and 7 at the Intake: complete answers with wrong content (D31 to D37). A body that breaks
 * the envelope is not committed and goes to quarantine; an entry that does not fit is rejected and delays no other.
 */
import { describe, expect, test } from 'vitest';
import { onWire, type Misbehaviour, type Situation } from '../../support/scripted-cloud.ts';
import { makeVendorKey } from '../../support/vendor-key.ts';
import { begun, pullsInVain, type IntakeFixture } from '../intake-fixture.ts';
import { newSeed, runs, some } from '../../support/runs.ts';
import { placesIn } from '../places.ts';
import { bodyOf, bundleOf, entries, invalidationAt, newAt, TENANT, TEXT_LIST, type Entry } from '../truth.ts';
import { Seeded } from '../../support/seeded.ts';

const random = new Seeded(newSeed());

interface Bundle extends Record<string, unknown> {
  cursor_from: number;
  cursor_to: number;
  entries: Entry[];
}

/** The honest bundle of this moment, with something put wrong. */
const altered =
  (alter: (bundle: Bundle) => Record<string, unknown>): Misbehaviour =>
  ({ honest }) =>
    onWire(bodyOf(alter(honestBundle(honest))));

function honestBundle(honest: Situation['honest']): Bundle {
  return (JSON.parse(honest().body.toString()) as { result: Bundle }).result;
}

/** The honest bytes with something put wrong in the text. */
const rewritten =
  (from: string | RegExp, to: string): Misbehaviour =>
  ({ honest }) => {
    const text = honest().body.toString();
    const wrong = text.replace(from, to);
    expect(wrong, 'the text to be put wrong is there').not.toBe(text);
    return onWire(Buffer.from(wrong));
  };

describe('D33: a body that breaks the envelope is not committed, is kept apart, and is asked for again', () => {
  const swapped = ({ entries: [a, b, ...rest], ...bundle }: Bundle) => ({ ...bundle, entries: [b, a, ...rest] });
  test.each<[string, Misbehaviour]>([
    ['20: a bundle of another tenant', altered((bundle) => ({ ...bundle, tenant_id: TENANT + 1 }))],
    ['17: entries in another order', altered(swapped)],
    [
      '17: an entry twice',
      altered((bundle) => ({ ...bundle, entries: bundle.entries.flatMap((entry) => [entry, entry]) })),
    ],
    ['17: an old bundle again', () => onWire(bodyOf(bundleOf(0, entries(5))))],
    [
      '19: the range begins later than was asked',
      altered((bundle) => ({ ...bundle, cursor_from: bundle.cursor_from + 1 })),
    ],
    [
      'overlap: the range begins earlier than was asked',
      altered((bundle) => ({ ...bundle, cursor_from: bundle.cursor_from - 1 })),
    ],
    [
      'regression: the whole range lies before the cursor',
      ({ after }) => onWire(bodyOf(bundleOf(after - 2, [newAt(after - 1, 'old')]))),
    ],
    [
      'the first entry is at cursor_from',
      ({ after }) => onWire(bodyOf(bundleOf(after, [newAt(after, 'x'), newAt(after + 1, 'y')]))),
    ],
    ['cursor_to is above the last entry', altered((bundle) => ({ ...bundle, cursor_to: bundle.cursor_to + 1 }))],
    ['cursor_to is below the last entry', altered((bundle) => ({ ...bundle, cursor_to: bundle.cursor_to - 1 }))],
    ['a bundle without entries', altered((bundle) => ({ ...bundle, entries: [], cursor_to: bundle.cursor_from }))],
    ['entries that are no list', altered((bundle) => ({ ...bundle, entries: { ...bundle.entries } }))],
    ['no entries at all', altered(({ entries: _, ...bundle }) => bundle)],
    [
      'an entry without a cursor',
      altered((bundle) => ({ ...bundle, entries: [{ delivery_type: 'NEW' }, ...bundle.entries] })),
    ],
    ['a cursor as text', altered((bundle) => ({ ...bundle, cursor_to: String(bundle.cursor_to) }))],
    ['a cursor that is no whole number', altered((bundle) => ({ ...bundle, cursor_from: bundle.cursor_from + 0.5 }))],
    // D3: beyond 2^53-1 a number is no longer exact, and nothing is rounded.
    ['a cursor beyond 2^53-1', rewritten(/"cursor_to":\d+/, '"cursor_to":9007199254740993')],
    [
      'an entry’s cursor beyond 2^53-1',
      rewritten(/"entries":\[\{"cursor":\d+/, '"entries":[{"cursor":9007199254740993'),
    ],
    ['a tenant beyond 2^63-1', rewritten(/"tenant_id":\d+/, '"tenant_id":9223372036854775808')],
    ['bundle_id is no UUID', altered((bundle) => ({ ...bundle, bundle_id: 'x' }))],
    // Two readers would take different ones of the two.
    ['37: a name twice in the bundle', rewritten(/"cursor_to":(\d+)/, '"cursor_to":$1,"cursor_to":$1')],
    ['37: a name twice in an entry', rewritten('"delivery_type":', '"delivery_type":"NEW","delivery_type":')],
    ['37: a name twice, once escaped', rewritten('"delivery_type":', '"delivery\\u005ftype":"NEW","delivery_type":')],
    [
      '37: nested a hundred thousand deep',
      rewritten('"cursor":', `"x":${'['.repeat(100_000)}${']'.repeat(100_000)},"cursor":`),
    ],
    ['37: nested without an end', () => onWire(Buffer.from('{"a":'.repeat(1_000_000)))],
  ])('%s', async (_, misbehaviour) => {
    const fixture = await begun();
    await pullsInVain(fixture, misbehaviour, { state: 'VIOLATION', quarantined: 1 });
    // The next poll asks again from the same place; the fault lasts, and the quarantine does not grow without bound.
    for (let poll = 0; poll < runs(3, 25); poll++) await fixture.pull();
    expect(new Set(fixture.cloud.asked.slice(1)), 'asked from the committed cursor').toEqual(
      new Set([fixture.status().committedCursor]),
    );
    expect(fixture.status().quarantinedBundles).toBeLessThanOrEqual(20);
    fixture.promises();
    await fixture.catchUp();
  });

  test('20: the first bundle pins the tenant, also when nothing else names the ledger’s tenant', async () => {
    const fixture = await begun();
    const asOther: Misbehaviour = ({ after }) =>
      onWire(bodyOf(bundleOf(after, [newAt(after + 1, 'x')], { tenant_id: 8 })));
    await pullsInVain(fixture, asOther, { state: 'VIOLATION', quarantined: 1 });
    expect(fixture.status().lastError?.message).toMatch(/8.*7/);
    await fixture.catchUp();
  });
});

describe('16: a relay that touches the bytes is seen where the vendor signs (D59)', () => {
  const vendorKey = makeVendorKey();
  /** The healthy cloud's answer, with its bytes changed on the way. */
  const touched =
    (change: (body: Buffer) => Buffer): Misbehaviour =>
    ({ honest }) => {
      const { body, headers } = honest();
      return onWire(change(body), { headers });
    };

  test('any one byte', async () => {
    const truth = entries(6);
    const fixture = await begun({ truth, vendorKey });
    // One entry is left: a body short enough to change every byte in turn.
    const [last] = truth.slice(-1);
    fixture.cloud.entries = [...truth.slice(0, 5), invalidationAt(last?.cursor ?? 0, 'x', 'y')];
    const { length } = bodyOf(bundleOf(1, fixture.cloud.entries.slice(-1)));
    for (const [number, at] of placesIn(length, random).entries()) {
      const flip = (body: Buffer): Buffer => {
        body[at] = (body[at] ?? 0) ^ (1 << (at % 8));
        return body;
      };
      await pullsInVain(fixture, touched(flip), {
        state: 'VIOLATION',
        code: 'STATEMENT',
        quarantined: Math.min(number + 1, 20),
      });
    }
    fixture.promises();
    await fixture.catchUp();
  });
  test('any one character of the statement', async () => {
    const fixture = await begun({ vendorKey });
    const statement = (situation: Situation): string => situation.honest().headers['x-causeway-statement'] ?? '';
    let said = '';
    await pullsInVain(
      fixture,
      (situation) => {
        said = statement(situation);
        return onWire(situation.honest().body);
      },
      { state: 'VIOLATION', code: 'STATEMENT', quarantined: 1 },
    );
    for (const [number, at] of placesIn(said.length, random).entries()) {
      const flip: Misbehaviour = (situation) => {
        said = statement(situation);
        const other = said[at] === 'A' ? 'Q' : 'A';
        const headers = { 'x-causeway-statement': said.slice(0, at) + other + said.slice(at + 1) };
        return onWire(situation.honest().body, { headers });
      };
      await pullsInVain(fixture, flip, {
        state: 'VIOLATION',
        code: 'STATEMENT',
        quarantined: Math.min(number + 2, 20),
      });
    }
    await fixture.catchUp();
  });
  test.each<[string, Misbehaviour]>([
    [
      'the same JSON written anew',
      touched((body) => Buffer.from(JSON.stringify(JSON.parse(body.toString()), null, 1))),
    ],
    ['a line end added', touched((body) => Buffer.concat([body, Buffer.from('\n')]))],
    ['a statement that is none', ({ honest }) => onWire(honest().body, { headers: { 'x-causeway-statement': '%%%' } })],
    ['no statement', ({ honest }) => onWire(honest().body)],
    ['18: no news, unsigned', () => onWire(bodyOf())],
    [
      '19: a jump of the cursor, signed by nobody',
      ({ after }) => onWire(bodyOf(bundleOf(after, [newAt(2 ** 50, 'jump')]))),
    ],
  ])('%s', async (_, misbehaviour) => {
    const fixture = await begun({ vendorKey });
    await pullsInVain(fixture, misbehaviour, { state: 'VIOLATION', code: 'STATEMENT', quarantined: 1 });
    await fixture.catchUp();
  });
});

describe('a valid answer that is not the truth of this moment', () => {
  test('18: a frozen answer without news is valid for ever, and the head shows the lag', async () => {
    const fixture = await begun();
    const head = String(fixture.cloud.entries.at(-1)?.cursor);
    fixture.cloud.misbehave = () => onWire(bodyOf(), { headers: { 'x-causeway-head': head } });
    for (let poll = 0; poll < 10; poll++) await fixture.pull();
    const { committedCursor } = fixture.status();
    expect(fixture.status()).toMatchObject({ state: 'OK', head: Number(head), quarantinedBundles: 0 });
    expect(Number(head)).toBeGreaterThan(committedCursor);
    expect(fixture.status().alarms, 'it is told that it stands still').toContain('STALLED');
    await fixture.catchUp();
    expect(fixture.status().alarms).not.toContain('STALLED');
  });
  test('18: the same bundle for ever is committed once', async () => {
    const fixture = await begun();
    let frozen: Buffer | null = null;
    fixture.cloud.misbehave = ({ honest }) => onWire((frozen ??= honest().body));
    await fixture.pull();
    fixture.apply();
    const { committedCursor } = fixture.status();
    for (let poll = 0; poll < 10; poll++)
      await pullsInVain(fixture, fixture.cloud.misbehave, { state: 'VIOLATION', quarantined: 1 });
    expect(fixture.status().committedCursor).toBe(committedCursor);
    await fixture.catchUp();
  });
  test('19: the cursor jumps beyond the cloud’s head: the next honest answer raises the alarm, and it lasts', async () => {
    const fixture = await begun();
    const { committedCursor, appliedCursor } = fixture.status();
    const head = fixture.cloud.entries.at(-1)?.cursor ?? 0;
    fixture.cloud.misbehave = ({ after }) => onWire(bodyOf(bundleOf(after, [newAt(2 ** 50, 'jump')])));
    await fixture.pull();
    expect(fixture.status().committedCursor).toBe(2 ** 50);
    fixture.cloud.misbehave = null;
    for (let poll = 0; poll < 3; poll++) {
      await fixture.pull();
      fixture.apply();
      expect(fixture.status()).toMatchObject({ state: 'REGRESSED', head, appliedCursor });
    }
    expect(fixture.status().lastError?.message).toContain(`intake set-aside ${head}`);
    expect(committedCursor).toBe(appliedCursor);
    // The administrator's repair, as the status describes it.
    expect(fixture.truncate(head)).toMatchObject({ committed: committedCursor, bundles: 1 });
    await fixture.catchUp();
    expect(fixture.status().quarantinedBundles).toBe(1);
    expect(outcome(fixture, 'jump')).toBeUndefined();
  });
  test('19: a jump that was applied is not exposed any more once it is truncated, and the texts that it hid come', async () => {
    const fixture = await begun();
    const { committedCursor } = fixture.status();
    // An explanation that awaits review; the jump brings a text for it that needs none.
    const id = 'e1-1';
    expect(outcome(fixture, id)).toBeDefined();
    const known = fixture.cloud.entries.find((entry) => JSON.stringify(entry).includes(`"${id}"`));
    const { etf_ticker: ticker = '' } = (known?.['explanation_result'] ?? {}) as { etf_ticker?: string };
    const jumped = [newAt(2 ** 50, 'jump'), newAt(2 ** 50 + 1, id, { ticker, summary: TEXT_LIST[1] ?? '' })];
    fixture.cloud.misbehave = ({ after }) => onWire(bodyOf(bundleOf(after, jumped)));
    await fixture.pull();
    fixture.apply();
    expect(fixture.status().appliedCursor).toBe(2 ** 50 + 1);
    expect(outcome(fixture, 'jump')).toBe('AUTO_PUBLISHED');
    fixture.cloud.misbehave = null;
    expect(fixture.truncate(committedCursor)).toMatchObject({
      committed: committedCursor,
      bundles: 1,
      hidden: 1,
      reverted: 1,
    });
    expect(outcome(fixture, 'jump')).toBe('BLOCKED');
    await fixture.catchUp();
    expect(outcome(fixture, 'jump')).toBe('BLOCKED');
  });
  test('19: with a head in the answer, the jump is a violation and hides nothing', async () => {
    const fixture = await begun();
    const head = fixture.cloud.entries.at(-1)?.cursor ?? 0;
    const jump: Misbehaviour = ({ after }) =>
      onWire(bodyOf(bundleOf(after, [newAt(after + 1, 'x'), newAt(head + 2, 'jump')])), {
        headers: { 'x-causeway-head': String(head) },
      });
    await pullsInVain(fixture, jump, { state: 'VIOLATION', code: 'JUMP', quarantined: 1 });
    await fixture.catchUp();
  });
  test('6: the head falls below the cursor (D31): the alarm is seen, nothing more is applied, and all is well when it is back', async () => {
    const fixture = await begun();
    await fixture.pull();
    const { committedCursor, appliedCursor } = fixture.status();
    expect(committedCursor).toBeGreaterThan(appliedCursor);
    const lost =
      (head: number): Misbehaviour =>
      () =>
        onWire(bodyOf(), { headers: { 'x-causeway-head': String(head) } });
    for (const head of [committedCursor - 1, 0]) {
      await pullsInVain(fixture, lost(head), { state: 'REGRESSED' });
      expect(fixture.status().head).toBe(head);
    }
    fixture.promises();
    await fixture.catchUp();
  });
  test('an answer without a head ends no alarm, and raises none', async () => {
    const fixture = await begun();
    fixture.cloud.tellsHead = false;
    await fixture.catchUp();
    expect(fixture.status().head).toBeNull();
  });
});

/** Received and applied from such a truth, in bundles of a hundred; the promises are checked against the plain fold. */
async function received(truth: Entry[]): Promise<IntakeFixture> {
  const fixture = await begun({ truth: [...entries(5, 99), ...truth], limit: 100 });
  await fixture.catchUp();
  return fixture;
}
const FROM = 100;
const outcome = (fixture: IntakeFixture, id: string): unknown => fixture.explanation(id)?.status;

describe('entries that do not fit hold up no others (D34)', () => {
  const good = Array.from({ length: 100 }, (_, index) => newAt(FROM + index, `good-${index}`));
  const poisons: Record<string, (entry: Entry) => Entry> = {
    'a retired type': (entry) => ({ ...entry, delivery_type: 'CORRECTION' }),
    'an unknown type': (entry) => ({ ...entry, delivery_type: 'TRANSLATION' }),
    'no type': ({ cursor }) => ({ cursor }) as Entry,
    'a number as text': (entry) => ({
      ...entry,
      explanation_result: { ...(entry['explanation_result'] as object), summary: 5 },
    }),
    'a missing field': (entry) => ({ ...entry, explanation_result: {} }),
    'no lists': (entry) => ({ ...entry, source_events: null }),
    'U+0000 in a text': (entry) => ({ ...newAt(entry.cursor, 'x', { summary: 'a\u0000b' }) }),
    'half a surrogate pair in a text': (entry) => ({ ...newAt(entry.cursor, 'x', { summary: 'a\ud800b' }) }),
    'half a surrogate pair in a name of a field': (entry) => ({ ...entry, 'a\udc00': 1 }),
    'both targets': ({ cursor }) => ({ ...invalidationAt(cursor, 'a'), target_movement_analysis_id: 'b' }),
  };
  test.each(some(4, Object.entries(poisons)))('36, 37: %s, at place 50 of 100', async (_, poison) => {
    const truth = good.map((entry, index) => (index === 49 ? poison(entry) : entry));
    const fixture = await received(truth);
    expect(fixture.status()).toMatchObject({
      state: 'OK',
      rejectedEntries: fixture.promises().rejected.length,
      quarantinedBundles: 0,
    });
    expect(fixture.promises().rejected).toContain(FROM + 49);
    expect(outcome(fixture, 'good-48')).toBe('AUTO_PUBLISHED');
    expect(outcome(fixture, 'good-49')).toBeUndefined();
    expect(outcome(fixture, 'good-50')).toBe('AUTO_PUBLISHED');
  });
  test('37: an entry of eight megabytes is an entry like any other', async () => {
    const large = newAt(FROM, 'large');
    large['evidences'] = [
      {
        kind: 'CALCULATION',
        title: '수익률',
        source: 'PRICES',
        published_at: null,
        as_of: null,
        tool_run_id: 't',
        item_ids: [],
        arguments: {},
        output: { rows: Array.from({ length: 1_000 }, (_, index) => '가'.repeat(2_700) + index) },
        formula_latex: null,
        description: 'd',
      },
    ];
    expect(Buffer.byteLength(JSON.stringify(large))).toBeGreaterThan(8_000_000);
    const fixture = await received([large, newAt(FROM + 1, 'after')]);
    expect(outcome(fixture, 'large')).toBe('AUTO_PUBLISHED');
    expect(outcome(fixture, 'after')).toBe('AUTO_PUBLISHED');
  });
});

describe('the same id again (D37), and withdrawals in every order (D35)', () => {
  const other = TEXT_LIST[1] ?? '';
  const review = TEXT_LIST[2] ?? '';
  const cases: [string, Entry[], string | undefined, number][] = [
    ['38: the same bytes again', [newAt(FROM, 'a'), newAt(FROM + 1, 'a')], 'AUTO_PUBLISHED', 0],
    ['38: other content', [newAt(FROM, 'a'), newAt(FROM + 1, 'a', { summary: other })], 'AUTO_PUBLISHED', 0],
    [
      '38: a text that must be reviewed takes the place of one that was exposed',
      [newAt(FROM, 'a'), newAt(FROM + 1, 'a', { summary: review })],
      'PENDING_REVIEW',
      0,
    ],
    [
      '38: other content after the withdrawal',
      [newAt(FROM, 'a'), invalidationAt(FROM + 1, 'a'), newAt(FROM + 2, 'a', { summary: other })],
      'INVALIDATED',
      0,
    ],
    ['7: withdrawn before it comes', [invalidationAt(FROM, 'a'), newAt(FROM + 1, 'a')], 'INVALIDATED', 0],
    ['7: withdrawn and never come', [invalidationAt(FROM, 'a')], undefined, 1],
    [
      '7: withdrawn twice before it comes',
      [invalidationAt(FROM, 'a'), invalidationAt(FROM + 1, 'a'), newAt(FROM + 2, 'a')],
      'INVALIDATED',
      0,
    ],
    [
      '7: withdrawn twice after it came',
      [newAt(FROM, 'a'), invalidationAt(FROM + 1, 'a'), invalidationAt(FROM + 2, 'a')],
      'INVALIDATED',
      0,
    ],
  ];
  test.each(cases)('%s', async (_, truth, status, held) => {
    const fixture = await received(truth);
    expect(outcome(fixture, 'a')).toBe(status);
    expect(fixture.status()).toMatchObject({ state: 'OK', heldInvalidations: held });
  });
});
