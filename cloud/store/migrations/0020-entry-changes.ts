/**
 * Which transactions have changed what bundles hold (D184): a bundle that was assembled ahead is given only while no
 * change lies between.
 *
 * - Every trigger that drops kept texts deletes from `entry_text`, whether one was kept or not. A trigger there leaves the
 *   id of the transaction, and so does a change of a delivery record.
 * - A moment is the uninterrupted run of a primary, and a snapshot there. Every transaction of that run whose id the
 *   snapshot does not see has ended later. A crash may give an id again, and a server that takes over does; both begin
 *   another run. The snapshot of a standby does not list what is under way, so a standby has no moments.
 * - Ids are removed in their order (`entries/entry-changes.ts`), so that one from before the moment is a witness that
 *   none from after it is missing. Ids from another cluster, after a restore of a dump, lie in the future until they are
 *   reached, and are passed over.
 */
import type { Migration } from './migrate.ts';
import { LINKED_TABLES, SUBJECTS_OF_RUNS, triggerFunction } from './baseline/entry-texts.ts';

const RUN = `(select extract(epoch from pg_postmaster_start_time()) || '/' || checkpoint_lsn from pg_control_checkpoint())`;

/** A publication adds rows to a run that has no result yet: no entry contains them, and it leaves no id. */
const growth = LINKED_TABLES.map((table) =>
  triggerFunction(
    `${table}_grows`,
    `if current_setting('session_replication_role') = 'replica' then
      perform from explanation_run where explanation_run_id in (select explanation_run_id from fresh) for key share;
    end if;
    if exists (with runs as (select distinct explanation_run_id as run from fresh) ${SUBJECTS_OF_RUNS}) then
      delete from entry_text t using (with runs as (select distinct explanation_run_id as run from fresh) ${SUBJECTS_OF_RUNS}) s
      where t.subject = s.subject and t.is_v2 = s.is_v2;
    end if;`,
  ),
);

export const entryChanges: Migration = {
  version: 20,
  name: 'entry-changes',
  // The program before it leaves ids by the same triggers, and asks for none.
  oldestProgram: 19,
  statements: [
    'create table entry_change (xid xid8 primary key)',
    // The first witness.
    'insert into entry_change values (pg_current_xact_id())',
    `create function entry_changed() returns trigger language plpgsql as $$
     begin
       insert into entry_change values (pg_current_xact_id()) on conflict do nothing;
       return null;
     end $$`,
    'create trigger leaves_change after delete on entry_text for each statement execute function entry_changed()',
    // For a session that replicates, as the triggers that delete here.
    'alter table entry_text enable always trigger leaves_change',
    ...growth,
    // Records are issued above the head and removed below the floor, which the standing tells.
    `create trigger leaves_change after update on tenant_delivery for each row execute function entry_changed()`,
    `create function entries_moment() returns text language plpgsql stable as $$
     begin
       if pg_is_in_recovery() then return null; end if;
       return ${RUN} || '|' || pg_current_snapshot();
     end $$`,
    // Look-ups by the key, however small the table was when they were planned.
    `create function entries_unchanged_since(moment text) returns boolean language plpgsql stable strict
     set enable_seqscan = off as $$
     declare
       seen pg_snapshot := split_part(moment, '|', 2);
     begin
       if pg_is_in_recovery() or split_part(moment, '|', 1) <> ${RUN} then return false; end if;
       return exists (
           select from (select from entry_change where xid < pg_snapshot_xmin(seen) order by xid desc limit 1) witness)
         and not exists (
           select from entry_change
           where xid >= pg_snapshot_xmax(seen) and xid < pg_snapshot_xmax(pg_current_snapshot()))
         and not exists (select from entry_change where xid = any (array(select pg_snapshot_xip(seen))));
     end $$`,
  ],
};
