/** Writers of every table that an entry is joined from, and a look that compares every kept text with the join. */
import { sql } from 'kysely';
import { SUBJECT_TEXT } from '../../../cloud/entries/entry-sql.ts';
import type { EntrySubject } from '../../../cloud/entries/entry-text.ts';
import type { Load } from '../../../cloud/publication/load.ts';
import type { Db, Store, Trx } from '../../../cloud/store/open.ts';
import { live, makeLineage, v2 } from '../../../cloud/testing/loads.ts';
import { Seeded } from '../truth.ts';

/** A batch firing, a minute firing and an analysis, with one lineage. */
export function loadsOf(key: string): Load[] {
  const lineage = makeLineage(key, 2);
  const minute = live({ key: `${key}m` }, { lineage });
  return [
    live({ key }, { lineage }),
    { ...minute, trigger: { ...minute.trigger, kind: 'MINUTE' } },
    v2({ key: `${key}v` }, { lineage }),
  ];
}

export const subjectsOf = (key: string): EntrySubject[] => [
  { resultId: `res-${key}`, analysisId: null },
  { resultId: `res-${key}m`, analysisId: null },
  { resultId: null, analysisId: `ana-${key}v` },
];

/** `ready`: rows that are committed before. */
interface Writes {
  ready: string[];
  change: string[];
}
export type Writer = (key: string, n: number) => Writes;

const change =
  (of: (key: string, n: number) => string): Writer =>
  (key, n) => ({ ready: [], change: [of(key, n)] });

/** An event, a document, and an evidence or fact of both, which no run has yet. */
const lineageMore = (key: string, n: number): string[] => [
  `insert into source_event values ('evt-more-${key}-${n}', 'NEWS', 'MORE', null, now())`,
  `insert into document (document_id, document_type, source_code, available_at) values ('doc-more-${key}-${n}', 'NEWS', 'MORE', now())`,
  `insert into document_assertion values ('ass-more-${key}-${n}', 'doc-more-${key}-${n}', now())`,
  `insert into event_evidence values ('evi-more-${key}-${n}', 'evt-more-${key}-${n}', 'ass-more-${key}-${n}')`,
  `insert into disclosure_fact values ('fact-more-${key}-${n}', 'doc-more-${key}-${n}', 'evt-more-${key}-${n}')`,
];
const LINKS: Record<string, (key: string, n: number) => string> = {
  explanation_run_event_evidence: (key, n) => `values ('run-${key}', 'evi-more-${key}-${n}')`,
  explanation_run_disclosure_fact: (key, n) => `values ('run-${key}', 'fact-more-${key}-${n}')`,
  explanation_run_document: (key, n) => `values ('run-${key}', 'doc-more-${key}-${n}', ${n}, 'tool', '["${n}"]')`,
  explanation_run_calculation: (key, n) =>
    `values ('run-${key}', ${n}, 'more', 'more', null, 'tool', '[]', '{}', '{"n": ${n}}', null, 'more')`,
};
const REACHED = (key: string, n: number): string =>
  `insert into explanation_run_disclosure_fact ${LINKS['explanation_run_disclosure_fact']?.(key, n)}`;
const linked = (table: string, key: string, n: number): string[] => [
  ...lineageMore(key, n),
  ...(table === 'explanation_run_document' ? [REACHED(key, n)] : []),
  `insert into ${table} ${LINKS[table]?.(key, n)}`,
];
/** The column that identifies the row from `linked`. */
const ONE: Record<string, (key: string, n: number) => string> = {
  explanation_run_event_evidence: (key, n) => `event_evidence_id = 'evi-more-${key}-${n}'`,
  explanation_run_disclosure_fact: (key, n) => `disclosure_fact_id = 'fact-more-${key}-${n}'`,
  explanation_run_document: (key, n) => `document_id = 'doc-more-${key}-${n}'`,
  explanation_run_calculation: (key, n) => `explanation_run_id = 'run-${key}' and position = ${n}`,
};

