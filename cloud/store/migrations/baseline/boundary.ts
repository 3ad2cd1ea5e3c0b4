/**
 * The boundary between publication and delivery (operator API 2), written down as records are issued: no request can
 * count the records of all years. `unwithdrawn_*` lists the subjects that left publication and that some tenant may still
 * have: a row stays at least for as long as it matters, and the facts look at its delivery records.
 */

/** The subjects, by the columns of the delivery records. */
const SUBJECTS = [
  ['explanation_result', 'explanation_result_id'],
  ['movement_analysis', 'movement_analysis_id'],
] as const;

/** Asked subject by subject: over all subjects at once the planner expects many, and probes every partition per record. */
const issued = `create function deliveries_issued() returns trigger language plpgsql as $$
  declare subject text;
  begin
    ${SUBJECTS.map(
      ([table, id]) => `
    for subject in select distinct f.${id} from fresh f where f.${id} is not null loop
      update ${table} set delivered = true where ${id} = subject and not delivered;
      insert into unwithdrawn_${table} select ${id} from ${table} where ${id} = subject and publication_status <> 'PUBLISHED'
      on conflict do nothing;
    end loop;
    for subject in select distinct f.target_${id} from fresh f where f.target_${id} is not null loop
      if not exists (
        select n.tenant_id from tenant_delivery n where n.${id} = subject
        except (
          select v.tenant_id from tenant_delivery v where v.target_${id} = subject
          union all
          select t.tenant_id from tenant t where t.removed_at is not null)
      ) then
        delete from unwithdrawn_${table} where ${id} = subject;
      end if;
    end loop;`,
    ).join('')}
    update delivery_count set records = records + (select count(*) from fresh) where kind = 'ISSUED';
    return null;
  end $$`;

export const boundary = [
  `create table delivery_count (
     kind text primary key,
     records bigint not null
   )`,
  `insert into delivery_count values ('ISSUED', 0), ('REMOVED', 0)`,
  ...SUBJECTS.flatMap(([table, id]) => [
    // A table of its own: a mark in the row that a withdrawal has just changed would lock its route against a publisher.
    `create table unwithdrawn_${table} (${id} text primary key)`,
    `create function leaves_publication_${table}() returns trigger language plpgsql as $$
     begin
       insert into unwithdrawn_${table} values (new.${id}) on conflict do nothing;
       return null;
     end $$`,
    `create trigger leaves_publication after update of publication_status on ${table} for each row
     when (old.publication_status = 'PUBLISHED' and new.publication_status <> 'PUBLISHED' and new.delivered)
     execute function leaves_publication_${table}()`,
  ]),
  issued,
  `create trigger deliveries_issued after insert on tenant_delivery referencing new table as fresh
     for each statement execute function deliveries_issued()`,
  `create function deliveries_removed() returns trigger language plpgsql as $$
     begin
       update delivery_count set records = records + (select count(*) from gone) where kind = 'REMOVED';
       return null;
     end $$`,
  `create trigger deliveries_removed after delete on tenant_delivery referencing old table as gone
     for each statement execute function deliveries_removed()`,
];
