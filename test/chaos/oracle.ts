/**
 * The end of a run: every ledger against what the cloud delivers, by HTTP and by SQL of our own. Knows none of the
 * product's code, which `oracle-imports.test.ts` holds.
 */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { Client } from 'pg';
import type { Interval, RecordedMove } from './history.ts';
import { Person } from './people.ts';
import { now, wallOf, type Recorder } from './recorder.ts';
import type { Program, TenantHost } from './tenant-host.ts';
import { TICKERS } from './tickers.ts';
import type { Vendor } from './vendor.ts';

const CATCH_UP_MS = 120_000;
const KOREA_MS = 9 * 3_600_000;
/** Between the answer's own reading of the ledger and what the test saw of it. */
const SLACK_MS = 250;
/** A change has its time before its commit (D154): on a busy machine, and where a writer is frozen in between. */
const COMMIT_MS = 2_000;
const FROZEN_MS = 10_000;

export interface Entry {
  cursor: number;
  delivery_type: string;
  explanation_result?: { explanation_result_id: string; summary: string };
  target_explanation_result_id?: string;
  target_movement_analysis_id?: string;
}

/** Everything that the clouds deliver to a tenant, put on record as reads too: asked until they answer after the faults. */
export async function truthOf(vendor: Vendor, recorder: Recorder, index: number): Promise<Entry[]> {
  const entries: Entry[] = [];
  const deadline = now() + CATCH_UP_MS;
  for (let tries = 0; ; tries += 1) {
    const live = vendor.live();
    const cloud = live[tries % Math.max(1, live.length)];
    if (cloud === undefined) throw new Error('no cloud is left at the end');
    try {
      const { bundle } = await vendor.readBundle(recorder, cloud, index, entries.at(-1)?.cursor ?? 0, 200);
      if (bundle === null) return entries;
      entries.push(...(bundle.entries as unknown as Entry[]));
    } catch (error) {
      if (now() > deadline) throw error;
      await pause(500);
    }
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

/** Whether the clouds say that a tenant waits for news, not that it polls (D223). @returns a breach, or null */
export async function waitsForNews(vendor: Vendor, index: number): Promise<string | null> {
  const client = new Client({ connectionString: vendor.writableUrl() });
  await client.connect();
  try {
    const statement = 'select waiting_until from tenant_pull_state where tenant_id = $1 and waiting_until is not null';
    for (const deadline = performance.now() + CATCH_UP_MS; performance.now() < deadline; await pause(250)) {
      const { rowCount } = await client.query(statement, [vendor.tenants[index]?.tenantId]);
      if (rowCount === 1) return null;
    }
  } finally {
    await client.end();
  }
  return `tenant ${index}: it does not wait for news after the last fault`;
}

interface RawRow {
  cursor_from: number;
  cursor_to: number;
  body: Buffer;
}

/** The raw entries of a ledger, in the order of their cursors; a hole leaves its places empty. */
export function rawEntries(file: string): Entry[] {
  return withLedger(file, (db) => {
    const kept: Entry[] = [];
    for (const row of db
      .prepare('SELECT cursor_from, cursor_to, body FROM raw_bundle ORDER BY cursor_from')
      .iterate()) {
      const { cursor_from: from, cursor_to: to, body } = row as RawRow;
      const { entries } = (JSON.parse(body.toString('utf8')) as { result: { entries: Entry[] } }).result;
      for (const [index, entry] of entries.entries()) kept[from + index] = entry;
      kept.length = Math.max(kept.length, to);
    }
    return kept;
  });
}

/** The first raw entry that is not the cloud's. @returns a breach, or null */
export function otherThan(truth: readonly Entry[], kept: readonly Entry[], name: string): string | null {
  const at = Array.from(kept).findIndex((entry, index) => JSON.stringify(entry) !== JSON.stringify(truth[index]));
  const [own, cloud] = [kept[at], truth[at]].map((entry) => JSON.stringify(entry)?.slice(0, 300));
  return at < 0 ? null : `${name}: raw entry ${at + 1} is ${own}, not ${cloud}`;
}

/** Each explanation beside the end of its history. */
const LAST_MOVES = `
  SELECT explanation_result_id AS id, status, summary, published_summary AS text,
    (SELECT to_status FROM state_history WHERE explanation_id = explanation.id ORDER BY id DESC LIMIT 1) AS last,
    (SELECT published_summary FROM state_history
     WHERE explanation_id = explanation.id AND published_summary IS NOT NULL ORDER BY id DESC LIMIT 1) AS lastText
  FROM explanation`;

interface ExplanationRow {
  id: string;
  status: string;
  summary: string;
  text: string | null;
  last: string;
  lastText: string | null;
}

/** How the Intake says that only the time of a statement does not fit (D59): a wrong clock on either side does that. */
const APART = /^The statement was made at \S+, and this host's clock says \S+: more than 300 seconds apart\./;
/** A cloud that was frozen signs with the key from before, and an Intake knows the keys of the moment its pull began. */
const OTHER_KEY = /^The statement is signed by the key [0-9a-f]+, and the verification key is /;
/** After the replacement of a signing key: a freeze lasts 8 s at most, and a busy cloud then takes its new key. */
const KEY_MS = 16_000;

/** What excuses an answer in quarantine. */
interface Excuses {
  /** Whether the clock of the tenant, or of a cloud, was ever wrong. */
  clocks: { tenant: boolean; cloud: boolean };
  /** When the vendor's signing key was replaced. */
  rotations: readonly Interval[];
}

function isExcused({ reason, at }: { reason: string; at: string }, { clocks, rotations }: Excuses): boolean {
  if (APART.test(reason)) return clocks.tenant || clocks.cloud;
  const isNear = ({ begin, end }: Interval): boolean => wallOf(begin) <= at && at <= wallOf(end + KEY_MS);
  return OTHER_KEY.test(reason) && rotations.some((rotation) => clocks.tenant || isNear(rotation));
}

/** Holds a ledger at rest against the cloud's entries. */
export function compareLedger(
  host: Pick<TenantHost, 'index' | 'ledger'>,
  truth: readonly Entry[],
  { published }: Pick<Vendor, 'published'>,
  excuses: Excuses,
): string[] {
  const name = `tenant ${host.index}`;
  const kept = rawEntries(host.ledger);
  const other = otherThan(truth, kept, name);
  const breaches = other === null ? [] : [other];
  if (kept.length !== truth.length) breaches.push(`${name}: ${kept.length} raw entries of ${truth.length}`);
  withLedger(host.ledger, (db) => {
    const rows = db.prepare(LAST_MOVES).all() as ExplanationRow[];
    for (const { id, status, text, last, lastText } of rows) {
      if (status !== last) breaches.push(`${name}: ${id} is ${status}, and its last move led to ${last}`);
      if (status.endsWith('PUBLISHED') && text !== lastText)
        breaches.push(`${name}: ${id} gives "${text}", and its last move "${lastText}"`);
    }
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
    for (const [id, { summary }] of published)
      if (wanted.get(id)?.summary !== summary)
        breaches.push(`${name}: the acknowledged ${id} is not delivered as it was sent`);
    for (const table of ['rejected_entry', 'held_invalidation', 'held_ticker']) {
      const { count } = db.prepare(`SELECT count(*) AS count FROM ${table}`).get() as { count: number };
      if (count > 0) breaches.push(`${name}: ${count} rows in ${table}`);
    }
    for (const row of db.prepare('SELECT reason, received_at AS at FROM quarantined_bundle').all()) {
      const quarantined = row as { reason: string; at: string };
      if (!isExcused(quarantined, excuses))
        breaches.push(`${name}: in quarantine since ${quarantined.at}: ${quarantined.reason}`);
    }
  });
  return breaches;
}

/** The demo's people by the names that the history has. */
const USERNAMES: Record<string, string> = { 준법심사자: 'reviewer', 운영자: 'operator', 관리자: 'admin' };

/** The moves that people have made, by the history in the ledger. */
export function recordedMoves(host: TenantHost): RecordedMove[] {
  return withLedger(host.ledger, (db) =>
    (
      db
        .prepare(
          `SELECT explanation_result_id AS item, move, reason AS token, actor AS person, to_status AS status,
             state_history.published_summary AS text, CAST(substr(position, 1, 16) AS INTEGER) AS cursor
           FROM state_history JOIN explanation ON explanation.id = explanation_id
           WHERE actor_id IS NOT NULL ORDER BY state_history.id`,
        )
        .all() as Omit<RecordedMove, 'tenant'>[]
    ).map((row) => ({ tenant: host.index, ...row, person: USERNAMES[row.person] ?? row.person })),
  );
}

interface Span {
  from: string;
  to: string;
  showing: { state: 'GIVEN' | 'NOTHING' | 'UNKNOWN'; text?: string; channels?: { channel: string; inside: boolean }[] };
}

const dayOf = (at: number): string => new Date(Date.parse(wallOf(at)) + KOREA_MS).toISOString().slice(0, 10);

/** How far what a channel was served has been compared, and with what result. */
export interface Compared {
  /** Of the monotonic clock. */
  until: number;
  compared: number;
  /** Of them those of which the console says that it does not know: a restore has taken its record away. */
  unknown: number;
}

/** Whether a service of the tenant stood still shortly before a moment: what it wrote then came late. */
const wasFrozen = ({ services }: TenantHost, at: number): boolean =>
  Object.values(services).some(({ frozen }) => frozen.some(({ begin, end }) => begin < at && at < end + FROZEN_MS));

/**
 * Everything that a channel was served since the last comparison must be what the console says was shown at that time.
 *
 * @returns breaches
 * @throws where the console does not answer; then nothing counts as compared
 */
export async function compareShown(host: TenantHost, recorder: Recorder, so: Compared): Promise<string[]> {
  const person = new Person(host, 'viewer');
  const until = now();
  const reads = recorder.operations
    .filter((each) => each.kind === 'PROVISION')
    .filter(({ tenant, text, begin }) => tenant === host.index && text !== null && begin > so.until && begin <= until);
  const breaches: string[] = [];
  let unknown = 0;
  const days = new Set<string>();
  for (const { begin, end } of reads) for (const at of [begin, end]) days.add(dayOf(at));
  for (const ticker of TICKERS) {
    const here = reads.filter((read) => read.ticker === ticker);
    if (here.length === 0) continue;
    const spans: Span[] = [];
    for (const day of [...days].toSorted()) {
      const said = await person.ask<{ spans: Span[] }>('GET', `/shown/day?ticker=${ticker}&date=${day}`);
      if (said.status !== 200)
        throw new Error(`tenant ${host.index}: what was shown of ${ticker} answers ${said.status} ${said.code}`);
      spans.push(...said.result.spans);
    }
    for (const read of here) {
      const late = wasFrozen(host, read.begin) ? FROZEN_MS : COMMIT_MS;
      const [from, to] = [Date.parse(wallOf(read.begin)) - late, Date.parse(wallOf(read.end)) + SLACK_MS];
      const around = spans.filter((span) => Date.parse(span.from) <= to && Date.parse(span.to) >= from);
      const isTold = around.some(
        ({ showing }) =>
          showing.text === read.text &&
          showing.channels?.some(({ channel, inside }) => channel === read.channel && inside),
      );
      const isUnknown = !isTold && around.some(({ showing }) => showing.state === 'UNKNOWN');
      if (isUnknown) unknown += 1;
      if (!isTold && !isUnknown)
        breaches.push(
          `tenant ${host.index}: ${read.channel} was served "${read.text}" of ${ticker} at ${wallOf(read.begin)}, and the console says ${JSON.stringify(around.map((span) => [span.from, span.showing.state, span.showing.text]))}`,
        );
    }
  }
  Object.assign(so, { until, compared: so.compared + reads.length, unknown: so.unknown + unknown });
  return breaches;
}

/** The product's own checks of a ledger at rest: the chain of the audit log, and everything else. */
export async function verifyStore(host: TenantHost, env: Record<string, string> = {}): Promise<string[]> {
  const breaches: string[] = [];
  for (const [name, args] of [
    ['console-api', ['audit', 'verify']],
    ['intake', ['verify']],
  ] as const) {
    const { exit, said } = await host.run(name, [...args], env);
    if (exit.code !== 0)
      breaches.push(`tenant ${host.index}: ${args.join(' ')} ended with ${exit.code}: ${said.slice(-1_500)}`);
  }
  return breaches;
}

/**
 * A checker that finds nothing at all would pass every run: each must refuse a copy in which one thing was altered, and
 * pass a copy that was not.
 */
export async function seesForgeries(host: TenantHost): Promise<string[]> {
  const breaches: string[] = [];
  const refuses = async (name: Program, args: string[], what: string, env = {}): Promise<void> => {
    const { exit } = await host.run(name, args, env);
    if (exit.code === 0) breaches.push(`tenant ${host.index}: ${args[0]} does not see ${what}`);
  };
  // Without the record key beside it, nothing calls a ledger sound.
  copyFileSync(path.join(path.dirname(host.ledger), 'record.key'), path.join(host.folder, 'record.key'));
  const copied = (name: string): string => {
    const file = path.join(host.folder, `${name}.sqlite`);
    copyFileSync(host.ledger, file);
    return file;
  };
  const altered = (table: string, set: string): Record<string, string> => {
    const file = copied(`altered-${table}`);
    const db = new Database(file);
    const guards = db.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?").pluck();
    for (const guard of guards.all(table)) db.exec(`DROP TRIGGER "${String(guard)}"`);
    const middle = `SELECT rowid FROM ${table} LIMIT 1 OFFSET (SELECT count(*) / 2 FROM ${table})`;
    const { changes } = db.prepare(`UPDATE ${table} SET ${set} WHERE rowid = (${middle})`).run();
    if (changes !== 1) throw new Error(`${changes} rows of ${table} were altered`);
    db.close();
    return { CAUSEWAY_LEDGER: file };
  };
  breaches.push(...(await verifyStore(host, { CAUSEWAY_LEDGER: copied('unaltered') })));
  const row = altered('console_action_log', "actor = 'nobody'");
  await refuses('console-api', ['audit', 'verify'], 'an altered row', row);
  await refuses('intake', ['verify'], 'an altered move', altered('state_history', "reason = 'nothing'"));
  await refuses('intake', ['verify'], 'an altered bundle', altered('raw_bundle', "body = CAST(body || ' ' AS BLOB)"));
  const [dossier] = host.exports;
  if (dossier === undefined) return breaches;
  const forged = path.join(host.folder, 'forged.zip');
  const bytes = readFileSync(dossier);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  writeFileSync(forged, bytes);
  await refuses('causeway-agent', ['verify-dossier', forged], 'an altered byte');
  return breaches;
}

/** Dossiers of some explanations, and what was taken out during the run, each checked without the ledger. */
export async function verifyDossiers(host: TenantHost): Promise<string[]> {
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
