/**
 * The text of a NEW entry, kept beside the record (D69), and its invalidation for every writer: a change of a row that
 * an entry is joined from drops its text in the same transaction. `entries/entry-text.ts` asks for texts, and the table
 * never holds one that differs from the join at that moment, in any snapshot:
 *
 * - A transaction that keeps a text locks the rows that an entry is joined from before it reads them. It waits for
 *   earlier changes and reads them; a later change waits until it can see the text, and drops it.
 * - A new row of a run's lineage locks the run, which is held then.
 * - Rows that the program never changes are not locked one by one. A change of one of them drops all texts, and holds
 *   the table against new ones until it is committed.
 *
 * Only read committed sees commits made during a wait, so the triggers refuse other levels.
 */
import { KEEP_ENTRY_TEXT, SUBJECT_TEXT, TEXT_FORM } from '../../../entries/entry-sql.ts';

/** The results and analyses of the runs in `runs`. */
export const SUBJECTS_OF_RUNS = `
  select r.explanation_result_id as subject, false as is_v2 from explanation_result r
  where r.explanation_run_id in (select run from runs)
  union all
  select m.movement_analysis_id, true from movement_analysis m where m.explanation_run_id in (select run from runs)`;

/** Runs that reach an evidence or a fact. */
const runsBy = (evidences: string, facts: string): string => `
  select re.explanation_run_id as run from explanation_run_event_evidence re where re.event_evidence_id in (${evidences})
  union
  select rf.explanation_run_id from explanation_run_disclosure_fact rf where rf.disclosure_fact_id in (${facts})`;

const subjectsOfInstruments = (instruments: string): string => `
  select r.explanation_result_id as subject, false as is_v2 from explanation_result r where r.etf_instrument_id in (${instruments})
  union all
  select m.movement_analysis_id, true from movement_analysis m where m.etf_instrument_id in (${instruments})`;

const READ_COMMITTED = `
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'rows of table % change under read committed only, because entries are joined from them', tg_table_name;
  end if;`;

/** A trigger's function. Its statements are planned once: they are look-ups by key. */
export const triggerFunction = (name: string, body: string): string => `
  create or replace function ${name}() returns trigger language plpgsql set plan_cache_mode = 'force_generic_plan' as $$
  begin ${READ_COMMITTED}
    ${body}
    return null;
  end $$`;

/** Drops the texts of `subjects` when one of the columns of a row changes. */
export const dropsTexts = (table: string, columns: string, subjects: string): string[] => {
  const names = columns.split(' ');
  const of = (row: string): string => names.map((name) => `${row}.${name}`).join(', ');
  return [
    triggerFunction(
      `${table}_drops_texts`,
      `delete from entry_text t using (${subjects}) s (subject, is_v2) where t.subject = s.subject and t.is_v2 = s.is_v2;`,
    ),
    `create or replace trigger drops_texts after update on ${table} for each row
       when ((${of('old')}) is distinct from (${of('new')})) execute function ${table}_drops_texts()`,
  ];
};

export const RESULT =
  'explanation_run_id etf_instrument_id trade_date explanation_as_of summary primary_thread_id content_as_of';
const ofFiring = (column: string): string => `
  with runs as (select ru.explanation_run_id as run from explanation_run ru join explanation_route ro using (explanation_route_id)
    where ro.${column} = old.trigger_id) ${SUBJECTS_OF_RUNS}`;

