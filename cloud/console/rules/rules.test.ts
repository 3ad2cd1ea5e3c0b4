/** Each rule on absent, null, zero and present values; then the tolerance that a client owes (operator API 9). */
import { describe, expect, test } from 'vitest';
import type { Facts } from '../../../shared/wire/facts.ts';
import { RULES } from './engine.ts';
import type { ReadFacts, Severity, Verdict } from './rule.ts';
import {
  chainOf,
  DATASET,
  EARLIER,
  ETF,
  FEED,
  GAP,
  GOOD,
  look,
  OUTPUT,
  QUEUE,
  RUN,
  said,
  TASK,
  without,
} from '../../../test/support/cloud/console-rules.ts';

type Case = [rule: string, what: string, changes: Partial<Facts>, says: string[], previous?: ReadFacts | null];
const run = (changes: Partial<Facts['runs'][number]>): Partial<Facts> => ({ runs: [{ ...RUN, ...changes }] });
const task = (changes: Partial<Facts['tasks'][number]>): Partial<Facts> => ({ tasks: [{ ...TASK, ...changes }] });
const dataset = (changes: Partial<Facts['datasets'][number]>): Partial<Facts> => ({
  datasets: [{ ...DATASET, ...changes }],
});
const output = (today: number, base: number | null): Partial<Facts> => ({ outputs: [{ ...OUTPUT, today, base }] });
const outcome = (value: string | null): Partial<Facts> => ({ etfLedger: { rows: [{ ...ETF, outcome: value }] } });
const boundary = (changes: Partial<Facts['boundary']>): Partial<Facts> => ({
  boundary: { ...GOOD.boundary, ...changes },
});
const queue = (changes: Partial<typeof QUEUE>): Partial<Facts> => ({ queues: [{ ...QUEUE, ...changes }] });

