/** The channels' requests in the past: more in trading hours, more by phone, now and then something wrong. */
import { DEMO_CHANNELS } from '../../../agent/ledger/demo/seed.ts';
import type { Chance } from './chance.ts';
import type { Firm } from './firm.ts';

/** Requests of a quarter of an hour at the busiest, by channel. */
const BUSIEST: Record<(typeof DEMO_CHANNELS)[number]['channel'], number> = { MTS: 1.8, HTS: 1, WEB: 0.7 };
/** How busy each hour is in Korea, of the busiest. */
const HOURS = [0, 0, 0, 0, 0, 0, 0.1, 0.3, 0.6, 1, 0.9, 0.7, 0.5, 0.7, 0.8, 1, 0.6, 0.4, 0.3, 0.3, 0.4, 0.4, 0.2, 0.1];
const WRONG = 0.02;
const EXPLAINED = 0.8;
/** The key of a channel that does not know yet that it was replaced. */
const STALE_KEY = 'replaced';

export interface AskedQuarter {
  chance: Chance;
  tickers: readonly string[];
  /** Of the ETFs that were explained of late; channels ask for these above all. */
  explained: readonly string[];
  /** Of the day in Korea, from 0. */
  hour: number;
  /** Of the busiest day. */
  share: number;
  /** Of the channel that asks with a key that was replaced; null on an ordinary day. */
  stale: string | null;
  /** Whether the provision API cannot read its texts just now. */
  fails: boolean;
}

export async function askForAQuarter(firm: Firm, asked: AskedQuarter): Promise<void> {
  const { chance, hour, share, stale, fails } = asked;
  for (const { channel, key } of DEMO_CHANNELS) {
    const requests = Math.floor(
      BUSIEST[channel] * (HOURS[hour] ?? 0) * share * (0.7 + 0.6 * chance.next()) + chance.next(),
    );
    if ((HOURS[hour] ?? 0) === 0) continue;
    for (let n = 0; n < requests; n += 1) await firm.ask(channel === stale ? STALE_KEY : key, pathOf(asked), fails);
  }
}

/** One page of one ETF, or a list of favourites; a few ask for more than a request may name. */
function pathOf({ chance, tickers, explained }: AskedQuarter): string {
  if (chance.happens(WRONG)) return `/v1/explanations?tickers=${Array.from({ length: 101 }, (_, n) => n).join(',')}`;
  // The first ones of the list are asked for most.
  const one = (): string => {
    const from = explained.length > 0 && chance.happens(EXPLAINED) ? explained : tickers;
    return from[Math.floor(chance.next() ** 2 * from.length)] ?? '';
  };
  if (chance.happens(0.35)) return `/v1/explanations/${one()}`;
  return `/v1/explanations?tickers=${[...new Set(Array.from({ length: 6 }, one))].join(',')}`;
}
