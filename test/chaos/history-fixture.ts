/** A history that keeps every promise, and the operations of which tests make others. */
import type {
  Decision,
  History,
  ItemRead,
  Operation,
  Outcome,
  ProvisionRead,
  Publication,
  Switch,
  Text,
} from './history.ts';

export const TENANT = 1;
export const OTHER_TENANT = 2;

/** What a test does to the whole history. */
export type Change = (history: Whole) => void;

interface Whole extends History {
  operations: Operation[];
  texts: Map<string, Text>;
  words: History['words'];
  recorded: History['recorded'];
}

const span = (begin: number) => ({ begin, end: begin + 5 });

/** What an operation without an answer has. */
export const OPEN = { outcome: 'OPEN', version: null, end: Infinity } as const;

export const publication = (entry: string, begin: number, fields: Partial<Publication> = {}): Publication => ({
  kind: 'PUBLICATION',
  entry,
  outcome: 'DONE',
  ...span(begin),
  ...fields,
});

export const served = (text: string | null, begin: number, fields: Partial<ProvisionRead> = {}): ProvisionRead => ({
  kind: 'PROVISION',
  tenant: TENANT,
  channel: 'MTS',
  ticker: '069500',
  text,
  ...span(begin),
  ...fields,
});

/** The same at a channel that is never switched off. */
export const servedHts = (text: string, begin: number): ProvisionRead => served(text, begin, { channel: 'HTS' });

export const item = (id: string, version: number, status: string, begin: number): ItemRead => ({
  kind: 'ITEM',
  tenant: TENANT,
  item: id,
  version,
  status,
  ...span(begin),
});

export const decision = (fields: Partial<Decision> & Pick<Decision, 'item' | 'move' | 'seen' | 'begin'>): Decision => ({
  kind: 'DECISION',
  tenant: TENANT,
  token: `${fields.move} at ${fields.begin}`,
  person: 'reviewer',
  version: fields.seen + 1,
  text: null,
  outcome: 'DONE',
  end: fields.begin + 5,
  ...fields,
});

/** What a refused decision has. */
export const refused = { outcome: 'REFUSED', version: null } as const;

export const switched = (
  enabled: boolean,
  seen: number,
  begin: number,
  outcome: Outcome = 'DONE',
  end: number = outcome === 'OPEN' ? Infinity : begin + 5,
): Switch => ({ kind: 'SWITCH', tenant: TENANT, channel: 'MTS', enabled, seen, outcome, begin, end });

export const bundle = (tenant: number, cursors: [cursor: number, entry: string][], begin: number, head?: number) => ({
  kind: 'BUNDLE' as const,
  tenant,
  after: (cursors[0]?.[0] ?? 1) - 1,
  head: head ?? cursors.at(-1)?.[0] ?? 0,
  entries: cursors.map(([cursor, entry]) => ({ cursor, entry })),
  ...span(begin),
});

const LED_TO: Partial<Record<string, string>> = {
  stop: 'STOPPED',
  'move-to-review': 'PENDING_REVIEW',
  'approve-edited': 'PUBLISHED',
  correct: 'PUBLISHED',
};

/** The rows that decisions leave in a ledger. */
export const recordOf = (
  { tenant, item: id, move, token, person, text }: Decision,
  status: string = LED_TO[move] ?? '',
): History['recorded'][number] => ({ tenant, item: id, move, token, person, text, status, cursor: 9 });

/** Two tenants: three loads, a stop, a review with an edit, a correction without an answer, a withdrawal, a switch. */
export function whole(): Whole {
  const all: [number, string][] = [
    [1, 'NEW a'],
    [2, 'NEW b'],
    [3, 'NEW c'],
    [4, 'INVALIDATION c'],
  ];
  const decisions = [
    decision({ item: 'b', move: 'stop', seen: 1, begin: 120 }),
    decision({ item: 'a', move: 'move-to-review', seen: 1, begin: 140 }),
    decision({ item: 'a', move: 'approve-edited', seen: 2, begin: 160, text: 'a, edited' }),
    decision({ item: 'b', move: 'stop', seen: 1, begin: 170, ...refused }),
    decision({ item: 'a', move: 'correct', seen: 3, begin: 180, text: 'a, corrected', ...OPEN }),
  ];
  const text = (id: string, place: number) => ({ item: id, ticker: '069500', place, isScreened: true });
  return {
    operations: [
      publication('NEW a', 0),
      publication('NEW b', 10),
      publication('NEW c', 190),
      publication('INVALIDATION c', 300),
      bundle(TENANT, all.slice(0, 2), 20),
      bundle(TENANT, all, 900),
      bundle(OTHER_TENANT, all, 900),
      served('a', 50),
      served('b', 60),
      item('b', 1, 'AUTO_PUBLISHED', 100),
      servedHts('b', 110),
      ...decisions,
      item('b', 2, 'STOPPED', 130),
      served(null, 135),
      item('a', 2, 'PENDING_REVIEW', 150),
      item('a', 3, 'PUBLISHED', 170),
      served('a, edited', 172),
      served('a, corrected', 185),
      served('c', 200),
      switched(false, 1, 210),
      served(null, 220),
      switched(true, 2, 230),
      served('c', 240),
      item('c', 2, 'INVALIDATED', 320),
      served(null, 330),
    ],
    texts: new Map([
      ['a', text('a', 1)],
      ['a, edited', text('a', 1)],
      ['a, corrected', text('a', 1)],
      ['b', text('b', 2)],
      ['c', text('c', 3)],
    ]),
    words: [],
    recorded: decisions.filter(({ outcome }) => outcome !== 'REFUSED').map((each) => recordOf(each)),
    calm: { since: 1_000, longestPauseMs: 2_000 },
  };
}

type Kind<K extends Operation['kind']> = Extract<Operation, { kind: K }>;

/** An operation of a kind, by its place among them. */
export function operation<K extends Operation['kind']>(history: Whole, kind: K, number = 0): Kind<K> {
  const found = history.operations.filter((each): each is Kind<K> => each.kind === kind)[number];
  if (found === undefined) throw new Error(`no ${kind} ${number}`);
  return found;
}

/** Puts further operations on record. */
export const add =
  (...more: Operation[]): Change =>
  (history) =>
    void history.operations.push(...more);

/** Puts operations in the place of those that fit. */
export const replace =
  (isGone: (operation: Operation) => boolean, ...more: Operation[]): Change =>
  (history) => {
    history.operations = [...history.operations.filter((each) => !isGone(each)), ...more];
  };

/** Changes a row of the ledger's record. */
export const record =
  (fields: Partial<History['recorded'][number]>, number = 0): Change =>
  (history) =>
    void Object.assign(history.recorded[number] ?? {}, fields);

export const both =
  (...changes: Change[]): Change =>
  (history) => {
    for (const change of changes) change(history);
  };