const CHANGES: Record<string, Writer> = {
  'a result': change(
    (key, n) => `update explanation_result set summary = 'n ${n}' where explanation_result_id = 'res-${key}'`,
  ),
  'an analysis': change(
    (key, n) => `update movement_analysis set summary = 'n ${n}' where movement_analysis_id = 'ana-${key}v'`,
  ),
  'a name': change((_, n) => `update instrument_name set entity_name = 'n ${n}' where instrument_id = 'inst-069500'`),
  'a batch firing': change(
    (key, n) => `update price_movement_trigger set observed_return = ${n} where trigger_id = 'trg-${key}'`,
  ),
  'a minute firing': change(
    (key, n) => `update minute_price_trigger set observed_return = ${n} where trigger_id = 'trg-${key}m'`,
  ),
  'a run': (key, n) => ({
    ready: [`insert into release_bundle (version) values ('run-${key}-${n}')`],
    change: [
      `update explanation_run set release_bundle_id = (select release_bundle_id from release_bundle where version = 'run-${key}-${n}')
       where explanation_run_id = 'run-${key}'`,
    ],
  }),
  'a source event': change(
    (key, n) => `update source_event set event_date = date '2026-01-01' + ${n} where source_event_id = 'evt-${key}-0'`,
  ),
  'the event of a fact': change(
    (key, n) => `update source_event set event_date = date '2026-01-01' + ${n} where source_event_id = 'evt-${key}-d'`,
  ),
  'a document': change((key, n) => `update document set title = 'n ${n}' where document_id = 'doc-${key}-1'`),
  'the document of a fact': change((key, n) => `update document set title = 'n ${n}' where document_id = 'dis-${key}'`),
  'a fact': (key, n) => ({
    ready: lineageMore(key, n),
    change: [
      `update disclosure_fact set document_id = 'doc-more-${key}-${n}' where disclosure_fact_id = 'fact-${key}'`,
    ],
  }),
  'a release': change(
    (key, n) => `update release_bundle set version = 'n ${key} ${n}' where release_bundle_id =
    (select release_bundle_id from explanation_run where explanation_run_id = 'run-${key}')`,
  ),
  'an assertion': (key, n) => ({
    ready: lineageMore(key, n),
    change: [
      `update document_assertion set document_id = 'doc-more-${key}-${n}' where document_assertion_id = 'evi-${key}-0'`,
    ],
  }),
  'an evidence': (key, n) => ({
    ready: lineageMore(key, n),
    change: [
      `update event_evidence set source_event_id = 'evt-more-${key}-${n}' where event_evidence_id = 'evi-${key}-0'`,
    ],
  }),
  'a route': (key, n) => ({
    ready: [
      `insert into price_movement_trigger select 'trg-more-${key}-${n}', instrument_id, trade_date, fired_at, ${n}
       from price_movement_trigger where trigger_id = 'trg-${key}'`,
    ],
    change: [
      `update explanation_route set price_movement_trigger_id = 'trg-more-${key}-${n}' where explanation_route_id =
       (select explanation_route_id from explanation_run where explanation_run_id = 'run-${key}')`,
    ],
  }),
};

for (const [table, row] of Object.entries(LINKS)) {
  const one = ONE[table] ?? row;
  CHANGES[`a new row of ${table}`] = (key, n) => ({
    ready: [...lineageMore(key, n), ...(table === 'explanation_run_document' ? [REACHED(key, n)] : [])],
    change: [`insert into ${table} ${row(key, n)}`],
  });
  CHANGES[`a row of ${table} that goes`] = (key, n) => ({
    ready: linked(table, key, n),
    change: [`delete from ${table} where ${one(key, n)}`],
  });
  CHANGES[`a row of ${table} that moves`] = (key, n) => ({
    ready: linked(table, key, n),
    change: [`update ${table} set explanation_run_id = 'run-${key}m' where ${one(key, n)}`],
  });
}
CHANGES['a session that replicates'] = (key, n) => ({
  ready: lineageMore(key, n),
  change: [
    'set local session_replication_role = replica',
    `insert into explanation_run_event_evidence ${LINKS['explanation_run_event_evidence']?.(key, n)}`,
  ],
});
export const WRITERS = Object.entries(CHANGES) as [[string, Writer], ...[string, Writer][]];

/** Rows that a reference keeps from going, but not in a session that replicates; all of them are in the entry of `key`. */
export const DELETIONS: readonly [table: string, row: (key: string) => string][] = [
  ['explanation_result', (key) => `explanation_result_id = 'res-${key}'`],
  ['movement_analysis', (key) => `movement_analysis_id = 'ana-${key}v'`],
  ['instrument_name', () => `instrument_id = 'inst-069500'`],
  ['price_movement_trigger', (key) => `trigger_id = 'trg-${key}'`],
  ['minute_price_trigger', (key) => `trigger_id = 'trg-${key}m'`],
  ['explanation_route', (key) => `price_movement_trigger_id = 'trg-${key}'`],
  ['explanation_run', (key) => `explanation_run_id = 'run-${key}'`],
  ['release_bundle', () => 'true'],
  ['source_event', (key) => `source_event_id = 'evt-${key}-0'`],
  ['document', (key) => `document_id = 'doc-${key}-0'`],
  ['document_assertion', (key) => `document_assertion_id = 'evi-${key}-0'`],
  ['event_evidence', (key) => `event_evidence_id = 'evi-${key}-0'`],
  ['disclosure_fact', (key) => `disclosure_fact_id = 'fact-${key}'`],
];

