/** Each promise is broken on purpose once, and more: the checker names that promise, and no other. */
import { expect, test } from 'vitest';
import type { Decision, History, ItemRead, Operation, ProvisionRead } from './history.ts';
import { breachesOf, PROMISES } from './promises.ts';

const TENANT = 1;
const span = (begin: number) => ({ begin, end: begin + 5 });
const load = (id: string, begin: number): Operation => ({
  kind: 'PUBLICATION',
  entry: `NEW ${id}`,
  outcome: 'DONE',
  ...span(begin),
});
const given = (text: string | null, begin: number): ProvisionRead => ({
  kind: 'PROVISION',
  tenant: TENANT,
  channel: 'MTS',
  ticker: '069500',
  text,
  ...span(begin),
});
const item = (id: string, version: number, status: string, begin: number): ItemRead => ({
  kind: 'ITEM',
  tenant: TENANT,
  item: id,
  version,
  status,
  epoch: 0,
  ...span(begin),
});
const decision = (fields: Partial<Decision> & Pick<Decision, 'item' | 'move' | 'seen' | 'begin'>): Decision => ({
  kind: 'DECISION',
  tenant: TENANT,
  token: `${fields.move} at ${fields.begin}`,
  person: 'reviewer',
  version: fields.seen + 1,
  text: null,
  outcome: 'DONE',
  epoch: 0,
  end: fields.begin + 5,
  ...fields,
});

const LED_TO: Partial<Record<string, string>> = {
  stop: 'STOPPED',
  'move-to-review': 'PENDING_REVIEW',
  'approve-edited': 'PUBLISHED',
  correct: 'PUBLISHED',
};

const stopOfB = { tenant: TENANT, item: 'b', move: 'stop', person: 'reviewer', status: 'STOPPED', text: null };

interface Whole extends History {
  operations: Operation[];
  words: History['words'];
  recorded: History['recorded'];
}

/** A history of two tenants that keeps every promise: three loads, a stop, a lift, a withdrawal, a switch. */
function whole(): Whole {
  const entries = [
    { cursor: 1, entry: 'NEW a' },
    { cursor: 2, entry: 'NEW b' },
    { cursor: 3, entry: 'NEW c' },
    { cursor: 4, entry: 'INVALIDATION c' },
  ];
  const all = (tenant: number): Operation => ({ kind: 'BUNDLE', tenant, after: 0, head: 4, entries, ...span(900) });
  const decisions = [
    decision({ item: 'b', move: 'stop', seen: 1, begin: 120 }),
    decision({ item: 'a', move: 'move-to-review', seen: 1, begin: 140 }),
    decision({ item: 'a', move: 'approve-edited', seen: 2, begin: 160, text: 'a, edited' }),
    decision({ item: 'b', move: 'stop', seen: 1, begin: 170, outcome: 'REFUSED', version: null }),
    decision({
      item: 'a',
      move: 'correct',
      seen: 3,
      begin: 180,
      text: 'a, corrected',
      outcome: 'OPEN',
      end: Infinity,
      version: null,
    }),
  ];
  return {
    operations: [
      load('a', 0),
      load('b', 10),
      load('c', 190),
      { kind: 'PUBLICATION', entry: 'INVALIDATION c', outcome: 'DONE', ...span(300) },
      { kind: 'BUNDLE', tenant: TENANT, after: 0, head: 2, entries: entries.slice(0, 2), ...span(20) },
      all(TENANT),
      all(2),
      given('a', 50),
      given('b', 60),
      item('b', 1, 'AUTO_PUBLISHED', 100),
      ...decisions,
      item('b', 2, 'STOPPED', 130),
      given(null, 135),
      item('a', 3, 'PUBLISHED', 170),
      given('a, edited', 172),
      given('a, corrected', 185),
      given('c', 200),
      { kind: 'SWITCH', tenant: TENANT, channel: 'MTS', enabled: false, seen: 1, outcome: 'DONE', ...span(210) },
      given(null, 220),
      { kind: 'SWITCH', tenant: TENANT, channel: 'MTS', enabled: true, seen: 2, outcome: 'DONE', ...span(230) },
      given('c', 240),
      item('c', 2, 'INVALIDATED', 320),
      given(null, 330),
    ],
    texts: new Map([
      ['a', { item: 'a', ticker: '069500', place: 1, isScreened: true }],
      ['a, edited', { item: 'a', ticker: '069500', place: 1, isScreened: true }],
      ['a, corrected', { item: 'a', ticker: '069500', place: 1, isScreened: true }],
      ['b', { item: 'b', ticker: '069500', place: 2, isScreened: true }],
      ['c', { item: 'c', ticker: '069500', place: 3, isScreened: true }],
    ]),
    words: [],
    recorded: decisions
      .filter(({ outcome }) => outcome !== 'REFUSED')
      .map(({ tenant, item: id, move, token, person, text }) => ({
        ...{ tenant, item: id, move, token, person, text },
        status: LED_TO[move] ?? '',
      })),
  };
}

