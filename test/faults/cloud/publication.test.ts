/** Faults 2, 3, 4 and 7 of the cloud: a publication that is killed, unanswered or blocked, and withdrawals out of turn. */
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { publish } from '../../../cloud/publication/publish.ts';
import { withdraw } from '../../../cloud/publication/withdraw.ts';
import { ConnectionLostError } from '../../../cloud/store/errors.ts';
import { openPostgres, type Store } from '../../../cloud/store/open.ts';
import { live, read } from '../../support/cloud/loads.ts';
import { addTenants, AT, deliveries, postgresKind, reset, type StoreKind } from '../../support/cloud/store.ts';
import { startPostgresProxy, type Fate, type Statement } from '../../support/postgres-proxy.ts';
import { TestFixture, waitFor, type Part } from '../../support/process.ts';
import { newSeed, runs } from '../../support/runs.ts';
import { CloudFixture, operatorOf } from './cloud-fixture.ts';
import { Seeded } from '../../support/seeded.ts';

const fixture = new TestFixture();
let kind: StoreKind;
let store: Store;
let url: string;

beforeAll(async () => {
  kind = await postgresKind();
  const opened = await kind.open();
  store = opened.store;
  url = opened.url ?? '';
});
afterAll(async () => {
  await fixture.clear();
  await store.close();
  await kind.stop();
});
beforeEach(async () => {
  await reset(store);
  await addTenants(store, 3);
});

const publisher = (address: string, ...args: string[]): Part =>
  fixture.start('test/faults/cloud/publisher.ts', { args: [address, ...args] });
const take = (key: string, by = store): ReturnType<typeof publish> => publish(by, read(live({ key })), AT);
const cursors = async (key: string): Promise<number[]> =>
  (await deliveries(store)).filter((row) => row.explanation_result_id === `res-${key}`).map((row) => row.cursor);

/** The number of rows in each table that a publication writes to. */
async function rowCounts(): Promise<Record<string, number>> {
  const { rows } = await sql<{ table: string; count: number }>`
    select 'delivery' as table, count(*) as count from tenant_delivery
    union all select 'result', count(*) from explanation_result
    union all select 'run', count(*) from explanation_run
    union all select 'document', count(*) from document
    union all select 'lineage', count(*) from explanation_run_event_evidence
    union all select 'route', count(*) from explanation_route
    union all select 'instrument', count(*) from instrument
    union all select 'thread', count(*) from event_thread
    union all select 'fan-outs', fan_outs from fan_out_count`.execute(store.db);
  return Object.fromEntries(rows.map(({ table, count }) => [table, count]));
}

/** No other connection is left: the work of a dead process has been rolled back. */
const settled = (): Promise<true> =>
  waitFor('the server to have noticed the death', async () => {
    const { rows } = await sql<{ n: number }>`
      select count(*) as n from pg_stat_activity where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`.execute(
      store.db,
    );
    return rows[0]?.n === 0;
  });

describe('fault 2: a publisher that is killed between any two steps', () => {
  /** Publishes in a separate process, through a proxy that sees every statement. */
  const run = async (key: string, decide: (statement: Statement, part: () => Part) => Promise<Fate>): Promise<Part> => {
    const proxy = await startPostgresProxy(url, (statement) => decide(statement, () => part));
    const part = publisher(proxy.url, key);
    await part.exited;
    await proxy.close();
    await settled();
    return part;
  };
  const statementsOf = async (key: string): Promise<string[]> => {
    const seen: string[] = [];
    const part = await run(key, async ({ text }) => {
      seen.push(text);
      return 'pass';
    });
    expect(part.exit).toEqual({ code: 0, signal: null });
    return seen;
  };

  test('leaves all of a publication or nothing, and the same load again completes it', async () => {
    await take('base');
    const steps = await statementsOf('whole');
    const commit = steps.indexOf('commit');
    expect(steps.slice(0, commit)).toContain('begin');
    expect(steps.filter((text) => text.includes('insert into')).length).toBeGreaterThan(10);
    let head = 2;
    const begin = steps.indexOf('begin');
    const between = Array.from({ length: commit - begin - 1 }, (_, index) => begin + 1 + index);
    for (const step of [...new Seeded(newSeed()).shuffled(between).slice(0, runs(2, between.length)), commit]) {
      const before = await rowCounts();
      const key = `k${step}`;
      const part = await run(key, async ({ number }, own) => {
        if (number !== step + 1) return 'pass';
        await own().kill();
        return 'cut before it';
      });
      expect(part.exit).toEqual({ code: null, signal: 'SIGKILL' });
      expect({ step: steps[step], ...(await rowCounts()) }).toEqual({ step: steps[step], ...before });
      expect(await take(key)).toMatchObject({ outcome: 'PUBLISHED', repeated: false, deliveries: 3 });
      head += 1;
      expect(await cursors(key)).toEqual([head, head, head]);
    }
    // Killed when the commit has happened and its answer has not arrived.
    const late = await run('late', async ({ number }, own) => {
      if (number === commit + 1) void settled().then(() => own().kill());
      return number === commit + 1 ? 'lose the answer' : 'pass';
    });
    expect(late.exit?.code).not.toBe(0);
    expect(await take('late')).toMatchObject({ outcome: 'PUBLISHED', repeated: true, deliveries: 0 });
    expect(await cursors('late')).toEqual([head + 1, head + 1, head + 1]);
  });
});

