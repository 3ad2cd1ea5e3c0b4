/**
 * The end of a run: every ledger against what the cloud delivers, by HTTP and by SQL of our own. Knows none of the
 * product's code.
 */
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import type { RecordedMove } from './history.ts';
import { Person } from './people.ts';
import { wallOf, type Recorder } from './recorder.ts';
import type { TenantHost } from './tenant-host.ts';
import { TICKERS, type Vendor } from './vendor.ts';

const CATCH_UP_MS = 120_000;
const KOREA_MS = 9 * 3_600_000;
/** Between the answer's own reading of the ledger and what the test saw of it. */
const SLACK_MS = 250;
/** A change has its time before its commit (D154): a writer that is frozen then commits so much later at most. */
const COMMIT_MS = 10_000;

interface Entry {
  cursor: number;
  delivery_type: string;
  explanation_result?: { explanation_result_id: string; summary: string };
  target_explanation_result_id?: string;
  target_movement_analysis_id?: string;
}

/** Everything that the cloud delivers to a tenant, put on record as reads too. */
export async function truthOf(vendor: Vendor, recorder: Recorder, index: number): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (;;) {
    const [cloud] = vendor.live();
    if (cloud === undefined) throw new Error('no cloud is left at the end');
    const { bundle } = await vendor.readBundle(recorder, cloud, index, entries.at(-1)?.cursor ?? 0, 200);
    if (bundle === null) return entries;
    entries.push(...(bundle.entries as unknown as Entry[]));
  }
}

function withLedger<T>(file: string, work: (db: Database.Database) => T): T {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    return work(db);
  } finally {
    db.close();
  }
}

/** Waits until a ledger has applied everything. @returns a breach, or null */
export async function caughtUp(host: TenantHost, head: number): Promise<string | null> {
  const deadline = performance.now() + CATCH_UP_MS;
  let cursors: unknown = null;
  while (performance.now() < deadline) {
    try {
      const state = withLedger(host.ledger, (db) => db.prepare('SELECT * FROM sync_state').get()) as Record<
        string,
        unknown
      >;
      cursors = [state['committed_cursor'], state['applied_cursor']];
      if (Number(state['applied_cursor']) === head && Number(state['committed_cursor']) === head) return null;
    } catch (error) {
      cursors = String(error);
    }
    await pause(250);
  }
  return `tenant ${host.index}: the ledger stands at ${JSON.stringify(cursors)} and the cloud at ${head}`;
}

/** Holds a ledger at rest against the cloud's entries. */
export function compareLedger(host: TenantHost, truth: readonly Entry[], vendor: Vendor): string[] {
  const name = `tenant ${host.index}`;
  const breaches: string[] = [];
  withLedger(host.ledger, (db) => {
    const kept: Entry[] = [];
    let reached = 0;
    for (const row of db
      .prepare('SELECT cursor_from, cursor_to, body FROM raw_bundle ORDER BY cursor_from')
      .iterate()) {
      const {
        cursor_from: from,
        cursor_to: to,
        body,
      } = row as { cursor_from: number; cursor_to: number; body: Buffer };
      if (from !== reached) breaches.push(`${name}: raw records go on after ${reached} with ${from}`);
      reached = to;
      kept.push(...(JSON.parse(body.toString('utf8')) as { result: { entries: Entry[] } }).result.entries);
    }
    for (let at = 0; at < Math.max(kept.length, truth.length); at += 1)
      if (JSON.stringify(kept[at]) !== JSON.stringify(truth[at])) {
        breaches.push(
          `${name}: raw entry ${at + 1} is ${JSON.stringify(kept[at])?.slice(0, 300)}, not ${JSON.stringify(truth[at])?.slice(0, 300)}`,
        );
        break;
      }
    const rows = db.prepare('SELECT explanation_result_id AS id, status, summary FROM explanation').all() as {
      id: string;
      status: string;
      summary: string;
    }[];
    const found = new Map(rows.map((row) => [row.id, row]));
    const wanted = new Map<string, { summary: string; isWithdrawn: boolean }>();
    for (const { explanation_result: result, ...entry } of truth) {
      const target = entry.target_explanation_result_id ?? entry.target_movement_analysis_id;
      if (result !== undefined)
        wanted.set(result.explanation_result_id, { summary: result.summary, isWithdrawn: false });
      const withdrawn = target === undefined ? undefined : wanted.get(target);
      if (withdrawn !== undefined) withdrawn.isWithdrawn = true;
    }
    if (found.size !== wanted.size || rows.length !== found.size)
      breaches.push(`${name}: ${rows.length} explanations of ${wanted.size}`);
    for (const [id, { summary, isWithdrawn }] of wanted) {
      const row = found.get(id);
      if (row === undefined) breaches.push(`${name}: ${id} is missing`);
      else if (row.summary !== summary) breaches.push(`${name}: ${id} has the text "${row.summary}"`);
      else if ((row.status === 'INVALIDATED') !== isWithdrawn)
        breaches.push(`${name}: ${id} is ${row.status}, and ${isWithdrawn ? 'was' : 'was not'} withdrawn`);
    }
    for (const [id, { summary }] of vendor.published)
      if (wanted.get(id)?.summary !== summary)
        breaches.push(`${name}: the acknowledged ${id} is not delivered as it was sent`);
    const empty = ['rejected_entry', 'held_invalidation', 'held_ticker'];
    for (const table of host.isClockMoved ? empty : [...empty, 'quarantined_bundle']) {
      const { count } = db.prepare(`SELECT count(*) AS count FROM ${table}`).get() as { count: number };
      if (count > 0) breaches.push(`${name}: ${count} rows in ${table}`);
    }
  });
  return breaches;
}

