/** Tells a day of the demo's pipeline, and a stretch of them. */
import { addDays } from '../generation/calendar.ts';
import type { Store } from '../../store/open.ts';
import { Day, type World } from './day.ts';
import { generateHoldings } from './holdings.ts';
import { generateMinutes } from './minutes.ts';
import { generateMovements } from './movements.ts';
import { generateNews } from './news.ts';
import { generateExecutions } from './control-plane.ts';
import { writeRows, type LedgerRows } from './rows.ts';
import { generateRuns } from './runs.ts';

/** Everything of a day that has come about by `now`. */
export function generateDay(date: string, world: World, now: Date): LedgerRows {
  const day = new Day(date, world, now);
  for (const { instrument_id, ticker, name, market } of world.etfs) {
    const begins = day.at('0000');
    day.add('entity', begins, { entity_id: instrument_id, entity_name: name });
    day.add('instrument', begins, { instrument_id, entity_id: instrument_id, ticker, market_code: market });
  }
  generateRuns(day);
  generateExecutions(day);
  generateHoldings(day);
  generateMinutes(day);
  generateMovements(day, generateNews(day));
  return day.rows;
}

/** Writes so many days that end with `last`, as they stand at `now`. */
export async function writeHistory(store: Store, world: World, last: string, days: number, now: Date): Promise<void> {
  for (let back = days - 1; back >= 0; back -= 1) await writeRows(store, generateDay(addDays(last, -back), world, now));
}
