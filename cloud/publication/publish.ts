/**
 * Publication: one transaction per decision (sync protocol 3). A result, its lineage and a delivery record
 * for each tenant (`fan-out.ts`) become visible together or not at all. `decide.ts` holds the rules.
 *
 * Before it: `cloud/ingest/server.ts`. After it: `cloud/sync/server.ts`.
 */
import { sql } from 'kysely';
import type { LineAnswer, Load, V2Load } from './load.ts';
import { LockTimeoutError, sqlState } from '../store/errors.ts';
import type { Store, Trx } from '../store/open.ts';
import { refuseAhead } from './ahead.ts';
import { decide, type Decision } from './decide.ts';
import {
  FanOutLockTimeoutError,
  fanOutInvalidation,
  fanOutNew,
  fanOutTransaction,
  type FanOutOptions,
  type Subject,
} from './fan-out.ts';
import { lockInstrument, nameAfterWithdrawal, nameInstrument } from './instrument.ts';
import { linkLineage, upsertLineage } from './lineage.ts';
import { LoadRefusedError } from './refusal.ts';
import { waitingFor } from './waiting.ts';
import { unchangedWarning, usedUpWarning, warningOf } from './warning.ts';
import { markWithdrawn } from './withdraw.ts';

/** The outcome of a load: an answer of the engine's door without its line number. */
export type Outcome = Omit<LineAnswer, 'line'>;

/** A load as the door has read it. */
export interface ReadLoad {
  load: Load;
  /** Over what the content means (D197): the same id with another one is refused, with the same one a repetition. */
  contentHash: string;
  /** Over what the lineage means: a run keeps its first lineage. */
  lineageHash: string;
  /** JSON text of the calculations with numbers as the engine wrote them. */
  calculations: string;
}

export interface PublishOptions extends FanOutOptions {
  /** Only answers what would happen: everything is done, and taken back (D218). */
  isCheck?: boolean;
  /** Replaces the database's clock in tests. */
  now?: Date;
  /** Called between two steps, for tests that interleave or kill. */
  onStep?: (step: 'locked' | 'stored' | 'fannedOut') => Promise<void>;
}

/** Numbers publications; the order means nothing. Retention records the numbers of a tenant's received publications. */
const nextNumber = sql`nextval('publication_number')`;

const ID_LOCK = 'explanation-id';

/** SQLSTATEs after which the same transaction is retried: serialisation, deadlock, and a race for one id. */
const RETRYABLE = new Set(['40001', '40P01', '23505']);
const ATTEMPTS = 3;

/** Takes back a transaction that only shows what would happen. */
class CheckedOnly extends Error {
  readonly outcome: Outcome;
  constructor(outcome: Outcome) {
    super('checked only');
    this.outcome = outcome;
  }
}

/**
 * Takes one load: stores its lineage and result and publishes it, keeps it as a DRAFT, or writes nothing, as
 * `decide.ts` decides. Taking the same load again changes nothing and
 * answers its present state.
 *
 * @throws LoadRefusedError for an invalid load, FanOutLockTimeoutError, ConnectionLostError
 */
export async function publish(store: Store, read: ReadLoad, at: Date, options: PublishOptions = {}): Promise<Outcome> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return withWarning(
        read,
        await fanOutTransaction(
          store,
          async (trx) => {
            const outcome = await take(trx, read, at, options);
            if (options.isCheck === true) throw new CheckedOnly(outcome);
            return outcome;
          },
          options,
        ),
      );
    } catch (error) {
      if (error instanceof CheckedOnly) return withWarning(read, error.outcome);
      if (error instanceof LockTimeoutError && !(error instanceof FanOutLockTimeoutError)) {
        throw new LoadRefusedError('LOCK_TIMEOUT', error.message);
      }
      const state = sqlState(error);
      if (state === null) throw error;
      if (state === '23505' && violated(error) === 'explanation_result_one_published_per_grain') {
        throw new LoadRefusedError(
          'GRAIN_ALREADY_PUBLISHED',
          'Another result is published for the same instrument, trade date and explanation_as_of: withdraw that one, or give this one its own explanation_as_of.',
        );
      }
      if (attempt >= ATTEMPTS || !RETRYABLE.has(state)) throw error;
    }
  }
}

