/**
 * The function of the database that gives the entries of a bundle (sync protocol 4), all from one snapshot: it is
 * `stable`. One statement joins the records' entries (D69), which takes half of what a statement for each takes, and is read
 * row by row up to the entry that fills the bundle: so the store assembles no entry that is not sent. An entry that is the only
 * one of many bundles, as of tenants that waited for it (D223), is assembled once for all of a call.
 *
 * Indexes: `tenant_pkey`; `tenant_delivery_NN_pkey` of the tenant's own partition (the others are left out before the
 * statement runs); those of `entry-sql.ts`. Nothing is scanned or hashed, and no number of records
 * makes a pull slower. The server plans the statements once per connection.
 */
import { createHash } from 'node:crypto';
import { INVALIDATION_TEXT, ISSUED_TEXT, SUBJECT_TEXT } from './entry-sql.ts';

/** The tenant's highest cursor: all fan-outs but those that skipped it (`publication/fan-out.ts`). */
export const HEAD = '(select fan_outs from fan_out_count) - t.cursor_lag';

/**
 * $1 tenants, $2 afters, $3 limits: the bundles that are asked for, in this order. $4 whether calculations are delivered,
 * $5 bytes of entries, of all bundles together, at which the function ends.
 *
 * All columns are text. The first row of a bundle holds retention floor and head, and nothing else; no row: the tenant is
 * not there. Below the floor, which retention may have moved meanwhile, no entries follow. Each further row is a record:
 * its cursor and its entry, null where the entry refers to something that is not there; then no row of this bundle
 * follows. `place` counts the bundles from 1.
 */
const DEFINITION = `(bigint[], bigint[], bigint[], boolean, bigint)
  returns table (place text, retention_floor text, head text, cursor text, entry text)
  language plpgsql stable as $$
  #variable_conflict use_column
  declare
    p record;
    d record;
    records refcursor;
    size bigint := 0;
    is_alone boolean;
    made_of jsonb;
    made record;
  begin
    for p in select * from unnest($1, $2, $3) with ordinality as asked (tenant_id, after, most, place) loop
      place := p.place;
      cursor := null;
      entry := null;
      select t.retention_floor, ${HEAD} into retention_floor, head from tenant t where t.tenant_id = p.tenant_id;
      continue when not found;
      return next;
      continue when p.after < retention_floor::bigint;
      is_alone := head::bigint - p.after = 1;
      retention_floor := null;
      head := null;
      if is_alone then
        open records no scroll for
          select r.*, null::text as body, null::text as calculations
          from tenant_delivery r where tenant_id = p.tenant_id and cursor > p.after order by cursor limit 1;
      else
        open records no scroll for
          select r.*, n.body, n.calculations
          from (select * from tenant_delivery where tenant_id = p.tenant_id and cursor > p.after order by cursor limit p.most) r
          left join lateral (
            select n.* from (select r.explanation_result_id as result_id, r.movement_analysis_id as analysis_id) x
            cross join lateral (${SUBJECT_TEXT}) n offset 0
          ) n on r.delivery_type = 'NEW'
          order by r.cursor;
      end if;
      loop
        fetch records into d;
        exit when not found;
        if is_alone and d.delivery_type = 'NEW' then
          if made_of is distinct from jsonb_build_array(d.explanation_result_id, d.movement_analysis_id) then
            select n.body, n.calculations into made
            from (select d.explanation_result_id as result_id, d.movement_analysis_id as analysis_id) x
            cross join lateral (${SUBJECT_TEXT}) n;
            made_of := jsonb_build_array(d.explanation_result_id, d.movement_analysis_id);
          end if;
          d.body := made.body;
          d.calculations := made.calculations;
        end if;
        cursor := d.cursor;
        if d.delivery_type = 'INVALIDATION' then
          entry := ${INVALIDATION_TEXT};
        else
          entry := '{"cursor":' || cursor || ${ISSUED_TEXT} || d.body || coalesce(d.calculations, '') || ']}';
        end if;
        return next;
        size := size + octet_length(entry);
        exit when entry is null or size >= $5;
      end loop;
      close records;
      exit when size >= $5;
    end loop;
  end $$`;

/** Named by its own text: programs of two releases each call the one that their migration has created. */
export const BUNDLE_ENTRIES = `bundle_entries_${createHash('sha256').update(DEFINITION).digest('hex').slice(0, 16)}`;
export const CREATE_BUNDLE_ENTRIES = `create or replace function ${BUNDLE_ENTRIES}${DEFINITION}`;

/** As a prepared statement, with the values of the function. */
export const BUNDLE_CALL = `select * from ${BUNDLE_ENTRIES}($1::bigint[], $2::bigint[], $3::bigint[], $4::boolean, $5::bigint)`;