const CASES: Case[] = [
  ['run-late', 'no runs', { runs: [] }, ['NOT_MEASURED nothing']],
  ['run-late', 'a planning gap', { runs: [GAP, RUN] }, ['BAD runLate.missing']],
  ['run-late', 'no deadline', run({ deadline: null, ledgerStatus: 'RUNNING' }), ['NOT_MEASURED nothing']],
  ['run-late', 'not over, the deadline passed', run({ ledgerStatus: 'RUNNING' }), ['BAD runLate.overdue']],
  [
    'run-late',
    'not over at the very deadline',
    run({ ledgerStatus: 'PENDING', deadline: GOOD.meta.db }),
    ['GOOD runLate.good'],
  ],
  ['run-late', 'over after the deadline', run({ ledgerUpdated: '2026-11-20T06:30:00.001Z' }), ['WARNING runLate.late']],
  ['run-late', 'over at the very deadline', run({ ledgerUpdated: RUN.deadline }), ['GOOD runLate.good']],
  ['run-late', 'over, and nobody knows when', run({ ledgerUpdated: null }), ['UNKNOWN unseen']],
  ['run-late', 'a word that nobody knows, the deadline passed', run({ ledgerStatus: 'odd' }), ['UNKNOWN unseen']],
  [
    'run-late',
    'a word that nobody knows before the deadline cannot be late',
    run({ ledgerStatus: 'odd', deadline: '2026-11-20T07:00:00.001Z' }),
    ['GOOD runLate.good'],
  ],
  ['run-failed', 'a planning gap is no failure', { runs: [GAP] }, ['NOT_MEASURED nothing']],
  ['run-failed', 'FAILED, CANCELLED, TIMED_OUT', run({ ledgerStatus: 'TIMED_OUT' }), ['BAD runFailed.failed']],
  ['run-failed', 'constructor is no known word', run({ ledgerStatus: 'constructor' }), ['UNKNOWN unseen']],
  ['status-mismatch', 'the look failed', { meta: { ...GOOD.meta, cloud: null } }, ['UNKNOWN unseen']],
  [
    'status-mismatch',
    'a run that was looked for and not seen is not well',
    run({ cloudStatus: null, cloudStop: null }),
    ['UNKNOWN unseen'],
  ],
  [
    'status-mismatch',
    'a planning gap and a skipped run have nothing to see',
    { runs: [GAP, { ...RUN, ledgerStatus: 'SKIPPED', cloudStatus: null, cloudStop: null }] },
    ['NOT_MEASURED nothing'],
  ],
  ['status-mismatch', 'looked, and there are no runs', { runs: [] }, ['NOT_MEASURED nothing']],
  ['status-mismatch', 'they differ', run({ cloudStatus: 'ABORTED' }), ['BAD statusMismatch.differs']],
  [
    'status-mismatch',
    'updated at the very stop',
    run({ cloudStatus: 'FAILED', cloudStop: RUN.ledgerUpdated }),
    ['BAD statusMismatch.differs'],
  ],
  [
    'status-mismatch',
    'the ledger was updated before the stop',
    run({ cloudStatus: 'FAILED', cloudStop: '2026-11-20T06:00:00.001Z' }),
    ['GOOD statusMismatch.good'],
  ],
  [
    'status-mismatch',
    'it has not stopped',
    run({ cloudStatus: 'RUNNING', cloudStop: null }),
    ['GOOD statusMismatch.good'],
  ],
  ['status-mismatch', 'a word that nobody knows', run({ cloudStatus: 'odd' }), ['UNKNOWN unseen']],
  ['task-incomplete', 'no tasks', { tasks: [] }, ['NOT_MEASURED nothing']],
  [
    'task-incomplete',
    'no signal',
    task({ failedRecords: null, completenessActual: null }),
    ['UNKNOWN taskIncomplete.noSignal'],
  ],
  [
    'task-incomplete',
    'fewer came, and nobody knows how many are unsupported: null is no 0',
    task({ unsupportedRecords: null, completenessActual: 9 }),
    ['UNKNOWN taskIncomplete.noSignal'],
  ],
  [
    'task-incomplete',
    'all came, whatever is unsupported',
    task({ unsupportedRecords: null }),
    ['GOOD taskIncomplete.good'],
  ],
  ['task-incomplete', '0 of 0', task({ completenessExpected: 0, completenessActual: 0 }), ['GOOD taskIncomplete.good']],
  [
    'task-incomplete',
    'unsupported records are no loss',
    task({ unsupportedRecords: 4, completenessActual: 6, recordsOut: null }),
    ['GOOD taskIncomplete.good'],
  ],
  [
    'task-incomplete',
    'less came than unsupported records explain',
    task({ unsupportedRecords: 3, completenessActual: 6 }),
    ['WARNING taskIncomplete.short'],
  ],
  [
    'task-incomplete',
    'failed, short and partly unseen',
    {
      tasks: [
        { ...TASK, failedRecords: 1 },
        { ...TASK, unsupportedRecords: 0, completenessActual: 9 },
        { ...TASK, completenessExpected: null },
      ],
    },
    ['BAD taskIncomplete.failed', 'WARNING taskIncomplete.short', 'UNKNOWN taskIncomplete.noSignal'],
  ],
  ['retries-unusual', 'nothing was tried', task({ attempts: 0 }), ['NOT_MEASURED nothing']],
  ['retries-unusual', 'twice, once before', task({ attempts: 2 }), ['WARNING retriesUnusual.more']],
  ['retries-unusual', 'twice, nothing known before', task({ attempts: 2 }), ['WARNING retriesUnusual.more'], null],
  [
    'retries-unusual',
    'as often as before',
    task({ attempts: 3 }),
    ['GOOD retriesUnusual.good'],
    { ...EARLIER, ...task({ attempts: 3 }) },
  ],
  [
    'retries-unusual',
    'as often as at an earlier look at the same day, which is not what is usual',
    task({ attempts: 3 }),
    ['WARNING retriesUnusual.more'],
    { ...GOOD, ...task({ attempts: 3 }) },
  ],
  ['stale-dataset', 'older than expected', dataset({ actualAsOf: '2026-11-19' }), ['BAD staleDataset.stale']],
  ['stale-dataset', 'newer than expected', dataset({ actualAsOf: '2026-11-21' }), ['GOOD staleDataset.good']],
  [
    'stale-dataset',
    'not one can be judged: that is not well',
    dataset({ actualAsOf: '2026-11-19', unverifiable: 'LATE' }),
    ['UNKNOWN unseen'],
  ],
  [
    'stale-dataset',
    'one cannot be judged, which another rule tells; the other one is well',
    { datasets: [DATASET, { ...DATASET, id: 'news', actualAsOf: '2026-11-19', unverifiable: 'LATE' }] },
    ['GOOD staleDataset.good'],
  ],
  ['stale-dataset', 'nothing was due', dataset({ unverifiable: 'NOT_APPLICABLE' }), ['NOT_MEASURED nothing']],
  ['stale-dataset', 'no dataset', { datasets: [] }, ['NOT_MEASURED nothing']],
  ...[dataset({ expectedAsOf: null }), dataset({ actualAsOf: null })].map((changes): Case => [
    'stale-dataset',
    'it should be possible to judge, and is not',
    changes,
    ['UNKNOWN unseen'],
  ]),
  ['unverifiable-dataset', 'nothing was due', dataset({ unverifiable: 'NOT_APPLICABLE' }), ['NOT_MEASURED nothing']],
  [
    'unverifiable-dataset',
    'no contract',
    dataset({ unverifiable: 'CONTRACT_NOT_APPLIED' }),
    ['UNKNOWN unverifiableDataset.noContract'],
  ],
  [
    'unverifiable-dataset',
    "a code, the ledger's words",
    { datasets: ['ACTUAL_AS_OF_MISSING', '늦음'].map((unverifiable) => ({ ...DATASET, unverifiable })) },
    ['WARNING unverifiableDataset.code', 'WARNING unverifiableDataset.code'],
  ],
  ['output-unusual', 'no usual value is no fall', output(0, null), ['UNKNOWN outputUnusual.noUsual']],
  ['output-unusual', 'nothing, and nothing is usual', output(0, 0), ['GOOD outputUnusual.good']],
  ['output-unusual', 'something, where nothing is usual', output(1, 0), ['WARNING outputUnusual.far']],
  ['output-unusual', 'nothing, where something is usual', output(0, 0.5), ['BAD outputUnusual.none']],
  [
    'output-unusual',
    'half and twice are near',
    { outputs: [5, 20].map((today) => ({ ...OUTPUT, today })) },
    ['GOOD outputUnusual.good'],
  ],
  [
    'output-unusual',
    'less and more are far',
    { outputs: [4, 21].map((today) => ({ ...OUTPUT, today })) },
    ['WARNING outputUnusual.far', 'WARNING outputUnusual.far'],
  ],
  [
    'output-unusual',
    'without trading the usual is of trading days: less says nothing, none at all and far more do',
    { outputs: [{ ...OUTPUT, id: 'o.trig', base: null }, ...[4, 0, 5, 20, 21].map((today) => ({ ...OUTPUT, today }))] },
    ['WARNING outputUnusual.none', 'WARNING outputUnusual.far', 'UNKNOWN outputUnusual.noUsual'],
  ],
  ['chain-break', 'nothing fired', { chain: chainOf([0, 0]) }, ['NOT_MEASURED nothing']],
  [
    'chain-break',
    'fired, and nothing was observed',
    { chain: chainOf([1, 0]), meta: { ...GOOD.meta, db: '2026-11-20T15:00:00.000Z' } },
    ['BAD chainBreak.break'],
  ],
  [
    'chain-break',
    'the day is not over in Korea: what follows may be to come',
    { chain: chainOf([1, 0]), meta: { ...GOOD.meta, db: '2026-11-20T14:59:59.999Z' } },
    ['WARNING chainBreak.break'],
  ],
  [
    'chain-break',
    'in both columns',
    { chain: chainOf([1, 1], [1, 1], [1, 1], [0, 1], [0, 1]) },
    ['WARNING chainBreak.break', 'WARNING chainBreak.break'],
  ],
  [
    'chain-break',
    'fewer than two feeds are not valid',
    { chain: { ...chainOf([1, 1]), feeds: [{ ...FEED, id: 'feed.batch', v: 1 }] } },
    ['UNKNOWN unseen'],
  ],
  [
    'chain-break',
    'more observations than firings contradict nothing',
    { chain: chainOf([1, 0], [2, 0], [2, 0], [2, 0], [2, 0], [2, 0]) },
    ['GOOD chainBreak.good'],
  ],
  ['chain-break', 'no stages are not valid', { chain: { ...chainOf([1, 1]), stages: [] } }, ['UNKNOWN unseen']],
  [
    'chain-break',
    'a third feed is passed over',
    { chain: { ...chainOf([0, 0]), feeds: [...chainOf([0, 0]).feeds, { ...FEED, id: 'feed.new', v: 9 }] } },
    ['NOT_MEASURED nothing'],
  ],
  [
    'chain-break',
    'more than before contradicts itself',
    { chain: chainOf([1, 0], [1, 0], [2, 0], [2, 0], [2, 0], [2, 0]) },
    ['UNKNOWN unseen'],
  ],
  ['etf-without-outcome', 'no ETF fired', { etfLedger: { rows: [] } }, ['NOT_MEASURED nothing']],
  ['etf-without-outcome', 'no run yet is no failure', outcome(null), ['WARNING etfWithoutOutcome.none']],
  ['etf-without-outcome', 'under way', outcome('PENDING'), ['GOOD etfWithoutOutcome.good']],
  ['etf-without-outcome', 'a word that nobody knows is not well', outcome('odd'), ['UNKNOWN unseen']],
  ['etf-without-outcome', 'ended without one', outcome('CANCELLED'), ['BAD etfWithoutOutcome.ended']],
  ['published-not-delivered', 'one', boundary({ publishedWithoutDelivery: 1 }), ['BAD publishedNotDelivered.some']],
  ['delivered-not-published', 'one', boundary({ deliveryNowNonpublished: 1 }), ['BAD deliveredNotPublished.some']],
  [
    'delivered-not-published',
    'nothing was sent yet',
    boundary({ deliveryRows: 0 }),
    ['NOT_MEASURED deliveredNotPublished.nothingSent'],
  ],
  ['dead-letters', 'a queue could not be seen', { queues: null }, ['UNKNOWN unseen']],
  ['dead-letters', 'every queue is empty', { queues: [] }, ['GOOD deadLetters.good']],
  ['dead-letters', 'one', queue({ dlq: 1 }), ['BAD deadLetters.some']],
  ['backlog-growing', 'nothing earlier', {}, ['NOT_MEASURED backlogGrowing.noEarlier'], null],
  ['backlog-growing', 'earlier, a queue could not be seen', {}, ['UNKNOWN unseen'], { ...EARLIER, queues: null }],
  ['backlog-growing', 'half as many again, and five', queue({ visible: 7 }), ['WARNING backlogGrowing.grows']],
  ['backlog-growing', 'four more come and go', queue({ visible: 6 }), ['GOOD backlogGrowing.good']],
  ['backlog-growing', 'a queue cannot be seen now', { queues: null }, ['UNKNOWN unseen']],
  [
    'backlog-growing',
    'just half as many again',
    queue({ visible: 150 }),
    ['WARNING backlogGrowing.grows'],
    { ...EARLIER, ...queue({ visible: 100 }) },
  ],
  [
    'backlog-growing',
    'less than half as many again',
    queue({ visible: 149 }),
    ['GOOD backlogGrowing.good'],
    { ...EARLIER, ...queue({ visible: 100 }) },
  ],
  [
    'backlog-growing',
    'a look at nearly the same moment, whatever day it is at',
    queue({ visible: 9 }),
    ['NOT_MEASURED backlogGrowing.noEarlier'],
    { ...EARLIER, meta: { ...EARLIER.meta, db: '2026-11-20T06:59:00.001Z' } },
  ],
  [
    'backlog-growing',
    'a minute before, on the same day',
    queue({ visible: 9 }),
    ['WARNING backlogGrowing.grows'],
    { ...GOOD, meta: { ...GOOD.meta, db: '2026-11-20T06:59:00.000Z' } },
  ],
  [
    'backlog-growing',
    'a queue that was not listed held nothing',
    queue({ visible: 5 }),
    ['WARNING backlogGrowing.grows'],
    { ...EARLIER, queues: [] },
  ],
];

