/** Histories in which one rule of the delivery is broken and all others hold, and histories that only look broken. */
import {
  add,
  both,
  bundle,
  decision,
  served,
  servedHts,
  item,
  OPEN,
  operation,
  OTHER_TENANT,
  publication,
  record,
  refused,
  replace,
  TENANT,
  type Change,
} from './history-fixture.ts';
import type { PROMISES } from './promises.ts';

type Delivery = 'oneOrder' | 'nothingMissing' | 'neverBack' | 'nothingAfterItsEnd' | 'offInTime';
type Cursors = [cursor: number, entry: string][];

/** The last read of each tenant shows further entries. */
const delivered =
  (more: Cursors, ofOther: Cursors = more): Change =>
  (history) => {
    for (const [number, cursors] of [more, ofOther].entries()) {
      const read = operation(history, 'BUNDLE', number + 1);
      read.entries = [...read.entries, ...cursors.map(([cursor, entry]) => ({ cursor, entry }))];
      read.head = read.entries.at(-1)?.cursor ?? 0;
    }
  };

/** These tenants have the first two entries in the opposite order. */
const swapped =
  (...tenants: number[]): Change =>
  (history) => {
    for (const each of history.operations)
      if (each.kind === 'BUNDLE' && tenants.includes(each.tenant))
        each.entries = each.entries.map(({ cursor, entry }) => ({
          cursor,
          entry: entry === 'NEW a' ? 'NEW b' : entry === 'NEW b' ? 'NEW a' : entry,
        }));
  };

/** The second load is asked for while the first is under way. */
const concurrent: Change = (history) => {
  operation(history, 'PUBLICATION', 1).begin = 3;
};

/** Instead of its stop the second item comes to another end, and nobody reads that. */
const endOfB = (move: 'reject' | 'block' | 'move-to-review', status: string): Change =>
  both(
    replace((each) => each.kind === 'ITEM' && each.status === 'STOPPED'),
    (history) => {
      operation(history, 'DECISION').move = move;
    },
    record({ move, status }),
  );

/** A reviewer's approval of the second item, which may have been carried out or not. */
const openApproval = (seen: number, begin: number) =>
  decision({ item: 'b', move: 'approve', seen, begin, text: 'b', ...OPEN });

/** A channel that has asked for nothing before gets the withdrawn text, and nobody has read that it is withdrawn. */
const servedLate = (begin: number): Change =>
  both(
    replace((each) => each.kind === 'ITEM' && each.status === 'INVALIDATED'),
    add(served('c', begin, { channel: 'WTS' })),
  );

