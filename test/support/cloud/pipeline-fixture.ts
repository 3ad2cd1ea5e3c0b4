/** The operator API over a real store with a pipeline ledger that a test writes row by row. */
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { sql } from 'kysely';
import type { ZodType } from 'zod';
import type { Store } from '../../../cloud/store/open.ts';
import { databaseQueues, databaseWorkflows } from '../../../cloud/facts/adapters/database.ts';
import { SetClock } from './clock.ts';
import { OperatorFixture, type Reply } from './operator-fixture.ts';
import { AT, type StoreKind } from './store.ts';

export type Values = Record<string, unknown>;

export class PipelineFixture {
  /** The clock that replaces the database's. */
  readonly clock: SetClock;
  readonly #kind: StoreKind;
  readonly #operator: OperatorFixture;
  readonly #cookie: string;

  private constructor(kind: StoreKind, clock: SetClock, operator: OperatorFixture, cookie: string) {
    this.#kind = kind;
    this.clock = clock;
    this.#operator = operator;
    this.#cookie = cookie;
  }

  /** @param consoleFolder of the built console, for tests with a browser */
  static async open(makeKind: () => Promise<StoreKind>, consoleFolder?: string): Promise<PipelineFixture> {
    const kind = await makeKind();
    const clock = new SetClock(AT);
    const databaseClock = async (): Promise<Date> => clock.now();
    const operator = await OperatorFixture.open(
      kind,
      { databaseClock, ...(consoleFolder === undefined ? {} : { consoleFolder }) },
      (store) => ({ workflows: databaseWorkflows(store, databaseClock), queues: databaseQueues(store) }),
    );
    return new PipelineFixture(kind, clock, operator, await operator.logIn());
  }

  get url(): string {
    return this.#operator.url;
  }

  get store(): Store {
    return this.#operator.store;
  }

  async close(): Promise<void> {
    await this.#operator.close();
    await this.#kind.stop();
  }

  /** Empties the ledger and sets the database's clock. */
  async clear(): Promise<void> {
    await this.#operator.reset();
    this.clock.at = AT;
  }

  async ask(path: string): Promise<Reply> {
    return this.get(`sources/${path}`);
  }

  /** Any route of the API. */
  get(path: string): Promise<Reply> {
    return this.#operator.ask('GET', `/api/v1/${path}`, { cookie: this.#cookie });
  }

  /** The answer of a view, which must be exactly of its shape. */
  async view<T>(path: string, schema: ZodType<T>): Promise<T> {
    const { status, code, result } = await this.ask(path);
    if (status !== 200) throw new Error(`${path} was answered ${status} ${code}`);
    return schema.parse(result);
  }

  /** Writes rows; a column that a row does not name has its default. */
  async put(table: string, ...rows: Values[]): Promise<void> {
    for (const row of rows) {
      const columns = Object.keys(row).map((name) => sql.ref(name));
      const values = Object.values(row).map((value) => sql`${value}`);
      await sql`insert into ${sql.table(table)} (${sql.join(columns)}) values (${sql.join(values)})`.execute(
        this.store.db,
      );
    }
  }

  /** The id that was given to the last row of a table. */
  async newestId(table: string): Promise<number> {
    const { rows } = await sql<{ id: number }>`
      select max(${sql.ref(`${table}_id`)}) as id from ${sql.table(table)}`.execute(this.store.db);
    return rows[0]?.id ?? 0;
  }

  /** Writes copies of a result as drafts of the same day. */
  async copyResult(id: string, count: number): Promise<void> {
    await sql`
      insert into explanation_result (explanation_result_id, explanation_run_id, explanation_route_id, etf_instrument_id, trade_date,
        explanation_as_of, summary, primary_thread_id, publication_status, draft_reason, load_hash, created_at)
      select explanation_result_id || '-' || n, explanation_run_id, explanation_route_id, etf_instrument_id, trade_date,
        explanation_as_of, summary, primary_thread_id, 'DRAFT', 'route_already_published', load_hash, created_at
      from explanation_result, generate_series(1, ${count}::integer) n where explanation_result_id = ${id}`.execute(
      this.store.db,
    );
  }

  /** A run with its tasks; each task may bring its attempts. */
  async run(run: Values & { run_key: string }, ...tasks: (Values & { attempts?: Values[] })[]): Promise<void> {
    const [lane, date] = run.run_key.split('/');
    const known = { lane, trading_date: date, status: 'SUCCEEDED', created_at: AT, updated_at: AT };
    await this.put('pipeline_run', { ...known, ...run });
    for (const [index, { attempts = [{}], ...task }] of tasks.entries()) {
      const id = sql`(select pipeline_run_id from pipeline_run where run_key = ${run.run_key})`;
      const task_key = `task-${index}`;
      const all = { task_key, stage: 'raw', dataset: 'd', plan_status: 'DUE', required: true, ...task };
      await this.put('expected_task', { pipeline_run_id: id, ...all });
      const own = sql`(select expected_task_id from expected_task where pipeline_run_id = ${id} and task_key = ${all.task_key})`;
      for (const attempt of attempts)
        await this.put('task_attempt', { expected_task_id: own, status: 'SUCCEEDED', started_at: AT, ...attempt });
    }
  }

  /** A planned slot that the reconciliation has an issue with. */
  async slot(slot_key: string, issue: Values = {}, planned_for: Date = AT): Promise<void> {
    await this.put('planner_slot', { slot_key, planned_for });
    const id = sql`(select planner_slot_id from planner_slot where slot_key = ${slot_key})`;
    await this.put('reconciliation_issue', {
      planner_slot_id: id,
      issue_type: 'PLANNER_MISSING',
      opened_at: AT,
      ...issue,
    });
  }
}

/** An instant so many minutes after the fixed one. */
export const minutes = (count: number): Date => new Date(AT.getTime() + count * 60_000);

/** A fixture for the tests of the suite that calls this: opened once, emptied before each of them, closed after all. */
export function clearedFixture(makeKind: () => Promise<StoreKind>): () => PipelineFixture {
  let fixture: PipelineFixture;
  beforeAll(async () => {
    fixture = await PipelineFixture.open(makeKind);
  });
  afterAll(() => fixture.close());
  beforeEach(() => fixture.clear());
  return () => fixture;
}
