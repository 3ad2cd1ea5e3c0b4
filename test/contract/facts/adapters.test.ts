/**
 * Operator API 2, runs rule 6, and `queues`; D26, D47, D51: the systems outside of the store, on the embedded store.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ADAPTER_VARIABLES } from '../../../cloud/config/config.ts';
import { awsQueues, awsWorkflows, type AwsParts } from '../../../cloud/facts/adapters/aws.ts';
import { chooseAdapters, readAdapters } from '../../../cloud/facts/adapters/choose.ts';
import { databaseQueues, databaseWorkflows } from '../../../cloud/facts/adapters/database.ts';
import { embeddedKind } from '../../support/cloud/store.ts';
import { readVariables } from '../../../shared/service/variables.ts';
import type { RunFact } from '../../../shared/wire/facts.ts';
import { AwsEndpoint, type Script, type Told } from './aws-endpoint.ts';
import { FactsFixture, NOW, TODAY } from './fixture.ts';
import type { Ledger } from './ledger.ts';
import { begun, facts, gapFact, gaps, run, runFact } from './rows.ts';

/** No test waits for this long, in ms. */
const NEVER = 3_600_000;

let fixture: FactsFixture;
let endpoint: AwsEndpoint;
beforeAll(async () => {
  fixture = await FactsFixture.open(embeddedKind);
  endpoint = await AwsEndpoint.open();
  const aws: AwsParts = {
    region: 'ap-northeast-2',
    endpoint: endpoint.url,
    readMs: 30_000,
    answerMs: 20_000,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  };
  const outside = (parts: AwsParts) => ({
    workflows: awsWorkflows(parts, fixture.serverClock),
    queues: awsQueues(parts, ['work', 'other']),
  });
  await fixture.serve('aws', outside(aws));
  await fixture.serve('impatient', outside({ ...aws, readMs: 300, answerMs: NEVER }));
  await fixture.serve('tireless', outside({ ...aws, readMs: NEVER, answerMs: 100 }));
  await fixture.serve('database', {
    workflows: databaseWorkflows(fixture.store, fixture.databaseClock),
    queues: databaseQueues(fixture.store),
  });
});
beforeEach(() => fixture.clear());
afterAll(async () => {
  await endpoint.close();
  await fixture.close();
});

const NOW_TEXT = '2026-11-20T07:00:00.000Z';
const key = (slot: string): string => `market/${TODAY}/${slot}`;
const LEDGER = {
  runs: [
    run(1, key('a'), { execution_id: 'recorded', expected_execution_id: 'expected' }),
    run(2, key('b'), { expected_execution_id: 'expected' }),
    run(3, key('c')),
    run(4, key('d'), { execution_id: 'running' }),
    run(5, key('e'), { execution_id: 'gone', expected_execution_id: 'expected' }),
    run(6, key('g'), { execution_id: '', expected_execution_id: 'expected' }),
  ],
  ...gaps(key('f')),
};
const seen = (fact: RunFact, cloudStatus: string | null = null, cloudStop: string | null = null): RunFact => ({
  ...fact,
  cloudStatus,
  cloudStop,
});
const STOP = '2026-11-20T02:00:00.500Z';
const SEEN = [
  seen(runFact(key('a')), 'TIMED_OUT', STOP),
  seen(runFact(key('b')), 'SUCCEEDED', STOP),
  seen(runFact(key('c'))),
  seen(runFact(key('d')), 'RUNNING'),
  seen(runFact(key('e'))),
  seen(gapFact(key('f'), 'market', TODAY)),
  seen(runFact(key('g')), 'SUCCEEDED', STOP),
];
const UNSEEN = SEEN.map((fact) => seen(fact));
const META = { db: NOW_TEXT, today: TODAY };

const stopDate = Date.parse(STOP) / 1000;
const executions: Record<string, object> = {
  recorded: { executionArn: 'recorded', status: 'TIMED_OUT', stopDate },
  expected: { executionArn: 'expected', status: 'SUCCEEDED', stopDate },
  running: { executionArn: 'running', status: 'RUNNING', stopDate },
};
const NOT_THERE: Told = { status: 400, json: { __type: 'ExecutionDoesNotExist', message: 'no' } };
const attributes = (name: string, counts: [number, number, number], more: object = {}): Told => ({
  json: {
    Attributes: {
      QueueArn: `arn:aws:sqs:ap-northeast-2:123456789012:${name}`,
      ApproximateNumberOfMessages: String(counts[0]),
      ApproximateNumberOfMessagesNotVisible: String(counts[1]),
      ApproximateNumberOfMessagesDelayed: String(counts[2]),
      ...more,
    },
  },
});
const redrive = (target: string): object => ({
  RedrivePolicy: JSON.stringify({ deadLetterTargetArn: target, maxReceiveCount: 3 }),
});
const QUEUES: Record<string, Told> = {
  work: attributes('work', [5, 2, 9], redrive('arn:aws:sqs:ap-northeast-2:123456789012:dead')),
  other: attributes('other', [0, 0, 0]),
  dead: attributes('dead', [1, 2, 4]),
};
const queueOf = (asked: Record<string, unknown>): string => String(asked['QueueUrl']).split('/').at(-1) ?? '';
const honest: Script = (action, asked) => {
  switch (action) {
    case 'DescribeExecution': {
      const json = executions[String(asked['executionArn'])];
      return json === undefined ? NOT_THERE : { json };
    }
    case 'GetQueueUrl':
      return { json: { QueueUrl: `${endpoint.url}/123456789012/${String(asked['QueueName'])}` } };
    default:
      return QUEUES[queueOf(asked)] ?? { status: 500 };
  }
};
const QUEUES_SEEN = [{ name: 'work', visible: 5, inFlight: 2, dlq: 7 }];