export async function runAll(on: Db | Trx, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(on);
}

export interface Compared {
  compared: number;
  wrong: string[];
}

/** Every kept text beside the join's in the same snapshot. */
export async function compare(on: Db | Trx): Promise<Compared> {
  const { rows } = await sql
    .raw<Compared>(
      `select count(*) as compared,
         coalesce(json_agg(t.subject) filter (where (t.body, t.calculations) is distinct from (n.body, n.calculations)), '[]') as wrong
       from entry_text t
       cross join lateral (select case when not t.is_v2 then t.subject end as result_id, case when t.is_v2 then t.subject end as analysis_id) x
       left join lateral (${SUBJECT_TEXT}) n on true`,
    )
    .execute(on);
  return rows[0] ?? { compared: 0, wrong: ['nothing was compared'] };
}

/** Columns of states, in which a check lets no other value stand by itself. No text contains them. */
export const CHECKED: readonly string[] = [
  'explanation_result.draft_reason',
  'explanation_result.publication_status',
  'explanation_result.withdrawal_reason',
  'explanation_result.withdrawn_at',
  'explanation_run.mode',
  'explanation_run.status',
  'explanation_run_event_evidence.stage_code',
  'movement_analysis.exposure_status',
  'movement_analysis.publication_status',
  'movement_analysis.withdrawal_reason',
  'movement_analysis.withdrawn_at',
];

const oneOf = (one: string, other: string) => (column: string) =>
  `case ${column} when '${one}' then '${other}' else '${one}' end`;
/** Columns that take only certain values, by name. */
const OTHER_OF: Record<string, (column: string) => string> = {
  document_type: oneOf('NEWS', 'DISCLOSURE'),
  source_class: oneOf('NEWS', 'DISCLOSURE'),
  confidence_level: oneOf('HIGH', 'LOW'),
  signal: oneOf('FIRE', 'REVERT'),
  arguments: () => `'{"other": 1}'`,
  output: () => `'{"other": 1}'`,
};

/** SQLSTATE of a violated constraint, of a guard's refusal, or of a generated column. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(?:23|P0|428C9)/.test(String(error.code));

const OTHER: Record<string, (column: string) => string> = {
  text: (column) => `coalesce(${column}, '') || 'x'`,
  integer: (column) => `coalesce(${column}, 0) + 1000`,
  bigint: (column) => `coalesce(${column}, 0) + 1000`,
  numeric: (column) => `coalesce(${column}, 0) + 0.01`,
  'double precision': (column) => `coalesce(${column}, 0) + 0.01`,
  boolean: (column) => `not ${column}`,
  date: (column) => `coalesce(${column}, current_date) + 1`,
  'timestamp with time zone': (column) => `coalesce(${column}, now()) + interval '1 day'`,
  jsonb: () => `'["other"]'`,
  json: () => `'["other"]'`,
};

/** Every column of every table with a trigger that drops texts, and another value for it. */
export async function joinedColumns(db: Db): Promise<{ table: string; column: string; other: string }[]> {
  const { rows } = await sql
    .raw<{ table: string; column: string; type: string }>(
      `select c.table_name as table, c.column_name as column, c.data_type as type from information_schema.columns c
       where exists (select 1 from pg_trigger t where t.tgrelid = c.table_name::regclass and t.tgname in ('drops_texts', 'drops_all_texts'))
         and c.table_schema = current_schema()
       order by 1, 2`,
    )
    .execute(db);
  return rows.map(({ table, column, type }) => {
    const other = OTHER_OF[column] ?? OTHER[type];
    if (other === undefined) throw new Error(`no other value for ${table}.${column}, a ${type}`);
    return { table, column, other: other(column) };
  });
}

/** One transaction that pauses between its work and its end. */
export function stopped(on: Store, work: (trx: Trx) => Promise<void>) {
  const [done, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const end = on.transaction(async (trx) => {
    await work(trx);
    done.resolve();
    await go.promise;
  });
  return { done: done.promise, commit: () => (go.resolve(), end) };
}

/** Numbers from 0 to 1 that one seed repeats. */
export function randomOf(seed: number): () => number {
  const seeded = new Seeded(seed);
  return () => seeded.next();
}