describe('each rule', () => {
  test.each(CASES)('%s: %s', (rule, _what, changes, says, previous = EARLIER) => {
    expect(said(rule, changes, previous)).toEqual(says);
  });
  test('each present but empty axis gives nothing to judge, and never all is well (D68)', () => {
    const empty: Partial<Facts> = {
      runs: [],
      tasks: [],
      datasets: [],
      outputs: [],
      chain: chainOf([0, 0]),
      etfLedger: { rows: [] },
      slots: [],
      rhythm: { lanes: [], sources: [] },
      boundary: { publishedWithoutDelivery: 0, deliveryNowNonpublished: 0, deliveryRows: 0 },
    };
    const good = look({ ...GOOD, ...empty }).filter(({ severity }) => severity === 'GOOD');
    // Queues that were read and are empty, and counted published results, are measured values.
    expect(good.map(({ rule }) => rule)).toEqual([
      'published-not-delivered',
      'withdrawal-unreceived',
      'dead-letters',
      'backlog-growing',
    ]);
  });
  test('all is well on a good day', () => {
    expect(new Set(look(GOOD).map(({ severity }) => severity))).toEqual(new Set(['GOOD']));
  });
  test('the worst come first', () => {
    const order: Severity[] = ['BAD', 'WARNING', 'UNKNOWN', 'NOT_MEASURED', 'GOOD'];
    const severities = look({
      ...without('boundary'),
      runs: [GAP, { ...RUN, ledgerStatus: 'odd' }],
      etfLedger: { rows: [{ ...ETF, outcome: null }] },
    }).map(({ severity }) => severity);
    expect(new Set(severities)).toEqual(new Set(order));
    expect(severities).toEqual(severities.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)));
  });
});

