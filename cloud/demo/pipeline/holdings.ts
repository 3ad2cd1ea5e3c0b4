/** Holdings of a trading day: the expected ones, the evening's load with one ETF missing, and the later load of it. */
import { addDays, isTradingDay } from '../generation/calendar.ts';
import { between, later, pick, type Day } from './day.ts';

const LOAD_MINUTES = 14;

/** For each weekday from Monday to Friday the ETFs most likely to be missing: the demo's week mentions them. */
export const LACKING: readonly (readonly string[])[] = [
  ['KRX:466920', 'KRX:091160'],
  ['KRX:381180', 'KRX:364970'],
  ['KRX:487240', 'KRX:445290'],
  ['KRX:305540', 'KRX:475050'],
  ['KRX:117460', 'KRX:494670'],
];

export function generateHoldings(day: Day): void {
  if (!day.trading) return;
  const random = day.random('holdings');
  const reference_date = day.date;
  const weekday = new Date(`${day.date}T00:00:00Z`).getUTCDay();
  const lacking = pick(random, LACKING[weekday - 1] ?? []);
  const etfs = day.world.etfs.map(({ instrument_id }) => instrument_id);
  const taken = day.at('0710');
  day.add('holdings_snapshot', taken, { reference_date, taken_at: taken.toISOString() });
  for (const etf_instrument_id of etfs) day.add('holdings_expected', taken, { reference_date, etf_instrument_id });

  const evening = load(day, day.at('1720'));
  for (const etf of etfs) {
    const constituents = between(random, 10, 200);
    if (etf !== lacking) loaded(day, evening, etf, constituents);
  }
  // The gap is noticed when the next trading day begins.
  const nextDays = nextTradingDay(day.date);
  const rerun = load(day, later(day.at('0730'), nextDays * 24 * 60));
  if (etfs.includes(lacking)) loaded(day, rerun, lacking, between(random, 10, 200));
}

interface Load {
  id: number;
  starts: Date;
  ends: Date;
}

function load(day: Day, starts: Date): Load {
  const id = day.id('holdings_load');
  const ends = later(starts, LOAD_MINUTES);
  const over = day.reached(ends);
  day.add('holdings_load', starts, {
    holdings_load_id: id,
    reference_date: day.date,
    status: over ? 'SUCCEEDED' : 'RUNNING',
    started_at: starts.toISOString(),
    ended_at: day.told(ends),
  });
  day.add('source_collection', starts, {
    source_collection_id: day.id('source_collection'),
    source: 'ETF_HOLDINGS',
    status: over ? 'SUCCEEDED' : 'RUNNING',
    collected_at: starts.toISOString(),
    processed_at: day.told(ends),
    next_due_at: later(starts, 5 * 24 * 60).toISOString(),
    records: over ? day.world.etfs.length : null,
    error_code: null,
    error_message: null,
  });
  return { id, starts, ends };
}

function loaded(day: Day, from: Load, etf_instrument_id: string, constituents: number): void {
  day.add('holdings_loaded', from.ends, {
    reference_date: day.date,
    etf_instrument_id,
    holdings_load_id: from.id,
    loaded_at: from.ends.toISOString(),
    constituents,
  });
}

/** The number of days to the next trading day. */
function nextTradingDay(date: string): number {
  let days = 1;
  while (!isTradingDay(addDays(date, days))) days += 1;
  return days;
}
