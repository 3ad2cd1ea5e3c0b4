/**
 * The operator's facts about each tenant's pulls (D23), in constant space per tenant: one row of state and a ring of
 * the last pulls. Written behind the answers in batches, so that no pull waits for it; a killed process loses half a
 * second of log, never a record. Several processes write at once: the newest pull stays the last one in any order of
 * writes.
 *
 * A batch of pulls travels as one parameter, and the ring is written in one statement.
 */
import { sql } from 'kysely';
import type { Applied } from '../../shared/wire/applied.ts';
import type { Passed } from '../operations/metrics.ts';
import type { Store } from '../store/open.ts';
import { markWithdrawals, type Progress } from './progress.ts';

/** The number of pulls kept per tenant. */
export const HISTORY_SLOTS = 200;
const FLUSH_MS = 500;

export interface PullNote {
  tenantId: number;
  at: Date;
  after: number | null;
  to: number | null;
  entries: number;
  /** COMMON200, or the code of the failure. */
  outcome: string;
  message: string | null;
  /** A pull that waited and got nothing: after another good one without entries it takes that one's slot (D223). */
  isEmptyWait?: boolean;
  /** After a pull that asked to wait: until when the next one waits, which comes at once. */
  waitingUntil?: Date | null;
  /** How far the tenant has applied (D230); null: it does not tell; absent: as the last pull here that told. */
  told?: Applied | null;
}

const isEmpty = ({ outcome, entries }: PullNote): boolean => outcome === 'COMMON200' && entries === 0;

/** Without those whose slot a later pull of the same batch takes; `joins`: it may take one that was written before. */
function kept(batch: readonly PullNote[]): (PullNote & { joins: boolean })[] {
  const lastOf = new Map<number, PullNote>();
  const taken = new Set<PullNote>();
  const joining = new Set<PullNote>();
  for (const note of batch) {
    const last = lastOf.get(note.tenantId);
    if (note.isEmptyWait === true) {
      if (last === undefined || (isEmpty(last) && joining.has(last))) joining.add(note);
      if (last !== undefined && isEmpty(last)) taken.add(last);
    }
    lastOf.set(note.tenantId, note);
  }
  return batch.filter((note) => !taken.has(note)).map((note) => ({ ...note, joins: joining.has(note) }));
}

/** Whether the batch's failure is at least as new as the known one; a comparison with null gives no. */
const newerGood = sql`(excluded.last_good_pull_at is not null and (known.last_good_pull_at is null or excluded.last_good_pull_at >= known.last_good_pull_at))`;
const newerError = sql`(known.last_error_at is null or excluded.last_error_at >= known.last_error_at)`;

export class PullLog {
  readonly #store: Store;
  readonly #onError: (error: unknown) => void;
  readonly #onPassed: (passed: readonly Passed[]) => void;
  /** What each tenant's last good pull here told, and all that it said in one text. */
  readonly #known = new Map<number, { told: Applied | null; said: string }>();
  #progress: Progress[] = [];
  #waiting: PullNote[] = [];
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();

  /** @param onPassed called with the withdrawals that a batch told of, once it is written */
  constructor(
    store: Store,
    onError: (error: unknown) => void,
    onPassed: (passed: readonly Passed[]) => void = () => undefined,
  ) {
    this.#store = store;
    this.#onError = onError;
    this.#onPassed = onPassed;
  }

  /**
   * A pull has arrived and waits (D223). What it says of the tenant is known now, not after the wait; its answer takes the
   * same slot. Where it says nothing new, nothing is written.
   */
  arrived(pull: PullNote): void {
    if (this.#isNews(pull)) this.#add(pull);
  }

  note(pull: PullNote): void {
    if (pull.outcome === 'COMMON200') this.#isNews(pull);
    const { told = this.#known.get(pull.tenantId)?.told } = pull;
    this.#add({ ...pull, ...(told === undefined ? {} : { told }) });
  }

  /** Whether a good pull says something else of its tenant than the last one here; the marks follow from it. */
  #isNews({ tenantId, at, after, told }: PullNote): boolean {
    if (told === undefined) return false;
    const said = `${after} ${JSON.stringify(told)}`;
    if (this.#known.get(tenantId)?.said === said) return false;
    this.#known.set(tenantId, { told, said });
    this.#progress.push({ tenantId, at, after, applied: told?.applied ?? null });
    return true;
  }

  #add(pull: PullNote): void {
    this.#waiting.push(pull);
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS);
  }