function withWarning({ load }: ReadLoad, outcome: Outcome): Outcome {
  const warnings = [warningOf(load), outcome.warning].filter((each) => each !== undefined);
  return warnings.length === 0 ? outcome : { ...outcome, warning: warnings.join(' ') };
}

async function take(trx: Trx, read: ReadLoad, at: Date, options: PublishOptions): Promise<Outcome> {
  const { load } = read;
  const { known, now } = await findKnown(trx, read);
  if (known !== null) return known;
  refuseAhead(load, options.now ?? now);
  const withoutRoute = decide(load, false);
  if (withoutRoute.kind === 'nothing') {
    const id = load.mode === 'BACKFILL' ? (load.result?.explanation_result_id ?? null) : null;
    return {
      outcome: withoutRoute.outcome,
      id,
      reason: withoutRoute.reason,
      message: withoutRoute.message,
      repeated: false,
      deliveries: 0,
    };
  }

  const nameId = await waitingFor(`the instrument ${load.instrument.instrument_id}`, lockInstrument(trx, load));
  const routeId = await waitingFor(`the firing ${load.trigger.trigger_id}`, lockRoute(trx, load));
  await options.onStep?.('locked');
  await waitingFor(`the id ${idOf(load)}`, lockId(trx, load));
  // Another load of the same route or id waits at the locks above: nothing can change after this read.
  const { known: knownMeanwhile } = await findKnown(trx, read);
  if (knownMeanwhile !== null) return knownMeanwhile;
  const published = await sql<{ id: string }>`
    select explanation_result_id as id from explanation_result
    where explanation_route_id = ${routeId} and publication_status = 'PUBLISHED'`.execute(trx);
  const publishedId = published.rows[0]?.id ?? null;
  const decision = decide(load, publishedId !== null);

  const kept = await waitingFor(
    'a row of its lineage, which another load has too',
    upsertLineage(trx, load.lineage, at),
  );
  await waitingFor(`the run ${load.run.explanation_run_id} or its release`, insertRun(trx, read, routeId, at));
  await waitingFor(`the thread ${load.thread.event_thread_id}`, upsertThread(trx, load));
  // The old copy is withdrawn before the new one is published: a route has at most one published result.
  const replaced =
    decision.kind === 'publish' && decision.withdrawFirst !== null && publishedId !== null
      ? { target: { explanationResultId: publishedId }, reason: decision.withdrawFirst }
      : null;
  if (replaced !== null)
    await waitingFor(`the published text ${publishedId}`, markWithdrawn(trx, replaced.target, replaced.reason, at));
  const subject =
    load.mode === 'V2'
      ? await storeAnalysis(trx, load, read.contentHash, { routeId, nameId }, at)
      : await storeResult(trx, load, read.contentHash, { routeId, nameId }, decision, at);
  if (decision.kind === 'publish') {
    if (replaced !== null) await nameAfterWithdrawal(trx, replaced.target);
    await nameInstrument(trx, load);
  }
  await options.onStep?.('stored');

  // Fan-out comes last: every other publisher waits for its lock.
  if (replaced !== null) await fanOutInvalidation(trx, replaced.target, replaced.reason, at, options.observer);
  const { issued, passedOver } =
    decision.kind === 'publish' ? await fanOutNew(trx, subject, at, options.observer) : { issued: 0, passedOver: 0 };
  await options.onStep?.('fannedOut');
  const warnings = [unchangedWarning(kept), usedUpWarning(passedOver)].filter((each) => each !== undefined);
  return {
    outcome: decision.kind === 'publish' ? 'PUBLISHED' : 'DRAFT',
    id: 'explanationResultId' in subject ? subject.explanationResultId : subject.movementAnalysisId,
    reason: decision.kind === 'draft' ? decision.reason : null,
    message: null,
    repeated: false,
    deliveries: issued,
    ...(warnings.length === 0 ? {} : { warning: warnings.join(' ') }),
  };
}