const changes = [
  ...dropsTexts(
    'explanation_result',
    `explanation_result_id ${RESULT} explanation_type confidence_level`,
    `values (old.explanation_result_id, false), (new.explanation_result_id, false)`,
  ),
  ...dropsTexts(
    'movement_analysis',
    `movement_analysis_id ${RESULT}`,
    `values (old.movement_analysis_id, true), (new.movement_analysis_id, true)`,
  ),
  ...dropsTexts(
    'instrument',
    'instrument_id entity_id ticker market_code',
    subjectsOfInstruments('select old.instrument_id'),
  ),
  ...dropsTexts(
    'entity',
    'entity_id entity_name',
    subjectsOfInstruments('select i.instrument_id from instrument i where i.entity_id = old.entity_id'),
  ),
  ...dropsTexts('price_movement_trigger', 'trigger_id observed_return', ofFiring('price_movement_trigger_id')),
  ...dropsTexts('minute_price_trigger', 'trigger_id observed_return', ofFiring('minute_price_trigger_id')),
  ...dropsTexts(
    'explanation_run',
    'explanation_run_id explanation_route_id release_bundle_id',
    `with runs as (select old.explanation_run_id as run) ${SUBJECTS_OF_RUNS}`,
  ),
  ...dropsTexts(
    'source_event',
    'source_event_id source_class event_type_code event_date',
    `with runs as (${runsBy(
      'select ee.event_evidence_id from event_evidence ee where ee.source_event_id = old.source_event_id',
      'select df.disclosure_fact_id from disclosure_fact df where df.source_event_id = old.source_event_id',
    )}) ${SUBJECTS_OF_RUNS}`,
  ),
  ...dropsTexts(
    'document',
    'document_id document_type title source_code published_at source_uri news_id',
    `with runs as (${runsBy(
      `select ee.event_evidence_id from document_assertion da join event_evidence ee using (document_assertion_id)
       where da.document_id = old.document_id`,
      'select df.disclosure_fact_id from disclosure_fact df where df.document_id = old.document_id',
    )}) ${SUBJECTS_OF_RUNS}`,
  ),
  ...dropsTexts(
    'disclosure_fact',
    'disclosure_fact_id document_id source_event_id',
    `with runs as (select rf.explanation_run_id as run from explanation_run_disclosure_fact rf
       where rf.disclosure_fact_id = old.disclosure_fact_id) ${SUBJECTS_OF_RUNS}`,
  ),
];

/** The tables that tie a run to its lineage, with all columns that an entry shows. */
const LINKS = {
  explanation_run_event_evidence: 'explanation_run_id event_evidence_id',
  explanation_run_disclosure_fact: 'explanation_run_id disclosure_fact_id',
  explanation_run_document: 'explanation_run_id document_id position tool_run_id item_ids',
  explanation_run_calculation:
    'explanation_run_id position title source as_of tool_run_id item_ids arguments output formula_latex description',
};

/** Their functions `…_grows` are replaced by a later migration. */
export const LINKED_TABLES = Object.keys(LINKS);

const growth = LINKED_TABLES.flatMap((table) => [
  triggerFunction(
    `${table}_grows`,
    `if current_setting('session_replication_role') = 'replica' then
      -- As the reference to the run does in other sessions.
      perform from explanation_run where explanation_run_id in (select explanation_run_id from fresh) for key share;
    end if;
    delete from entry_text t using (with runs as (select distinct explanation_run_id as run from fresh) ${SUBJECTS_OF_RUNS}) s
    where t.subject = s.subject and t.is_v2 = s.is_v2;`,
  ),
  `create trigger grows after insert on ${table} referencing new table as fresh for each statement execute function ${table}_grows()`,
]);

/** Never changed by the program. */
const FIXED: Record<string, string> = {
  ...LINKS,
  release_bundle: 'release_bundle_id version',
  document_assertion: 'document_assertion_id document_id',
  event_evidence: 'event_evidence_id source_event_id document_assertion_id',
  explanation_route: 'explanation_route_id price_movement_trigger_id minute_price_trigger_id',
};
const JOINED = [
  ...Object.keys(FIXED),
  'explanation_result',
  'movement_analysis',
  'instrument',
  'entity',
  'price_movement_trigger',
  'minute_price_trigger',
  'explanation_run',
  'source_event',
  'document',
  'disclosure_fact',
];

/** Drops all texts when one of the columns of a row changes. */
export function dropsAllTexts(table: string, columns: string): string {
  const of = (row: string): string =>
    columns
      .split(' ')
      .map((name) => `${row}.${name}${name === 'arguments' || name === 'output' ? '::text' : ''}`)
      .join(', ');
  return `create trigger drops_all_texts after update on ${table} for each row
    when ((${of('old')}) is distinct from (${of('new')})) execute function drop_all_texts()`;
}
export const deletionDropsAllTexts = (table: string): string =>
  `create trigger deletion_drops_all_texts after delete on ${table} for each statement execute function drop_all_texts()`;
export const refusesTruncation = (table: string): string =>
  `create trigger truncation_is_refused before truncate on ${table} for each statement execute function refuse_truncation()`;