/** The moves that people have made, by the history in the ledger. */
export function recordedMoves(host: TenantHost): RecordedMove[] {
  return withLedger(host.ledger, (db) =>
    (
      db
        .prepare(
          `SELECT explanation_result_id AS item, move, reason AS token FROM state_history
           JOIN explanation ON explanation.id = explanation_id WHERE actor_id IS NOT NULL ORDER BY state_history.id`,
        )
        .all() as Omit<RecordedMove, 'tenant'>[]
    ).map((row) => ({ tenant: host.index, ...row })),
  );
}

interface Span {
  from: string;
  to: string;
  showing: { state: 'GIVEN' | 'NOTHING' | 'UNKNOWN'; text?: string; channels?: { channel: string; inside: boolean }[] };
}

const dayOf = (at: number): string => new Date(Date.parse(wallOf(at)) + KOREA_MS).toISOString().slice(0, 10);

/** Everything that a channel was given must be what the console says was shown at that time. */
export async function compareShown(
  host: TenantHost,
  recorder: Recorder,
): Promise<{ breaches: string[]; compared: number }> {
  const person = new Person(host, 'viewer');
  const reads = recorder.operations
    .filter((each) => each.kind === 'PROVISION')
    .filter(({ tenant, text }) => tenant === host.index && text !== null);
  const breaches: string[] = [];
  let compared = 0;
  const days = new Set<string>();
  for (const { begin, end } of reads) for (const at of [begin, end]) days.add(dayOf(at));
  for (const ticker of TICKERS) {
    const here = reads.filter((read) => read.ticker === ticker);
    if (here.length === 0) continue;
    const spans: Span[] = [];
    for (const day of [...days].toSorted()) {
      const said = await person.ask<{ spans: Span[] }>('GET', `/shown/day?ticker=${ticker}&date=${day}`);
      if (said.status !== 200)
        breaches.push(`tenant ${host.index}: what was shown of ${ticker} answers ${said.status} ${said.code}`);
      else spans.push(...said.result.spans);
    }
    for (const read of here) {
      const [from, to] = [Date.parse(wallOf(read.begin)) - COMMIT_MS, Date.parse(wallOf(read.end)) + SLACK_MS];
      const around = spans.filter((span) => Date.parse(span.from) <= to && Date.parse(span.to) >= from);
      compared += 1;
      const isTold = around.some(
        ({ showing }) =>
          showing.state === 'UNKNOWN' ||
          (showing.text === read.text &&
            showing.channels?.some(({ channel, inside }) => channel === read.channel && inside)),
      );
      if (!isTold)
        breaches.push(
          `tenant ${host.index}: ${read.channel} was given "${read.text}" of ${ticker} at ${wallOf(read.begin)}, and the console says ${JSON.stringify(around.map((span) => [span.from, span.showing.state, span.showing.text]))}`,
        );
    }
  }
  return { breaches, compared };
}

/** The product's own checks of a ledger at rest: the chain of the audit log, and everything else. */
export async function verifyLedger(host: TenantHost): Promise<string[]> {
  const breaches: string[] = [];
  for (const [name, args] of [
    ['console-api', ['audit', 'verify']],
    ['intake', ['verify']],
  ] as const) {
    const { exit, said } = await host.run(name, [...args]);
    if (exit.code !== 0)
      breaches.push(`tenant ${host.index}: ${args.join(' ')} ended with ${exit.code}: ${said.slice(-1_500)}`);
  }
  return [...breaches, ...(await verifyDossiers(host))];
}

/** Dossiers of some explanations, and what was taken out during the run, each checked without the ledger. */
async function verifyDossiers(host: TenantHost): Promise<string[]> {
  const breaches: string[] = [];
  const ids = withLedger(host.ledger, (db) =>
    db.prepare('SELECT min(id) FROM explanation GROUP BY status').pluck().all().map(String),
  );
  const files = [...host.exports];
  for (const id of ids) {
    const file = path.join(host.folder, `${id}.zip`);
    const made = await host.run('console-api', ['dossier', '--explanation', id, '--file', file]);
    if (made.exit.code === 0) files.push(file);
    else breaches.push(`tenant ${host.index}: no dossier of ${id}: ${made.exit.code} ${made.said.slice(-1_500)}`);
  }
  for (const file of files) {
    const { exit, said } = await host.run('causeway-agent', ['verify-dossier', file]);
    if (exit.code !== 0)
      breaches.push(`tenant ${host.index}: ${path.basename(file)}: ${exit.code} ${said.slice(-1_500)}`);
  }
  return breaches;
}
