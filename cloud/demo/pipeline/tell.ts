/** Tells a day of the demo's pipeline, and a stretch of them. */
import { addDays } from '../generation/calendar.ts';
import type { Store } from '../../store/open.ts';
import { Day, type World } from './day.ts';
import { tellHoldings } from './holdings.ts';
import { tellMinutes } from './minutes.ts';
import { tellMovements } from './movements.ts';
import { tellNews } from './news.ts';
import { tellExecutions } from './control-plane.ts';
import { writeRows, type LedgerRows } from './rows.ts';
import { tellRuns } from './runs.ts';

/** Everything of a day that has come about by `now`. */
export function tellDay(date: string, world: World, now: Date): LedgerRows {
  const day = new Day(date, world, now);
  for (const { instrument_id, ticker, name, market } of world.etfs) {
    const begins = day.at('0000');
    day.add('entity', begins, { entity_id: instrument_id, entity_name: name });
    day.add('instrument', begins, { instrument_id, entity_id: instrument_id, ticker, market_code: market });
  }
  tellRuns(day);
  tellExecutions(day);
  tellHoldings(day);
  tellMinutes(day);
  tellMovements(day, tellNews(day));
  return day.rows;
}

/** Writes so many days that end with `last`, as they stand at `now`. */
export async function writeHistory(store: Store, world: World, last: string, days: number, now: Date): Promise<void> {
  for (let back = days - 1; back >= 0; back -= 1) await writeRows(store, tellDay(addDays(last, -back), world, now));
}
