/**
 * Review statistics over a span of days. Each day is read separately, so that other requests are answered meanwhile; a
 * decision made during the read counts if its day comes later.
 */
import { z } from 'zod';
import { blindCounts, type BlindCount } from '../../../agent/ledger/review/blind-reviews.ts';
import { storedExplanation } from '../../../agent/ledger/explanations/explanations.ts';
import type { LedgerReader } from '../../../agent/ledger/storage/ledger.ts';
import {
  blockedCounts,
  decisionsMade,
  autoPublishedCounts,
  reversedBlocks,
  reversedProvisions,
  type ReversingMove,
  type Within,
} from '../../../agent/ledger/review/statistics.ts';
import { sampleCountsWithin } from '../../../agent/ledger/review/samples.ts';
import { kstDate, kstDayEnd, kstMidnight } from '../../../shared/time/kst.ts';
import {
  DECISIONS,
  type Decision,
  type MeasuredTimes,
  type Reversal,
  type ReviewFigures,
  type ReviewStatistics,
} from '../../../shared/wire/console/console.ts';
import { reviewStatisticsSchema } from '../../../shared/wire/console/statistics.ts';
import { ApiError } from '../../../shared/wire/envelope.ts';
import type { ConsoleContext } from '../context/context.ts';
import { endpoint } from '../http/endpoint.ts';
import { date } from '../http/schemas.ts';

const DAY_MS = 86_400_000;
/** Days of the default span. */
const USUAL_DAYS = 30;
/** A quarter of a year: bounds the read for a ledger of any age. */
const MOST_DAYS = 92;
/** Most reversals that are listed; their count covers all. */
const MOST_NAMED = 50;

export const statisticsHandlers = {
  'GET /api/v1/review/statistics': endpoint({
    summary: 'Decisions, times and reversals of the review over at most 92 Korean days, both included',
    query: z.strictObject({ from: date.optional(), to: date.optional() }),
    result: reviewStatisticsSchema,
    handle: async ({ query, caller, context }): Promise<ReviewStatistics> => {
      const days = daysOf(query, kstDate(context.clock.now()));
      const counted: CountedDay[] = [];
      for (const day of days) {
        counted.push(context.ledger.read((reader) => countDay(reader, day)));
        await context.readQueue.next(caller.member.id);
      }
      return statisticsOf(context, counted);
    },
  }),
};

/** @throws ApiError COMMON400 for an empty span, or one too long */
function daysOf({ from, to }: { from?: string | undefined; to?: string | undefined }, today: string): string[] {
  const last = to ?? today;
  const first = from ?? shifted(last, 1 - USUAL_DAYS);
  const length = (kstMidnight(last).getTime() - kstMidnight(first).getTime()) / DAY_MS + 1;
  if (length < 1 || length > MOST_DAYS) {
    const message = length < 1 ? 'must not lie before `from`' : `must be at most ${MOST_DAYS} days with \`from\``;
    throw new ApiError('COMMON400', undefined, [{ path: 'query.to', message }]);
  }
  return Array.from({ length }, (_, index) => shifted(first, index));
}

function shifted(day: string, days: number): string {
  return kstDate(new Date(kstMidnight(day).getTime() + days * DAY_MS));
}

/** The counts of a day, before they are summed up. */
interface CountedDay extends Omit<ReturnType<typeof read>, 'within'> {
  day: string;
  within: Within;
}

function countDay(reader: LedgerReader, day: string): CountedDay {
  const within = { from: kstMidnight(day).toISOString(), before: kstDayEnd(day).toISOString() };
  return { day, within, ...read(reader, within) };
}

function read(reader: LedgerReader, within: Within) {
  return {
    decisions: decisionsMade(reader, within),
    provided: autoPublishedCounts(reader, within),
    provisionsReversed: reversedProvisions(reader, within),
    blocked: blockedCounts(reader, within),
    blocksReversed: reversedBlocks(reader, within),
  };
}

type Part = Pick<CountedDay, 'decisions' | 'provided' | 'provisionsReversed' | 'blocked' | 'blocksReversed'>;

function statisticsOf({ ledger }: ConsoleContext, counted: readonly CountedDay[]): ReviewStatistics {
  const whole: Part = {
    decisions: counted.flatMap(({ decisions }) => decisions),
    provided: counted.flatMap(({ provided }) => provided),
    provisionsReversed: counted.flatMap(({ provisionsReversed }) => provisionsReversed),
    blocked: counted.flatMap(({ blocked }) => blocked),
    blocksReversed: counted.flatMap(({ blocksReversed }) => blocksReversed),
  };
  const from = counted[0]?.within.from ?? '';
  const before = counted.at(-1)?.within.before ?? '';
  return {
    from: counted[0]?.day ?? '',
    to: counted.at(-1)?.day ?? '',
    total: figuresOf(whole),
    days: counted.map(({ day, ...part }) => ({ day, ...figuresOf(part) })),
    policies: policiesOf(whole),
    samples: sampleCountsWithin(ledger, { from, before, kind: 'PROVIDED' }),
    blockSamples: sampleCountsWithin(ledger, { from, before, kind: 'BLOCKED' }),
    blind: blindOf(blindCounts(ledger, { from, before })),
    reversals: reversalsOf(ledger, whole),
  };
}