describe('fault 3: the acknowledgment of a commit is lost', () => {
  test('the publisher gets a retryable error, and its second try makes no second record', async () => {
    let faults = 1;
    const proxy = await startPostgresProxy(url, ({ text }) =>
      text === 'commit' && faults-- > 0 ? 'lose the answer' : 'pass',
    );
    const far = await openPostgres(proxy.url, 2);
    const first = await take('a', far).catch((error: unknown) => error);
    expect(first).toBeInstanceOf(ConnectionLostError);
    expect(await take('a', far)).toMatchObject({ outcome: 'PUBLISHED', repeated: true, deliveries: 0 });
    expect(await cursors('a')).toEqual([1, 1, 1]);
    await far.close();
    await proxy.close();
  });

  test('a withdrawal with a lost answer is issued once', async () => {
    await take('a');
    let faults = 1;
    const proxy = await startPostgresProxy(url, ({ text }) =>
      text === 'commit' && faults-- > 0 ? 'lose the answer' : 'pass',
    );
    const far = await openPostgres(proxy.url, 2);
    const takeDown = (): Promise<number | null> =>
      far.transaction((trx) => withdraw(trx, { explanationResultId: 'res-a' }, 'x', AT));
    await expect(takeDown()).rejects.toThrow(ConnectionLostError);
    expect(await takeDown()).toBeNull();
    expect((await deliveries(store)).filter((row) => row.delivery_type === 'INVALIDATION')).toHaveLength(3);
    await far.close();
    await proxy.close();
  });

  test('a connection that the server drops between two statements ends the publication, not the process', async () => {
    const failed = publish(store, read(live({ key: 'a' })), AT, {
      onStep: async (step) => {
        if (step !== 'stored') return;
        const other = await openPostgres(url, 1);
        await sql`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and state = 'idle in transaction'`.execute(other.db);
        await other.close();
      },
    });
    await expect(failed).rejects.toThrow(ConnectionLostError);
    expect(await take('a')).toMatchObject({ outcome: 'PUBLISHED', repeated: false, deliveries: 3 });
  });
});

describe('fault 4: a lock holder that hangs', () => {
  test('is cut off by the server, and until then the others get a retryable error', async () => {
    await take('old');
    const holder = publisher(
      `${url}?options=${encodeURIComponent('-c idle_in_transaction_session_timeout=3s')}`,
      'held',
      'hold',
    );
    await holder.output('holding');
    // A load of another instrument: only the fan-out lock is shared.
    const other = read(live({ key: 'waiting', ticker: '102110' }));
    const impatient = await openPostgres(`${url}?options=${encodeURIComponent('-c lock_timeout=100ms')}`, 2);
    try {
      await expect(publish(impatient, other, AT)).rejects.toThrow(
        /tenant-delivery-fanout.*nothing was written, try again/,
      );
      await expect(
        impatient.transaction((trx) => withdraw(trx, { explanationResultId: 'res-old' }, 'x', AT)),
      ).rejects.toThrow(/tenant-delivery-fanout/);
      // A patience of five seconds outlasts the holder.
      expect(await publish(store, other, AT)).toMatchObject({ outcome: 'PUBLISHED', repeated: false, deliveries: 3 });
      expect(await cursors('held')).toEqual([]);
    } finally {
      await impatient.close();
      await holder.kill();
    }
    expect(await take('held')).toMatchObject({ outcome: 'PUBLISHED', repeated: false, deliveries: 3 });
    expect(await cursors('held')).toEqual([3, 3, 3]);
  });

  test('the limits stand on every connection', async () => {
    const { rows } = await sql<Record<string, string>>`
      select current_setting('lock_timeout') as lock, current_setting('idle_in_transaction_session_timeout') as idle`.execute(
      store.db,
    );
    expect(rows).toEqual([{ lock: '5s', idle: '30s' }]);
  });
});

