/** The channels' requests in the past: more in trading hours, more by phone, sometimes faulty ones. */
import { DEMO_CHANNELS } from '../../../agent/ledger/demo/seed.ts';
import type { Chance } from './chance.ts';
import type { Firm } from './firm.ts';

/** Requests per quarter of an hour at the busiest time, by channel. */
const BUSIEST: Record<(typeof DEMO_CHANNELS)[number]['channel'], number> = { MTS: 1.8, HTS: 1, WEB: 0.7 };
/** The load of each hour in Korea, relative to the busiest. */
const HOURS = [0, 0, 0, 0, 0, 0, 0.1, 0.3, 0.6, 1, 0.9, 0.7, 0.5, 0.7, 0.8, 1, 0.6, 0.4, 0.3, 0.3, 0.4, 0.4, 0.2, 0.1];
const WRONG = 0.02;
const EXPLAINED = 0.8;
/** ETFs in a list of favourites. */
const FAVOURITES = 4;
/** The key of a channel that does not yet know its replacement. */
const STALE_KEY = 'replaced';

export interface RequestedQuarter {
  chance: Chance;
  tickers: readonly string[];
  /** The recently explained ETFs, which channels request most. */
  explained: readonly string[];
  /** Hour of the day in Korea, from 0. */
  hour: number;
  /** Share of the busiest day. */
  share: number;
  /** The channel with a replaced key; null on an ordinary day. */
  stale: string | null;
  /** Whether the provision API cannot read its texts at this time. */
  fails: boolean;
}

export async function askForAQuarter(firm: Firm, asked: RequestedQuarter): Promise<void> {
  const { chance, hour, share, stale, fails } = asked;
  for (const { channel, key } of DEMO_CHANNELS) {
    const requests = Math.floor(
      BUSIEST[channel] * (HOURS[hour] ?? 0) * share * (0.7 + 0.6 * chance.next()) + chance.next(),
    );
    if ((HOURS[hour] ?? 0) === 0) continue;
    for (let n = 0; n < requests; n += 1) await firm.ask(channel === stale ? STALE_KEY : key, pathOf(asked), fails);
  }
}

/** One page of one ETF, or a list of favourites; a few request more than allowed. */
function pathOf({ chance, tickers, explained }: RequestedQuarter): string {
  if (chance.happens(WRONG)) return `/v1/explanations?tickers=${Array.from({ length: 101 }, (_, n) => n).join(',')}`;
  // The first ones of the list are requested most.
  const one = (): string => {
    const from = explained.length > 0 && chance.happens(EXPLAINED) ? explained : tickers;
    return from[Math.floor(chance.next() ** 2 * from.length)] ?? '';
  };
  if (chance.happens(0.35)) return `/v1/explanations/${one()}`;
  return `/v1/explanations?tickers=${[...new Set(Array.from({ length: FAVOURITES }, one))].join(',')}`;
}