function figuresOf(part: Part): ReviewFigures {
  return {
    ...countsOf(part),
    waiting: timesOf(part.decisions.map(({ waitedMs }) => waitedMs)),
    handling: timesOf(part.decisions.map(({ handledMs }) => handledMs)),
  };
}

function countsOf({
  decisions,
  provided,
  provisionsReversed,
  blocked,
  blocksReversed,
}: Part): Pick<ReviewFigures, 'decided' | 'reversed' | 'automatic'> {
  const sum = (counts: Part['provided']): number => counts.reduce((all, { n }) => all + n, 0);
  const made = (decision: Decision): number => decisions.filter((one) => one.decision === decision).length;
  return {
    decided: {
      approved: made('approve'),
      approvedEdited: made('approve-edited'),
      rejected: made('reject'),
      blocked: made('block'),
    },
    reversed: decisions.filter(({ reversal }) => reversal !== null).length,
    automatic: {
      provided: sum(provided),
      reversed: provisionsReversed.length,
      blocked: sum(blocked),
      unblocked: blocksReversed.length,
    },
  };
}

/** A wait that was not measured is left out: it is neither short nor long. */
function timesOf(times: readonly (number | null)[]): MeasuredTimes {
  const measured = times.filter((ms) => ms !== null).toSorted((a, b) => a - b);
  return { medianMs: quantile(measured, 0.5), p90Ms: quantile(measured, 0.9), measured: measured.length };
}

/** Interpolates between the two nearest sorted numbers; null without any. */
export function quantile(sorted: readonly number[], share: number): number | null {
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  return below === undefined || above === undefined
    ? null
    : Math.round(below + (above - below) * (place - Math.floor(place)));
}

function policiesOf(whole: Part): ReviewStatistics['policies'] {
  const told = [...whole.decisions, ...whole.provided, ...whole.blocked];
  const versions = new Set(told.map(({ policyVersion }) => policyVersion));
  const of = <T extends { policyVersion: number | null }>(rows: readonly T[], version: number | null): T[] =>
    rows.filter(({ policyVersion }) => policyVersion === version);
  return [...versions]
    .toSorted((a, b) => (b ?? 0) - (a ?? 0))
    .map((policyVersion) => ({
      policyVersion,
      ...countsOf({
        decisions: of(whole.decisions, policyVersion),
        provided: of(whole.provided, policyVersion),
        provisionsReversed: of(whole.provisionsReversed, policyVersion),
        blocked: of(whole.blocked, policyVersion),
        blocksReversed: of(whole.blocksReversed, policyVersion),
      }),
    }));
}

function blindOf(counts: readonly BlindCount[]): ReviewStatistics['blind'] {
  const sum = (fits: (one: BlindCount) => boolean): number => counts.filter(fits).reduce((all, { n }) => all + n, 0);
  return {
    open: sum(({ state }) => state === 'OPEN'),
    overtaken: sum(({ state }) => state === 'OVERTAKEN'),
    notBlind: sum(({ wasBlind }) => wasBlind === 0),
    agreed: sum(({ state, wasBlind }) => state === 'AGREED' && wasBlind === 1),
    differed: sum(({ state, wasBlind }) => state === 'DIFFERED' && wasBlind === 1),
    pairs: DECISIONS.flatMap((first) =>
      DECISIONS.map((second) => {
        const count = sum((one) => one.decision === first && one.outcome === second && one.wasBlind === 1);
        return { first, second, count };
      }),
    ).filter(({ count }) => count > 0),
  };
}

type Named = Omit<Reversal, 'id' | 'etf_ticker' | 'etf_name'> & { explanationId: string };

function reversalsOf(reader: LedgerReader, whole: Part): Reversal[] {
  const named = (
    { explanationId, at }: { explanationId: string; at: string },
    decision: Reversal['decision'],
    reversal: ReversingMove | null,
  ): Named[] =>
    reversal === null
      ? []
      : [{ explanationId, decision, decidedAt: at, takenBackBy: reversal.move, takenBackAt: reversal.at }];
  const all = [
    ...whole.decisions.flatMap((one) => named(one, one.decision, one.reversal)),
    ...whole.provisionsReversed.flatMap((one) => named(one, 'automatic', one.reversal)),
    ...whole.blocksReversed.flatMap((one) => named(one, 'automatic-block', one.reversal)),
  ];
  return all
    .toSorted((a, b) => Date.parse(b.takenBackAt) - Date.parse(a.takenBackAt))
    .slice(0, MOST_NAMED)
    .flatMap(({ explanationId, ...reversal }) => {
      const row = storedExplanation(reader, explanationId);
      return row === undefined ? [] : [{ id: row.id, etf_ticker: row.etf_ticker, etf_name: row.etf_name, ...reversal }];
    });
}