describe('fault 7: withdrawals out of order', () => {
  const takeDown = (id: string): Promise<number | null> =>
    store.transaction((trx) => withdraw(trx, { explanationResultId: id }, 'x', AT));

  test('before its NEW is committed there is nothing to withdraw, and nothing is sent', async () => {
    const during: (number | null)[] = [];
    await publish(store, read(live({ key: 'a' })), AT, {
      onStep: async (step) => {
        if (step === 'stored') during.push(await takeDown('res-a'));
      },
    });
    expect(during).toEqual([null]);
    expect((await deliveries(store)).map((row) => row.delivery_type)).toEqual(['NEW', 'NEW', 'NEW']);
  });

  test('without its NEW: a tenant that never received it gets no record, and its cursors have no hole', async () => {
    await take('a');
    const [late] = await addTenants(store, 1, 'late-');
    expect(await takeDown('res-a')).toBe(3);
    await take('b');
    const own = (await deliveries(store)).filter((row) => row.tenant_id === late);
    expect(own.map((row) => [row.cursor, row.explanation_result_id])).toEqual([[1, 'res-b']]);
  });

  test('twice at the same moment: it is issued once', async () => {
    await take('a');
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => takeDown('res-a')));
    expect(outcomes.filter((count) => count !== null)).toEqual([3]);
    const twice = sql`
      insert into tenant_delivery (tenant_id, cursor, delivery_type, target_explanation_result_id, reason, created_at)
      values (1, 9, 'INVALIDATION', 'res-a', 'x', now())`.execute(store.db);
    await expect(twice).rejects.toThrow(/duplicate/);
  });
});

describe('a whole cloud', () => {
  test('faults 3 and 4 at the door and at the operator API: a reason to retry, a load that waits, 503, and no second record', async () => {
    const clouds = await CloudFixture.start();
    try {
      const plain = await clouds.initialised();
      let fate: Fate = 'pass';
      const proxy = await startPostgresProxy(plain, ({ text }) => (text === 'commit' ? fate : 'pass'));
      const cloud = await clouds.cloud(`${proxy.url}?options=${encodeURIComponent('-c lock_timeout=200ms')}`);
      const invalidate = await operatorOf(cloud);
      fate = 'lose the answer';
      expect(await cloud.load(live({ key: 'a' }))).toMatchObject([{ outcome: 'FAILED', reason: 'STORE_UNREACHABLE' }]);
      fate = 'pass';
      expect(await cloud.load(live({ key: 'a' }))).toMatchObject([{ outcome: 'PUBLISHED', repeated: true }]);

      const holder = await openPostgres(plain, 1);
      const waiting = await holder.transaction(async (trx) => {
        await sql`select pg_advisory_xact_lock(hashtextextended('tenant-delivery-fanout', 0))`.execute(trx);
        // A load waits for its turn (D151); a person is told soon.
        const load = cloud.load(live({ key: 'b' }));
        expect(await invalidate('res-a')).toEqual({ status: 503, code: 'COMMON503' });
        return { load };
      });
      expect(await waiting.load).toMatchObject([{ outcome: 'PUBLISHED', repeated: false }]);
      // Another transaction holds the row itself.
      await holder.transaction(async (trx) => {
        await sql`select 1 from explanation_result where explanation_result_id = 'res-a' for update`.execute(trx);
        expect(await invalidate('res-a')).toEqual({ status: 503, code: 'COMMON503' });
      });
      expect(await invalidate('res-a')).toEqual({ status: 200, code: 'COMMON200' });
      const records = (await deliveries(holder)).map((row) => [row.cursor, row.delivery_type]);
      expect(records).toEqual([
        [1, 'NEW'],
        [2, 'NEW'],
        [3, 'INVALIDATION'],
      ]);
      await holder.close();
      await cloud.part.stop();
      await proxy.close();
    } finally {
      await clouds.clear();
    }
  });
});