async function upsertThread(trx: Trx, { thread }: Load): Promise<void> {
  await sql`
    insert into event_thread as known (event_thread_id, title) values (${thread.event_thread_id}, ${thread.title})
    on conflict (event_thread_id) do update set title = excluded.title
    where known.title is null and excluded.title is not null`.execute(trx);
}

/** The id of the load's result or analysis; null without one. */
function idOf(load: Load): string | null {
  return load.mode === 'V2' ? load.analysis.movement_analysis_id : (load.result?.explanation_result_id ?? null);
}

/**
 * One transaction at a time decides about an id: results and analyses are two tables, and no key of the database makes
 * an id unique across both.
 */
async function lockId(trx: Trx, load: Load): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${ID_LOCK}:${idOf(load)}`}, 0))`.execute(trx);
}

interface KnownRow {
  engine: 'v1' | 'v2' | null;
  load_hash: string;
  publication_status: 'PUBLISHED' | 'DRAFT' | 'WITHDRAWN';
  draft_reason: string | null;
  withdrawn_at: Date | null;
  withdrawal_reason: string | null;
  now: Date;
}

/** The present state of the same load, or null when its id is new; and the time by the database's clock. */
async function findKnown(trx: Trx, { load, contentHash }: ReadLoad): Promise<{ known: Outcome | null; now: Date }> {
  const id = idOf(load);
  // Both tables, because on the wire an analysis id takes the place of a result id.
  const { rows } = await sql<KnownRow>`
    select known.*, clock_timestamp() as now from (values (1)) one left join (
      select 'v1' as engine, load_hash, publication_status, draft_reason, withdrawn_at, withdrawal_reason from explanation_result where explanation_result_id = ${id}
      union all
      select 'v2', load_hash, publication_status, null, withdrawn_at, withdrawal_reason from movement_analysis where movement_analysis_id = ${id}
    ) known on true`.execute(trx);
  const [row] = rows;
  if (row === undefined) throw new Error('the database did not tell its time');
  const { now } = row;
  if (id === null || row.engine === null) return { known: null, now };
  if (row.load_hash !== contentHash || (row.engine === 'v2') !== (load.mode === 'V2')) {
    throw new LoadRefusedError(
      'ID_TAKEN',
      `The id ${id} has been loaded before with other content: a new text needs a new id.`,
    );
  }
  const known: Outcome = {
    outcome: row.publication_status,
    id,
    reason: row.draft_reason,
    message:
      row.withdrawn_at === null
        ? null
        : `${id} was withdrawn at ${row.withdrawn_at.toISOString()} (${row.withdrawal_reason}) and stays so: a text that is right needs an id of its own.`,
    repeated: true,
    deliveries: 0,
  };
  return { known, now };
}