  /** Writes waiting pulls; called once more after the last pull. Never throws: the log must not fail a pull. */
  flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const batch = this.#waiting;
    this.#waiting = [];
    const progress = this.#progress;
    this.#progress = [];
    if (batch.length > 0) this.#writing = this.#writing.then(() => this.#write(batch, progress)).catch(this.#onError);
    return this.#writing;
  }

  async #write(batch: PullNote[], progress: readonly Progress[]): Promise<void> {
    const told = (note: PullNote): { told?: object } => (note.told === null ? { told: {} } : {});
    const notes = JSON.stringify(kept(batch).map((note, position) => ({ ...note, ...told(note), position })));
    const passed = await this.#store.transaction(async (trx) => {
      const marked = await markWithdrawals(trx, progress);
      // Two processes write the same tenants' rows: always in the same order.
      await sql`
        with note as (
          select * from json_to_recordset(${notes}::json)
            as x (position integer, "tenantId" bigint, at timestamptz, after bigint, "to" bigint, entries integer, outcome text, message text, joins boolean, "waitingUntil" timestamptz, told jsonb)
        ),
        joined as (
          select n.position from note n
          join tenant_pull_state s on s.tenant_id = n."tenantId"
          join tenant_pull_history h on h.tenant_id = s.tenant_id and h.slot = (s.pulls - 1) % ${HISTORY_SLOTS}::integer
          where n.joins and h.outcome = 'COMMON200' and h.entry_count = 0
        ),
        last as (select distinct on ("tenantId") * from note order by "tenantId", position desc),
        good as (select distinct on ("tenantId") * from note where outcome = 'COMMON200' order by "tenantId", position desc),
        event as (select "tenantId", max(at) as at from note where outcome = 'COMMON200' and entries > 0 group by "tenantId"),
        bad as (select distinct on ("tenantId") * from note where outcome <> 'COMMON200' order by "tenantId", position desc),
        counted as (
          select "tenantId", count(*) filter (where position not in (select position from joined)) as pulls, sum(entries) as entries
          from note group by "tenantId"
        )
        insert into tenant_pull_state as known
          (tenant_id, pulls, entries, last_pull_at, last_outcome, last_good_pull_at, last_good_after, last_event_sync_at, last_error_at, last_error_code, last_error_message, waiting_until, told)
        select c."tenantId", c.pulls, c.entries, l.at, l.outcome, g.at, g.after, e.at, b.at, b.outcome, b.message, l."waitingUntil", g.told
        from counted c
        join last l using ("tenantId") left join good g using ("tenantId") left join event e using ("tenantId") left join bad b using ("tenantId")
        order by c."tenantId"
        on conflict (tenant_id) do update set
          pulls = known.pulls + excluded.pulls,
          entries = known.entries + excluded.entries,
          last_pull_at = greatest(known.last_pull_at, excluded.last_pull_at),
          last_outcome = case when excluded.last_pull_at >= known.last_pull_at then excluded.last_outcome else known.last_outcome end,
          waiting_until = case when excluded.last_pull_at >= known.last_pull_at then excluded.waiting_until else known.waiting_until end,
          last_good_pull_at = greatest(known.last_good_pull_at, excluded.last_good_pull_at),
          last_good_after = case when ${newerGood} then excluded.last_good_after else known.last_good_after end,
          told = case when ${newerGood} then coalesce(excluded.told, known.told) else known.told end,
          last_event_sync_at = greatest(known.last_event_sync_at, excluded.last_event_sync_at),
          last_error_at = greatest(known.last_error_at, excluded.last_error_at),
          last_error_code = case when ${newerError} then excluded.last_error_code else known.last_error_code end,
          last_error_message = case when ${newerError} then excluded.last_error_message else known.last_error_message end`.execute(
        trx,
      );
      // The counter of slots has just moved past this batch: its last pull is at slot (pulls - 1) of the ring.
      await sql`
        with note as (
          select *, row_number() over (partition by "tenantId" order by position desc) as back
          from json_to_recordset(${notes}::json)
            as x (position integer, "tenantId" bigint, at timestamptz, after bigint, "to" bigint, entries integer, outcome text, message text)
        )
        insert into tenant_pull_history (tenant_id, slot, pulled_at, after_cursor, to_cursor, entry_count, outcome, message)
        select n."tenantId", (s.pulls - n.back) % ${HISTORY_SLOTS}::integer, n.at, n.after, n."to", n.entries, n.outcome, n.message
        from note n join tenant_pull_state s on s.tenant_id = n."tenantId"
        where n.back <= ${HISTORY_SLOTS}::integer
        on conflict (tenant_id, slot) do update set
          pulled_at = excluded.pulled_at, after_cursor = excluded.after_cursor, to_cursor = excluded.to_cursor,
          entry_count = excluded.entry_count, outcome = excluded.outcome, message = excluded.message`.execute(trx);
      return marked;
    });
    this.#onPassed(passed);
  }
}