const everything = [
  triggerFunction(
    'drop_all_texts',
    `-- Whoever keeps a text meanwhile is waited for, or waits.
    lock table entry_text in share row exclusive mode;
    delete from entry_text;`,
  ),
  ...Object.entries(FIXED).map(([table, columns]) => dropsAllTexts(table, columns)),
  ...JOINED.map(deletionDropsAllTexts),
  // A snapshot taken before sees an emptied table at once, and the texts until the end: no trigger can keep that true.
  `create function refuse_truncation() returns trigger language plpgsql as $$
   begin raise exception 'table % is never truncated, because entries are joined from it: delete its rows', tg_table_name; end $$`,
  ...JOINED.map(refusesTruncation),
];

/**
 * Locks the rows that an entry is joined from, and keeps its text: the last statement reads rows that cannot change
 * until the transaction ends. Named by the form of the text: a program with another form creates its own function by
 * another migration, and the earlier one stays beside it.
 */
export const keep = `
  create or replace function ${KEEP_ENTRY_TEXT}(result_id text, analysis_id text) returns void language plpgsql
  set plan_cache_mode = 'force_generic_plan' as $$
  declare
    run text;
    route bigint;
  begin
    lock table entry_text in row exclusive mode;
    if $1 is not null then
      select r.explanation_run_id into run from explanation_result r where r.explanation_result_id = $1 for share;
    else
      select m.explanation_run_id into run from movement_analysis m where m.movement_analysis_id = $2 for share;
    end if;
    -- Against new rows of its lineage, too: a reference to the run waits.
    select ru.explanation_route_id into route from explanation_run ru where ru.explanation_run_id = run for update;
    perform from price_movement_trigger p
    where p.trigger_id = (select ro.price_movement_trigger_id from explanation_route ro where ro.explanation_route_id = route) for share;
    perform from minute_price_trigger p
    where p.trigger_id = (select ro.minute_price_trigger_id from explanation_route ro where ro.explanation_route_id = route) for share;
    -- Facts before what they refer to.
    perform from disclosure_fact df where df.disclosure_fact_id in (
      select rf.disclosure_fact_id from explanation_run_disclosure_fact rf where rf.explanation_run_id = run)
    order by df.disclosure_fact_id collate "C" for share;
    perform from source_event se where se.source_event_id in (
      select ee.source_event_id from explanation_run_event_evidence re join event_evidence ee using (event_evidence_id)
      where re.explanation_run_id = run
      union all
      select df.source_event_id from explanation_run_disclosure_fact rf join disclosure_fact df using (disclosure_fact_id)
      where rf.explanation_run_id = run)
    order by se.source_event_id collate "C" for share;
    perform from document d where d.document_id in (
      select da.document_id from explanation_run_event_evidence re join event_evidence ee using (event_evidence_id)
        join document_assertion da using (document_assertion_id) where re.explanation_run_id = run
      union all
      select df.document_id from explanation_run_disclosure_fact rf join disclosure_fact df using (disclosure_fact_id)
      where rf.explanation_run_id = run)
    order by d.document_id collate "C" for share;
    insert into entry_text (subject, is_v2, form, body, calculations)
    select coalesce($1, $2), $2 is not null, '${TEXT_FORM}', n.body, n.calculations
    from (select $1 as result_id, $2 as analysis_id) x cross join lateral (${SUBJECT_TEXT}) n
    on conflict (subject, is_v2) do update
      set form = excluded.form, body = excluded.body, calculations = excluded.calculations;
  end $$`;

/** For a session that replicates, which passes other triggers over. */
export const alwaysOn = `do $$ declare one record; begin
     for one in
       select tgrelid::regclass as relation, tgname as name from pg_trigger
       where not tgisinternal and tgname in ('drops_texts', 'grows', 'drops_all_texts', 'deletion_drops_all_texts', 'truncation_is_refused')
     loop
       execute format('alter table %s enable always trigger %I', one.relation, one.name);
     end loop;
   end $$`;

export const entryTexts = [
  // `form` identifies the form of the text. Stored inline and uncompressed: every tenant's pull reads it.
  `create table entry_text (
     subject text not null,
     is_v2 boolean not null,
     form text not null,
     body text not null,
     calculations text,
     primary key (subject, is_v2)
   ) with (toast_tuple_target = 8160)`,
  `alter table entry_text alter column body set storage external, alter column calculations set storage external`,
  keep,
  ...changes,
  ...growth,
  ...everything,
  alwaysOn,
];