/** Inserts the trigger and its route where they are new, and locks the route: one transaction at a time decides a firing. */
async function lockRoute(trx: Trx, load: Load): Promise<number> {
  const { trigger, instrument } = load;
  const batch = trigger.kind === 'BATCH';
  const table = sql.table(batch ? 'price_movement_trigger' : 'minute_price_trigger');
  const reference = sql.ref(batch ? 'price_movement_trigger_id' : 'minute_price_trigger_id');
  const tradeDate = load.mode === 'V2' ? load.analysis.trade_date : load.result?.trade_date;
  await sql`
    insert into ${table} as known (trigger_id, instrument_id, trade_date, fired_at, observed_return ${batch ? sql`` : sql`, signal`})
    values (${trigger.trigger_id}, ${instrument.instrument_id}, ${tradeDate}, ${trigger.fired_at}, ${trigger.observed_return} ${batch ? sql`` : sql`, 'FIRE'`})
    on conflict (trigger_id) do update set observed_return = excluded.observed_return
    where known.observed_return is null and excluded.observed_return is not null`.execute(trx);
  // A load without an observed return conflicts with none.
  const firing = await sql<{ conflict: string | null }>`
    select case
      when instrument_id <> ${instrument.instrument_id} then 'for another instrument'
      when trade_date <> ${tradeDate}::date then 'on another trade date'
      when fired_at <> ${trigger.fired_at}::timestamptz then 'at another time'
      when observed_return <> ${trigger.observed_return}::double precision then 'with another observed return'
    end as conflict
    from ${table} where trigger_id = ${trigger.trigger_id}`.execute(trx);
  const conflict = firing.rows[0]?.conflict ?? null;
  if (conflict !== null) {
    throw new LoadRefusedError(
      'TRIGGER_CONFLICT',
      `The trigger ${trigger.trigger_id} fired ${conflict}: a firing never changes; send a corrected one under a trigger_id of its own.`,
    );
  }
  await observe(trx, batch ? 'price_movement_trigger' : 'minute_price_trigger', trigger.trigger_id);
  const route = await sql<{ id: number }>`
    select explanation_route_id as id from explanation_route where ${reference} = ${trigger.trigger_id} for update`.execute(
    trx,
  );
  const id = route.rows[0]?.id;
  if (id === undefined) throw new Error(`the route of trigger ${trigger.trigger_id} is gone`);
  return id;
}

/** Inserts the observation behind a firing, and its route, where they are new. */
async function observe(
  trx: Trx,
  kind: 'price_movement_trigger' | 'minute_price_trigger',
  triggerId: string,
): Promise<void> {
  const reference = sql.ref(`${kind}_id`);
  const route = await sql`
    insert into explanation_route (${reference}) values (${triggerId}) on conflict (${reference}) do nothing`.execute(
    trx,
  );
  if (route.numAffectedRows === 0n) return;
  await sql`
    with fed as (
      select price_observation_id from price_observation_trigger where ${reference} = ${triggerId} limit 1
    ), observation as (
      insert into price_observation (price_observation_id, instrument_id, trade_date, observed_at)
      select ${`${kind}:${triggerId}`}, instrument_id, trade_date, fired_at from ${sql.table(kind)}
      where trigger_id = ${triggerId} and not exists (select from fed)
      returning price_observation_id
    ), feeding as (
      insert into price_observation_trigger (price_observation_id, ${reference})
      select price_observation_id, ${triggerId} from observation
    )
    update explanation_route set price_observation_id =
      (select price_observation_id from fed union all select price_observation_id from observation)
    where ${reference} = ${triggerId}`.execute(trx);
}

async function insertRun(trx: Trx, read: ReadLoad, routeId: number, at: Date): Promise<void> {
  const { load } = read;
  const { run } = load;
  const body = load.mode === 'V2' ? load.analysis : load.result;
  if (body === null) throw new Error('a load without a result has no run to store');
  const failed = load.mode !== 'V2' && load.failure !== null;
  if (run.release_bundle_version !== null) {
    await sql`insert into release_bundle (version) values (${run.release_bundle_version}) on conflict do nothing`.execute(
      trx,
    );
  }
  const inserted = await sql`
    insert into explanation_run
      (explanation_run_id, explanation_route_id, release_bundle_id, mode, status, started_at, explanation_as_of, lineage_hash, created_at)
    values (${run.explanation_run_id}, ${routeId},
      (select release_bundle_id from release_bundle where version = ${run.release_bundle_version}::text),
      ${load.mode}, ${failed ? 'FAILED' : 'SUCCEEDED'}, ${run.started_at}, ${body.explanation_as_of}, ${read.lineageHash}, ${at})
    on conflict do nothing`.execute(trx);
  if (inserted.numAffectedRows === 1n) {
    await linkLineage(trx, run.explanation_run_id, load, read.calculations);
    return;
  }
  const { rows } = await sql<{ route: number; lineage_hash: string; version: string | null }>`
    select r.explanation_route_id as route, r.lineage_hash, b.version
    from explanation_run r left join release_bundle b using (release_bundle_id)
    where r.explanation_run_id = ${run.explanation_run_id}`.execute(trx);
  const known = rows[0];
  if (
    known?.route !== routeId ||
    known.lineage_hash !== read.lineageHash ||
    known.version !== run.release_bundle_version
  ) {
    throw new LoadRefusedError(
      'RUN_CONFLICT',
      `The run ${run.explanation_run_id} is known already with another firing, release or lineage: a rerun has a run id of its own.`,
    );
  }
}

