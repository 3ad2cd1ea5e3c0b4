/** Histories in which one rule of people's acts is broken and all others hold, and histories that only look broken. */
import type { Decision } from './history.ts';
import {
  add,
  both,
  decision,
  served,
  servedHts,
  item,
  OPEN,
  operation,
  OTHER_TENANT,
  record,
  recordOf,
  refused,
  replace,
  switched,
  TENANT,
  type Change,
} from './history-fixture.ts';
import type { PROMISES } from './promises.ts';

type OfPeople = 'decisionsLinearise' | 'decisionsKept' | 'switchesHold' | 'policiesHold';

const recorded =
  (row: ReturnType<typeof recordOf>): Change =>
  (history) =>
    void history.recorded.push(row);

const stopOfB = recordOf(decision({ item: 'b', move: 'stop', seen: 1, begin: 170 }));

const later = decision({ item: 'd', move: 'stop', seen: 2, begin: 600 });

/** The tenant's policy has the text of the third item as a word. */
const policy =
  (fields: { tenant?: number; word?: string; since?: number } = {}): Change =>
  (history) => {
    history.words = [{ tenant: TENANT, word: 'c', since: 100, ...fields }];
  };

/** An act on the third item whose answer never came. */
const open = (move: Decision['move'], begin: number): Change =>
  add(decision({ item: 'c', move, seen: 1, begin, text: 'c', ...OPEN }));

/** A decision about an item of its own, and the row that it leaves. */
const decided = (move: Decision['move'], status: string): Change => {
  const made = decision({ item: `${move} ${status}`, move, seen: 1, begin: 500 });
  return both(add(made), recorded(recordOf(made, status)));
};
const STATES: [Decision['move'], string][] = [
  ['approve', 'PUBLISHED'],
  ['approve-edited', 'PUBLISHED'],
  ['reject', 'REJECTED'],
  ['block', 'BLOCKED'],
  ['stop', 'STOPPED'],
  ['move-to-review', 'PENDING_REVIEW'],
  ['correct', 'PUBLISHED'],
];

export const BROKEN_DECISIONS: Record<OfPeople & keyof typeof PROMISES, Record<string, Change>> = {
  decisionsLinearise: {
    'two decisions replace one version': both(
      (history) => void Object.assign(operation(history, 'DECISION', 3), { outcome: 'DONE', version: 2 }),
      recorded(stopOfB),
    ),
    'a read of a version that is over': add(item('b', 1, 'AUTO_PUBLISHED', 200)),
    'a read of a version that is over, before a decision': both(
      add(item('d', 2, 'PUBLISHED', 400), item('d', 1, 'AUTO_PUBLISHED', 410), later),
      recorded(recordOf(later)),
    ),
    'a read of a version that is over, though an answer with that version came last': add(
      { ...item('d', 2, 'PUBLISHED', 399), end: 460 },
      { ...item('d', 3, 'STOPPED', 400), end: 450 },
      item('d', 2, 'PUBLISHED', 470),
    ),
    'one version with two states': add(item('b', 2, 'BLOCKED', 140)),
    'a decision skips a version': both(
      (history) => {
        operation(history, 'DECISION', 2).version = 4;
        operation(history, 'DECISION', 4).seen = 4;
      },
      replace((each) => each.kind === 'ITEM' && each.version === 3, item('a', 4, 'PUBLISHED', 170)),
    ),
  },
  decisionsKept: {
    'an acknowledged decision is lost': (history) => void history.recorded.shift(),
    'a decision is on record twice': (history) => void history.recorded.push(...history.recorded.slice(0, 1)),
    'a decision without an answer is on record twice': (history) =>
      void history.recorded.push(...history.recorded.slice(-1)),
    'a refused decision was made': recorded(stopOfB),
    'a decision is on record as another': record({ move: 'block' }),
    'a decision is on record at another item': record({ item: 'a' }),
    'a decision is on record at another tenant': record({ tenant: OTHER_TENANT }),
    'an edited text is lost': record({ text: 'a' }, 2),
    'a decision is on record as that of another person': record({ person: 'operator' }),
    'a decision that nobody made': recorded({ ...stopOfB, token: 'a stranger' }),
    ...Object.fromEntries(STATES.map(([move]) => [`${move} leads to another state`, decided(move, 'INVALIDATED')])),
  },
  switchesHold: {
    'a channel that is switched off is served a text': add(served('c', 222)),
    'a channel that an earlier switch had switched on': add(switched(true, 0, 195), served('c', 222)),
    'a channel that is switched off again, after a switch without an answer': add(
      switched(true, 1, 205, 'OPEN'),
      served('c', 222),
    ),
    'a channel whose switch-on was refused': add(switched(true, 2, 215, 'REFUSED'), served('c', 222)),
  },
  policiesHold: {
    'a text with a word of the policy that nobody has approved': policy(),
    'a text with a word of the policy that a person has corrected': both(policy(), open('correct', 196)),
    'a text with a word of the policy that is approved afterwards': both(policy(), open('approve', 250)),
    'a text with a word of the policy whose approval was refused': both(
      policy(),
      add(decision({ item: 'c', move: 'approve', seen: 1, begin: 196, text: 'c', ...refused })),
    ),
  },
};

export const HELD_DECISIONS: Record<string, Change> = {
  'each tenant has versions of its own': add({ ...item('b', 9, 'REJECTED', 50), tenant: OTHER_TENANT }),
  'a decision without an answer is not on record': (history) => void history.recorded.pop(),
  ...Object.fromEntries(
    [...STATES, ['correct', 'AUTO_PUBLISHED'] as const].map(([move, status]) => [
      `${move} leads to ${status}`,
      decided(move, status),
    ]),
  ),
  'each channel has switches of its own': add(servedHts('c', 222)),
  'each tenant has switches of its own': add(served('c', 222, { tenant: OTHER_TENANT })),
  'a switch-off that was refused': add(switched(false, 3, 236, 'REFUSED', 238)),
  'a switch-on without an answer': add(switched(true, 2, 215, 'OPEN'), served('c', 222)),
  'a word of the policy of another tenant': policy({ tenant: OTHER_TENANT }),
  'a word of the policy that the text has not': policy({ word: 'd' }),
  'a word of the policy that came when the text was under way': policy({ since: 191 }),
  'a word of the policy in a text that a reviewer approves, perhaps': both(policy(), open('approve', 196)),
  'a word of the policy in a text whose load is not yet acknowledged': both(
    policy({ word: 'd' }),
    (history) => void history.texts.set('d', { item: 'd', ticker: '069500', place: 4, isScreened: true }),
    add(served('d', 400)),
  ),
  'a word of the policy in an analysis, which is exposed without a check': both(policy(), (history) => {
    history.texts.set('c', { item: 'c', ticker: '069500', place: 3, isScreened: false });
  }),
};
