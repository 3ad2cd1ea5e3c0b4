/**
 * A run knows its instrument: the operator's list is asked for failed runs of one instrument, which are few of all that
 * ever failed. The firing says which; nobody who writes a run need know of it.
 */
import type { Migration } from './migrate.ts';

const ofFiring = (route: string): string => `(
  select coalesce(b.instrument_id, m.instrument_id) from explanation_route ro
  left join price_movement_trigger b on b.trigger_id = ro.price_movement_trigger_id
  left join minute_price_trigger m on m.trigger_id = ro.minute_price_trigger_id
  where ro.explanation_route_id = ${route})`;

export const runInstrument: Migration = {
  version: 8,
  name: 'run-instrument',
  statements: [
    `alter table explanation_run add column instrument_id text references instrument`,
    `update explanation_run r set instrument_id = ${ofFiring('r.explanation_route_id')}`,
    `alter table explanation_run alter column instrument_id set not null`,
    `create function run_has_instrument() returns trigger language plpgsql as $$
     begin
       new.instrument_id := ${ofFiring('new.explanation_route_id')};
       return new;
     end $$`,
    `create trigger run_has_instrument before insert on explanation_run for each row execute function run_has_instrument()`,
    `create index explanation_run_failed_by_instrument on explanation_run (instrument_id, created_at desc)
       where status in ('FAILED', 'CANCELLED')`,
  ],
};