/** The rules that depend on an axis. */
const AXES: [keyof ReadFacts, string[]][] = [
  ['runs', ['run-late', 'run-failed', 'status-mismatch', 'task-failed']],
  ['tasks', ['task-incomplete', 'retries-unusual']],
  ['datasets', ['stale-dataset', 'unverifiable-dataset']],
  ['outputs', ['output-unusual']],
  ['boundary', ['published-not-delivered', 'delivered-not-published']],
  ['chain', ['chain-break']],
  ['etfLedger', ['etf-without-outcome']],
  ['rhythm', ['lane-silent', 'source-late']],
  ['queues', ['dead-letters', 'backlog-growing']],
  ['failures', ['task-failed']],
  ['withdrawals', ['withdrawal-unreceived']],
];
const notMeasured = (verdicts: Verdict[]): string[] =>
  verdicts.filter(({ severity }) => severity === 'NOT_MEASURED').map(({ rule }) => rule);

describe('an absent axis is not measured, and no other axis with it', () => {
  test.each(AXES)('%s', (axis, rules) => {
    expect(notMeasured(look(without(axis))).toSorted()).toEqual(rules.toSorted());
  });
  test('cloudStatus, cloudStop and meta.cloud', () => {
    const { id, lane, tradingDate, ledgerStatus, ledgerUpdated, deadline } = RUN;
    const run0 = { id, lane, tradingDate, ledgerStatus, ledgerUpdated, deadline };
    const meta = { db: GOOD.meta.db, today: GOOD.meta.today };
    expect(notMeasured(look({ ...GOOD, runs: [run0], meta }))).toEqual(['status-mismatch']);
    expect(said('status-mismatch', { runs: [run0] })).toEqual(['NOT_MEASURED absent']);
  });
  test('all together, and nothing earlier', () => {
    const bare = { meta: { db: GOOD.meta.db, today: GOOD.meta.today } };
    expect(notMeasured(look(bare, null)).toSorted()).toEqual(RULES.map(({ id }) => id).toSorted());
    expect(notMeasured(look(bare, bare)).length).toBe(RULES.length);
  });
  test("an older server's answer beside a newer one's", () => {
    const older = without('chain', 'etfLedger', 'queues');
    expect(notMeasured(look(older)).toSorted()).toEqual([
      'backlog-growing',
      'chain-break',
      'dead-letters',
      'etf-without-outcome',
    ]);
    expect(notMeasured(look(GOOD, older))).toEqual(['backlog-growing']);
  });
});