test('a history that keeps every promise has no breach', () => {
  expect(breachesOf(whole())).toEqual([]);
});

function operation<K extends Operation['kind']>(history: Whole, kind: K, number = 0): Extract<Operation, { kind: K }> {
  const found = history.operations.filter((each): each is Extract<Operation, { kind: K }> => each.kind === kind)[
    number
  ];
  if (found === undefined) throw new Error(`no ${kind} ${number}`);
  return found;
}
const swap = (history: Whole, tenant: number): void => {
  for (const each of history.operations)
    if (each.kind === 'BUNDLE' && each.tenant === tenant)
      each.entries = each.entries.map(({ cursor, entry }) => ({
        cursor,
        entry: entry === 'NEW a' ? 'NEW b' : entry === 'NEW b' ? 'NEW a' : entry,
      }));
};
const MUTATIONS: [name: keyof typeof PROMISES, what: string, mutate: (history: Whole) => void][] = [
  [
    'oneOrder',
    'a read shows another entry at a cursor',
    (history) => {
      const read = operation(history, 'BUNDLE');
      read.entries = [{ cursor: 1, entry: 'NEW b' }];
    },
  ],
  ['oneOrder', 'a tenant has two entries in another order', (history) => swap(history, 2)],
  [
    'oneOrder',
    'all have an order against real time',
    (history) => [TENANT, 2].forEach((tenant) => swap(history, tenant)),
  ],
  [
    'oneOrder',
    'a hole',
    (history) => {
      const read = operation(history, 'BUNDLE', 2);
      read.head = 5;
      read.entries = read.entries.map(({ cursor, entry }) => ({ cursor: cursor > 2 ? cursor + 1 : cursor, entry }));
    },
  ],
  [
    'nothingMissing',
    'an acknowledged load is missing',
    (history) => {
      history.operations.push(load('d', 400));
    },
  ],
  [
    'nothingMissing',
    'an entry that was never asked for',
    (history) => {
      history.operations = history.operations.filter(
        (each) => !(each.kind === 'PUBLICATION' && each.entry === 'NEW b'),
      );
    },
  ],
  [
    'nothingMissing',
    'a head of a replica that lags',
    (history) => {
      history.operations.push({ kind: 'BUNDLE', tenant: 2, after: 3, head: 3, entries: [], ...span(400) });
    },
  ],
  [
    'neverBack',
    'an earlier place comes back',
    (history) => {
      history.operations.push(given('a', 70));
    },
  ],
  [
    'neverBack',
    'a corrected text comes back',
    (history) => {
      history.operations.push(given('a, edited', 195));
    },
  ],
  [
    'neverBack',
    'a text that nobody wrote',
    (history) => {
      history.operations.push(given('nonsense', 70));
    },
  ],
  [
    'nothingAfterItsEnd',
    'a stopped text',
    (history) => {
      history.operations.push({ ...given('b', 132), channel: 'HTS' });
    },
  ],
  [
    'nothingAfterItsEnd',
    'a withdrawn text',
    (history) => {
      history.operations.push(given('c', 340));
    },
  ],
  [
    'nothingAfterItsEnd',
    'a stopped text, which an approval without an answer had read before',
    (history) => {
      const open = { item: 'b', move: 'approve' as const, seen: 1, begin: 110, outcome: 'OPEN' as const };
      history.operations.push(decision({ ...open, version: null, end: Infinity, text: 'b' }));
      history.operations.push({ ...given('b', 132), channel: 'HTS' });
    },
  ],
  [
    'decisionsLinearise',
    'two decisions replace one version',
    (history) => {
      const [, other] = [0, 3].map((number) => operation(history, 'DECISION', number));
      if (other === undefined) return;
      other.outcome = 'DONE';
      other.version = 2;
      history.recorded.push({ ...stopOfB, token: other.token });
    },
  ],
  [
    'decisionsLinearise',
    'a read of a version that is over',
    (history) => {
      history.operations.push(item('b', 1, 'AUTO_PUBLISHED', 200));
    },
  ],
  [
    'decisionsLinearise',
    'one version with two states',
    (history) => {
      history.operations.push(item('b', 2, 'BLOCKED', 140));
    },
  ],
  [
    'decisionsLinearise',
    'a decision skips a version',
    (history) => {
      operation(history, 'DECISION', 2).version = 4;
    },
  ],
  [
    'decisionsKept',
    'an acknowledged decision is lost',
    (history) => {
      history.recorded.shift();
    },
  ],
  [
    'decisionsKept',
    'a decision is on record twice',
    (history) => {
      history.recorded.push({ ...(history.recorded[0] as History['recorded'][number]) });
    },
  ],
  [
    'decisionsKept',
    'a refused decision was made',
    (history) => {
      history.recorded.push({ ...stopOfB, token: 'stop at 170' });
    },
  ],
  [
    'decisionsKept',
    'a decision is on record as another',
    (history) => {
      Object.assign(history.recorded[0] ?? {}, { move: 'block' });
    },
  ],
  [
    'decisionsKept',
    'an edited text is lost',
    (history) => {
      for (const row of history.recorded) if (row.move === 'approve-edited') row.text = 'a';
    },
  ],
  [
    'decisionsKept',
    'a decision is on record as that of another person',
    (history) => {
      Object.assign(history.recorded[0] ?? {}, { person: 'operator' });
    },
  ],
  [
    'decisionsKept',
    'a decision leads to another state',
    (history) => {
      Object.assign(history.recorded[0] ?? {}, { status: 'PUBLISHED' });
    },
  ],
  [
    'decisionsKept',
    'a decision that nobody made',
    (history) => {
      history.recorded.push({ ...stopOfB, tenant: 2, token: 'a stranger' });
    },
  ],
  [
    'switchesHold',
    'a channel that is switched off is given a text',
    (history) => {
      history.operations.push(given('c', 222));
    },
  ],
  [
    'switchesHold',
    'a channel that is switched off again, after a switch without an answer',
    (history) => {
      const open = { kind: 'SWITCH' as const, tenant: TENANT, channel: 'MTS', outcome: 'OPEN' as const };
      history.operations.push({ ...open, enabled: true, seen: 1, begin: 205, end: Infinity }, given('c', 222));
    },
  ],
  [
    'policiesHold',
    'a text with a word of the policy that nobody has approved',
    (history) => {
      history.words = [{ tenant: TENANT, word: 'c', since: 100 }];
    },
  ],
];

test.each(MUTATIONS)('%s is broken: %s', (name, _, mutate) => {
  const history = whole();
  mutate(history);
  const names = new Set(breachesOf(history).map((breach) => breach.split(':')[0]));
  expect([...names]).toEqual([name]);
});

test('every promise is broken at least once', () => {
  expect(new Set(MUTATIONS.map(([name]) => name))).toEqual(new Set(Object.keys(PROMISES)));
});