export const BROKEN_DELIVERY: Record<Delivery & keyof typeof PROMISES, Record<string, Change>> = {
  oneOrder: {
    'a hole': both(add(publication('NEW d', 400)), delivered([[6, 'NEW d']])),
    'a read shows another entry at a cursor': both(
      add(publication('NEW d', 5, OPEN)),
      ...[TENANT, OTHER_TENANT].map((tenant) =>
        add(
          bundle(
            tenant,
            [
              [1, 'NEW a'],
              [2, 'NEW d'],
            ],
            20,
          ),
        ),
      ),
    ),
    'an entry has two cursors': delivered([[5, 'INVALIDATION c']], []),
    'a head lies below its bundle': replace(
      (each) => each.kind === 'BUNDLE' && each.begin === 20,
      bundle(
        TENANT,
        [
          [1, 'NEW a'],
          [2, 'NEW b'],
        ],
        12,
        1,
      ),
    ),
    'a tenant has two entries in another order': both(concurrent, swapped(OTHER_TENANT)),
    'all have an order against real time': swapped(TENANT, OTHER_TENANT),
    'all have an order against real time, with one that took long in between': both(
      add(publication('NEW d', 250, { end: 320 }), publication('NEW e', 280)),
      delivered([
        [5, 'NEW d'],
        [6, 'NEW e'],
      ]),
    ),
  },
  nothingMissing: {
    'an acknowledged load is missing': add(publication('NEW d', 400)),
    'an entry that was never asked for': replace((each) => each.kind === 'PUBLICATION' && each.entry === 'NEW b'),
    'an entry that was refused': (history) => {
      operation(history, 'PUBLICATION', 2).outcome = 'REFUSED';
    },
    'a head of a replica that lags': add(bundle(OTHER_TENANT, [[1, 'NEW a']], 100)),
    'a head below one that was acknowledged before another': both(
      add(publication('NEW d', 400, { end: 450 }), publication('NEW e', 410)),
      delivered([
        [5, 'NEW d'],
        [6, 'NEW e'],
      ]),
      add(bundle(TENANT, [[5, 'NEW d']], 500)),
    ),
  },
  neverBack: {
    'an earlier place, which the channel had not seen': add(servedHts('a', 117)),
    'an earlier place that was published before the later one was stopped': add(servedHts('a', 131)),
    'a later place, which the channel has seen replaced': add(
      servedHts('c', 196),
      servedHts('a, corrected', 202),
      servedHts('c', 245),
    ),
    'an earlier place, after a reading of nothing': add(
      ...[served('b', 60), served(null, 70), served('a', 80)].map((each) => ({ ...each, channel: 'WTS' })),
    ),
    'another text of the same place, before a person exposes it': add(
      ...[served('a', 60), served('a, corrected', 80)].map((each) => ({ ...each, channel: 'WTS' })),
    ),
    'a corrected text comes back': add(served('a, edited', 195)),
    'another text of an item than the one that a person has exposed': add(servedHts('a', 168)),
    'a text before a person exposes it': add(servedHts('a, corrected', 117)),
    'a text whose approval was refused': add(
      decision({ item: 'a', move: 'approve', seen: 1, begin: 116, text: 'a', ...refused }),
      servedHts('a', 118),
    ),
    'a text that nobody wrote': add(served('nonsense', 70)),
  },
  nothingAfterItsEnd: {
    'a stopped text': add(servedHts('b', 132)),
    'a rejected text': both(endOfB('reject', 'REJECTED'), add(servedHts('b', 132))),
    'a blocked text': both(endOfB('block', 'BLOCKED'), add(servedHts('b', 132))),
    'a text that was moved to review': both(endOfB('move-to-review', 'PENDING_REVIEW'), add(servedHts('b', 132))),
    'a withdrawn text': add(served('c', 340)),
    'a withdrawn text that was approved': add(
      decision({ item: 'c', move: 'approve', seen: 2, begin: 322, text: 'c', ...OPEN }),
      served('c', 340),
    ),
    ...Object.fromEntries(
      ['PENDING_REVIEW', 'STOPPED', 'REJECTED', 'BLOCKED'].map((status) => [
        `a text that a person has read as ${status}`,
        add(item('c', 1, status, 192)),
      ]),
    ),
    'a stopped text, which an approval without an answer had read before': add(
      openApproval(1, 110),
      servedHts('b', 132),
    ),
    'a stopped text, which is approved at another tenant': add(
      { ...openApproval(2, 126), tenant: OTHER_TENANT },
      servedHts('b', 132),
    ),
    'a stopped text, which is approved afterwards': add(servedHts('b', 132), openApproval(2, 140)),
    'a stopped text, which a person has corrected': add(
      decision({ item: 'b', move: 'correct', seen: 2, begin: 126, text: 'b', ...OPEN }),
      servedHts('b', 132),
    ),
    'a stopped text, whose approval was refused': add(
      decision({ item: 'b', move: 'approve', seen: 2, begin: 126, text: 'b', ...refused }),
      servedHts('b', 132),
    ),
  },
  offInTime: {
    'a withdrawn text is served for longer after the last fault': servedLate(13_001),
    'a withdrawn text is served for longer after a late withdrawal': both(servedLate(17_001), (history) => {
      operation(history, 'PUBLICATION', 3).end = 5_000;
    }),
  },
};

export const HELD_DELIVERY: Record<string, Change> = {
  'a withdrawn text is served for ten seconds and a pause after the last fault': servedLate(13_000),
  'a withdrawn text is served while faults go on': both(servedLate(13_001), (history) => {
    history.calm = null;
  }),
  'a withdrawal without an answer may not have come': both(servedLate(13_001), (history) => {
    Object.assign(operation(history, 'PUBLICATION', 3), OPEN);
  }),
  'a tenant has read less than the others': both(add(publication('NEW d', 400, OPEN)), delivered([], [[5, 'NEW d']])),
  'a load without an answer has not come': add(publication('NEW d', 400, OPEN)),
  'a load without an answer has come': both(add(publication('NEW d', 400, OPEN)), delivered([[5, 'NEW d']])),
  'two readings at the same time come in any order': add(servedHts('a', 112)),
  'each channel has an order of its own': add(served('a', 70, { channel: 'WTS' })),
  'each ticker has an order of its own': add(served('a', 70, { ticker: '102110' })),
  'each tenant has an order of its own': add(served('a', 70, { tenant: OTHER_TENANT })),
  'a person brings an earlier place back': add(servedHts('a, edited', 168)),
  'what came to the tenant after a stop is a new statement, also of an earlier place': both(
    add(servedHts('a', 131)),
    record({ cursor: 0 }),
  ),
  'what is published after a withdrawal is a new statement, also of an earlier place': both(
    both(
      (history) => history.texts.set('n', { item: 'n', ticker: '069500', place: 2, isScreened: true }),
      add(publication('NEW n', 310), served('n', 340)),
    ),
    delivered([[5, 'NEW n']]),
  ),
  'a stop that was refused ends nothing': add(
    decision({ item: 'c', move: 'stop', seen: 1, begin: 192, ...refused }),
    servedHts('c', 200),
  ),
  'a stop at another tenant ends nothing': add(served('b', 140, { tenant: OTHER_TENANT, channel: 'HTS' })),
  'a stopped text that was approved, perhaps': add(openApproval(2, 126), servedHts('b', 132)),
  'a correction is no end': both(
    (history) => {
      Object.assign(operation(history, 'DECISION', 4), { outcome: 'DONE', version: 4, end: 183 });
    },
    add(servedHts('a, corrected', 190)),
  ),
};
