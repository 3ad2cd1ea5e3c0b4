/**
 * Whether everybody was told of a withdrawal is asked subject by subject, of two lists of tenants from the index:
 * in one statement over all subjects the planner reckons with many of them, and a look-up per record goes through
 * every partition.
 */
import type { Migration } from './migrate.ts';

const SUBJECTS = [
  ['explanation_result', 'explanation_result_id'],
  ['movement_analysis', 'movement_analysis_id'],
] as const;

const issued = `create or replace function deliveries_issued() returns trigger language plpgsql as $$
  declare subject text;
  begin
    ${SUBJECTS.map(
      ([table, id]) => `
    for subject in select distinct f.${id} from fresh f where f.${id} is not null loop
      update ${table} set delivered = true where ${id} = subject and not delivered;
      insert into unrecalled_${table} select ${id} from ${table} where ${id} = subject and publication_status <> 'PUBLISHED'
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
        delete from unrecalled_${table} where ${id} = subject;
      end if;
    end loop;`,
    ).join('')}
    update delivery_count set records = records + (select count(*) from fresh) where kind = 'ISSUED';
    return null;
  end $$`;

export const recallBySubject: Migration = { version: 7, name: 'recall-by-subject', statements: [issued] };
