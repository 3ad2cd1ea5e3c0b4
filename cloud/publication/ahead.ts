/**
 * Times that a load may not have yet (D196). Channels get the latest snapshot of a ticker, so a text that is dated ahead
 * would displace the right ones until its time has come.
 */
import { kstDate } from '../../shared/time/kst.ts';
import type { Load } from './load.ts';
import { LoadRefusedError } from './refusal.ts';

/** More than the clocks of engine and database are apart. */
const MOST_AHEAD_MS = 10 * 60_000;

/**
 * @param now by the database's clock, which all instances of the cloud share (D44)
 * @throws LoadRefusedError DATE_AHEAD
 */
export function refuseAhead(load: Load, now: Date): void {
  const [name, subject] =
    load.mode === 'V2' ? (['analysis', load.analysis] as const) : (['result', load.result] as const);
  const today = kstDate(now);
  if (subject !== null && subject.trade_date > today)
    throw ahead(`${name}.trade_date: ${subject.trade_date} lies after ${today}, today in Korea`);
  const instants = {
    [`${name}.explanation_as_of`]: subject?.explanation_as_of,
    'trigger.fired_at': load.trigger.fired_at,
  };
  for (const [place, instant] of Object.entries(instants)) {
    if (instant !== undefined && Date.parse(instant) > now.getTime() + MOST_AHEAD_MS)
      throw ahead(`${place}: ${instant} lies more than ten minutes after ${now.toISOString()}`);
  }
}

const ahead = (what: string): LoadRefusedError =>
  new LoadRefusedError(
    'DATE_AHEAD',
    `${what}, by the clock of the database. Nothing was written: send the same load again when its time has come, or correct the date.`,
  );