/** Honest but for one execution or queue. */
const but =
  (what: string, told: (count: number) => Told): Script =>
  (action, asked, count) =>
    Object.values(asked).some((value) => String(value).split('/').at(-1) === what) && action !== 'GetQueueUrl'
      ? told(count)
      : honest(action, asked, count);
const THROTTLED: Told = { status: 400, json: { __type: 'ThrottlingException', message: 'slow down' } };

test('aws: the recorded execution before the expected one, which never replaces a missing recorded one', async () => {
  endpoint.clear(honest);
  await fixture.put(LEDGER);
  expect(await fixture.facts(null, 'aws')).toStrictEqual(
    facts({ runs: SEEN, rhythm: begun(6), meta: { ...META, cloud: NOW_TEXT }, queues: QUEUES_SEEN }),
  );
  expect(endpoint.asked.filter((line) => line.startsWith('Describe')).toSorted()).toEqual(
    ['expected', 'gone', 'recorded', 'running'].map((id) => `DescribeExecution ${id}`),
  );
});

test('aws: no runs, and queues that hold nothing: looked, and found none', async () => {
  endpoint.clear((action, asked) =>
    action === 'GetQueueAttributes' ? attributes(queueOf(asked), [0, 0, 0]) : honest(action, asked, 1),
  );
  expect(await fixture.facts(null, 'aws')).toStrictEqual(facts({ meta: { ...META, cloud: NOW_TEXT }, queues: [] }));
});

describe('aws: one lookup that fails empties the whole axis, with keys', () => {
  test.each<[string, string, (count: number) => Told]>([
    ['an error of the service, at every try', 'expected', () => ({ status: 500 })],
    ['throttled at every try', 'expected', () => THROTTLED],
    ['forbidden', 'expected', () => ({ status: 400, json: { __type: 'AccessDeniedException' } })],
    ['an id that is none', 'gone', () => ({ status: 400, json: { __type: 'InvalidArn' } })],
    ['about another execution', 'expected', () => ({ json: executions['recorded'] ?? {} })],
    ['no status', 'expected', () => ({ json: { executionArn: 'expected', stopDate } })],
    [
      'over, and no time at which it stopped',
      'expected',
      () => ({ json: { executionArn: 'expected', status: 'FAILED' } }),
    ],
    ['a time that is none', 'expected', () => ({ json: { ...executions['expected'], stopDate: 'yesterday' } })],
    ['a page instead of JSON', 'expected', () => ({ text: '<html>' })],
    ['an empty answer', 'expected', () => ({ text: '' })],
  ])('executions: %s', async (_name, what, told) => {
    endpoint.clear(but(what, told));
    await fixture.put(LEDGER);
    expect(await fixture.facts(null, 'aws')).toStrictEqual(
      facts({ runs: UNSEEN, rhythm: begun(6), meta: { ...META, cloud: null }, queues: QUEUES_SEEN }),
    );
  });

  test.each<[string, string, (count: number) => Told]>([
    ['an error of the service, at every try', 'work', () => ({ status: 500 })],
    [
      'the dead-letter queue is gone',
      'dead',
      () => ({ status: 400, json: { __type: 'com.amazonaws.sqs#QueueDoesNotExist' } }),
    ],
    ['counts of another queue', 'work', () => QUEUES['dead'] as Told],
    ['a count that is missing', 'dead', () => ({ json: { Attributes: { QueueArn: 'arn:aws:sqs:r:1:dead' } } })],
    ['a count below zero', 'work', () => attributes('work', [-1, 0, 0])],
    ['a redrive policy that names nothing', 'work', () => attributes('work', [1, 0, 0], redrive('dead'))],
    ['a redrive policy that is no JSON', 'work', () => attributes('work', [1, 0, 0], { RedrivePolicy: '{' })],
  ])('queues: %s', async (_name, what, told) => {
    endpoint.clear(but(what, told));
    await fixture.put(LEDGER);
    expect(await fixture.facts(null, 'aws')).toStrictEqual(
      facts({ runs: SEEN, rhythm: begun(6), meta: { ...META, cloud: NOW_TEXT }, queues: null }),
    );
  });

  test.each([
    ['by the time of a look', 'impatient'],
    ['by the time of an answer', 'tireless'],
  ])('a call that hangs is given up %s, and both axes are null', async (_bound, server) => {
    endpoint.clear(() => 'hangs');
    await fixture.put(LEDGER);
    expect(await fixture.facts(null, server)).toStrictEqual(
      facts({ runs: UNSEEN, rhythm: begun(6), meta: { ...META, cloud: null }, queues: null }),
    );
  });
});