interface Belonging {
  routeId: number;
  /** The number of its instrument's name. */
  nameId: number;
}

async function storeResult(
  trx: Trx,
  load: Exclude<Load, V2Load>,
  contentHash: string,
  { routeId, nameId }: Belonging,
  decision: Decision,
  at: Date,
): Promise<Subject> {
  const { result } = load;
  if (result === null || decision.kind === 'nothing') throw new Error('a load without a result is not stored');
  const draftReason = decision.kind === 'draft' ? decision.reason : null;
  await sql`
    insert into explanation_result
      (explanation_result_id, explanation_run_id, explanation_route_id, etf_instrument_id, trade_date, explanation_as_of, explanation_type,
       confidence_level, summary, primary_thread_id, content_as_of, surface, surface_units, counter_factors, publication_status, publication_number, draft_reason, published_at, load_hash, created_at, instrument_name_id)
    values (${result.explanation_result_id}, ${load.run.explanation_run_id}, ${routeId}, ${load.instrument.instrument_id}, ${result.trade_date},
      ${result.explanation_as_of}, ${result.explanation_type}, ${result.confidence_level}, ${result.summary}, ${load.thread.event_thread_id},
      ${result.content_as_of}, ${result.surface === null ? null : JSON.stringify(result.surface)}::jsonb,
      ${result.surface_units === undefined ? null : JSON.stringify(result.surface_units)}::jsonb,
      ${result.counter_factors === undefined ? null : JSON.stringify(result.counter_factors)}::jsonb,
      ${draftReason === null ? 'PUBLISHED' : 'DRAFT'}, ${draftReason === null ? nextNumber : null}, ${draftReason}, ${draftReason === null ? at : null}, ${contentHash}, ${at}, ${nameId})`.execute(
    trx,
  );
  return { explanationResultId: result.explanation_result_id };
}

async function storeAnalysis(
  trx: Trx,
  load: V2Load,
  contentHash: string,
  { routeId, nameId }: Belonging,
  at: Date,
): Promise<Subject> {
  const { analysis } = load;
  await sql`
    insert into movement_analysis
      (movement_analysis_id, explanation_run_id, explanation_route_id, etf_instrument_id, trade_date, explanation_as_of, summary,
       primary_thread_id, content_as_of, exposure_status, publication_status, publication_number, published_at, load_hash, created_at, instrument_name_id)
    values (${analysis.movement_analysis_id}, ${load.run.explanation_run_id}, ${routeId}, ${load.instrument.instrument_id}, ${analysis.trade_date},
      ${analysis.explanation_as_of}, ${analysis.summary}, ${load.thread.event_thread_id}, ${analysis.content_as_of}, 'AUTO_PUBLISHED',
      'PUBLISHED', ${nextNumber}, ${at}, ${contentHash}, ${at}, ${nameId})`.execute(trx);
  await sql`
    insert into movement_analysis_status_history (movement_analysis_id, from_status, to_status, note, changed_at)
    values (${analysis.movement_analysis_id}, null, 'AUTO_PUBLISHED', 'v2 automatic exposure', ${at})`.execute(trx);
  return { movementAnalysisId: analysis.movement_analysis_id };
}

/** The name of the constraint or index that an error is about. */
function violated(error: unknown): string | null {
  return typeof error === 'object' && error !== null && 'constraint' in error && typeof error.constraint === 'string'
    ? error.constraint
    : null;
}
