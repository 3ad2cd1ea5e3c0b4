/** Random ledgers must reach every special case: counts the reference's answers for many of them, case by case. */
import { expect, test } from 'vitest';
import type { EntityResolutionTrend, Facts, IntradayTrend } from '../../../shared/wire/facts.ts';
import { NOW, TODAY } from './fixture.ts';
import { randomLedger } from './random-ledger.ts';
import { referenceEntityResolution, referenceIntraday } from './reference-movements.ts';
import { referenceFacts } from './reference.ts';

const SEEDS = 200;

interface Seen {
  facts: Facts;
  resolution: EntityResolutionTrend;
  intraday: IntradayTrend;
}

const unverifiable =
  (code: string) =>
  ({ facts }: Seen): boolean =>
    facts.datasets.some((one) => one.unverifiable === code);
const baseOf = ({ facts }: Seen, id: string): number | null => facts.outputs.find((one) => one.id === id)?.base ?? null;
const stage = ({ facts }: Seen, id: string): number => facts.chain?.stages.find((one) => one.id === id)?.batch ?? 0;

const CORNERS: Readonly<Record<string, (seen: Seen) => boolean>> = {
  'a gap whose key is read': ({ facts }) => facts.runs.some((run) => run.planned === true && run.lane !== null),
  'a gap whose key cannot be read': ({ facts }) => facts.runs.some((run) => run.planned === true && run.lane === null),
  'a run of the day of its creation': ({ facts }) =>
    facts.runs.some((run) => run.planned === undefined && run.tradingDate === null),
  'keys that only code points put in order': ({ facts }) =>
    ['\u{1F600}', '\uFFFD'].every((sign) => facts.runs.some(({ id }) => id.includes(sign))),
  'no contract': unverifiable('CONTRACT_NOT_APPLIED'),
  'nothing due': unverifiable('NOT_APPLICABLE'),
  "the ledger's words": unverifiable('SOURCE_LATE'),
  'words of no width are words': unverifiable('\u200b'),
  'a blank reason': unverifiable('FRESHNESS_REASON_MISSING'),
  'no actual': unverifiable('ACTUAL_AS_OF_MISSING'),
  'a pair that can be judged': ({ facts }) => facts.datasets.some((one) => one.unverifiable === null),
  'NAV evidence': ({ facts }) => facts.datasets.some(({ id, actualAsOf }) => id === 'etf_nav' && actualAsOf !== null),
  'a day without trading, weekend': (seen) =>
    baseOf(seen, 'o.trig') === null && baseOf(seen, 'o.doc') !== null && isWeekend(seen.facts.meta.today),
  'a day without trading, holiday': (seen) =>
    baseOf(seen, 'o.trig') === null && baseOf(seen, 'o.doc') !== null && !isWeekend(seen.facts.meta.today),
  'a usual value between two counts': (seen) => (baseOf(seen, 'o.doc') ?? 0) % 1 !== 0,
  'published and not delivered': ({ facts }) => facts.boundary.publishedWithoutDelivery > 0,
  'delivered and not taken back': ({ facts }) => facts.boundary.deliveryNowNonpublished > 0,
  'published at the end of the chain': (seen) => stage(seen, 'c.pub') > 0,
  'a result that is not published': (seen) => stage(seen, 'c.res') > stage(seen, 'c.pub'),
  'two ETFs of one ticker': ({ facts }) =>
    (facts.etfLedger?.rows.filter(({ etf }) => etf === '069500').length ?? 0) > 1,
  'an outcome': ({ facts }) => facts.etfLedger?.rows.some(({ outcome }) => outcome !== null) === true,
  'an execution that was seen': ({ facts }) => facts.runs.some((run) => typeof run.cloudStatus === 'string'),
  'a queue with delayed messages alone': ({ facts }) =>
    facts.queues?.some(({ visible, inFlight, dlq }) => visible + inFlight + dlq === 0) === true,
  'ten measured days': ({ resolution }) => resolution.points.length === 10,
  'a rate of nothing': ({ resolution }) => resolution.points.some(({ rate }) => rate === null),
  'active, failed, published': ({ intraday: { points } }) =>
    (['activeRuns', 'failedRuns', 'published'] as const).every((name) => points.some((point) => point[name] > 0)),
};

const isWeekend = (day: string): boolean => [0, 6].includes(new Date(`${day}T00:00:00Z`).getUTCDay());

test(`${SEEDS} seeds reach every corner`, () => {
  const now = NOW.toISOString();
  const reached = new Set<string>();
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const { ledger, busy } = randomLedger(seed);
    const seen: Seen = {
      facts: referenceFacts(ledger, now, busy, true) as Facts,
      resolution: referenceEntityResolution(ledger, TODAY) as EntityResolutionTrend,
      intraday: referenceIntraday(ledger, now, TODAY, 25) as IntradayTrend,
    };
    for (const [corner, isThere] of Object.entries(CORNERS)) if (isThere(seen)) reached.add(corner);
  }
  expect(Object.keys(CORNERS).filter((corner) => !reached.has(corner))).toEqual([]);
});