test('aws: throttled once is no failure', async () => {
  endpoint.clear(but('expected', (count) => (count === 1 ? THROTTLED : { json: executions['expected'] ?? {} })));
  await fixture.put(LEDGER);
  expect((await fixture.facts(null, 'aws')).runs).toStrictEqual(SEEN);
});

type Counts = [visible: number, inFlight: number, delayed: number];
const queue = (queue_name: string, own: Counts, dead: Counts | null): Ledger['queues'][number] => ({
  queue_name,
  visible: own[0],
  in_flight: own[1],
  delayed: own[2],
  dead_visible: dead?.[0] ?? null,
  dead_in_flight: dead?.[1] ?? null,
  dead_delayed: dead?.[2] ?? null,
});

test('database: the same from tables of the store', async () => {
  await fixture.put({
    ...LEDGER,
    executions: [
      { execution_id: 'recorded', status: 'TIMED_OUT', stopped_at: STOP },
      { execution_id: 'expected', status: 'SUCCEEDED', stopped_at: STOP },
      { execution_id: 'running', status: 'RUNNING', stopped_at: STOP },
    ],
    queues: [
      queue('work', [5, 2, 9], [1, 2, 4]),
      queue('other', [0, 0, 0], null),
      queue('later', [0, 0, 1], null),
      queue('given up', [0, 0, 0], [0, 0, 1]),
      queue('at work', [0, 1, 0], [0, 0, 0]),
    ],
  });
  expect(await fixture.facts(null, 'database')).toStrictEqual(
    facts({
      runs: SEEN,
      rhythm: begun(6),
      meta: { ...META, cloud: NOW_TEXT },
      queues: [
        { name: 'at work', visible: 0, inFlight: 1, dlq: 0 },
        { name: 'given up', visible: 0, inFlight: 0, dlq: 1 },
        { name: 'later', visible: 0, inFlight: 0, dlq: 0 },
        ...QUEUES_SEEN,
      ],
    }),
  );
});

test('database: tables that cannot be read are null, and the axes of the ledger go on', async () => {
  await fixture.put(LEDGER);
  const rename = async (from: string, to: string): Promise<unknown> =>
    sql`alter table ${sql.table(from)} rename to ${sql.table(to)}`.execute(fixture.store.db);
  await rename('workflow_execution', 'hidden');
  await rename('message_queue', 'hidden_too');
  try {
    expect(await fixture.facts(null, 'database')).toStrictEqual(
      facts({ runs: UNSEEN, rhythm: begun(6), meta: { ...META, cloud: null }, queues: null }),
    );
  } finally {
    await rename('hidden', 'workflow_execution');
    await rename('hidden_too', 'message_queue');
  }
});

describe('configuration', () => {
  const adapters = (env: Record<string, string>, embedded = false) =>
    readAdapters(readVariables(ADAPTER_VARIABLES, env), embedded);
  test('unset: the tables of the embedded store, nothing with a server', () => {
    expect(adapters({}, true)).toMatchObject({ workflows: 'database', queues: 'database' });
    expect(adapters({})).toMatchObject({ workflows: 'none', queues: 'none' });
    expect(adapters({ CAUSEWAY_QUEUE_SOURCE: 'none' }, true)).toMatchObject({ workflows: 'database', queues: 'none' });
  });
  test('aws', () => {
    const aws = { CAUSEWAY_WORKFLOW_SOURCE: 'aws', CAUSEWAY_QUEUE_SOURCE: 'aws' };
    expect(adapters({ ...aws, CAUSEWAY_AWS_REGION: 'r', CAUSEWAY_AWS_QUEUES: 'a, b.fifo' })).toMatchObject({
      queues: { aws: { region: 'r', endpoint: null } },
      queueNames: ['a', 'b.fifo'],
    });
    expect(() => adapters(aws)).toThrow(/CAUSEWAY_AWS_REGION is missing.*\nCAUSEWAY_AWS_QUEUES is missing/);
    expect(() => adapters({ CAUSEWAY_AWS_QUEUES: 'a,,b' })).toThrow('CAUSEWAY_AWS_QUEUES must be names of queues');
  });
  test('aws is read at the time of this server’s clock; an unknown source has no adapter', async () => {
    const kinds = adapters({ CAUSEWAY_WORKFLOW_SOURCE: 'aws', CAUSEWAY_AWS_REGION: 'r' });
    const { workflows, queues } = chooseAdapters(kinds, fixture.store, fixture.serverClock);
    expect([(await workflows?.read([]))?.at, queues]).toEqual([NOW, undefined]);
  });
});
