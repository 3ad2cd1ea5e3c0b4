/** What was shown at a moment and over a day (D154). */
import { z } from 'zod';
import { servedBandOf } from '../../../agent/ledger/shown/requests.ts';
import { shownAt, type ShownFacts } from '../../../agent/ledger/shown/shown-at.ts';
import { readShownFacts } from '../../../agent/ledger/shown/shown-facts.ts';
import { kstDayEnd, kstMidnight } from '../../../shared/time/kst.ts';
import type { ShownDay, ShownMoment } from '../../../shared/wire/console/console.ts';
import { shownDaySchema, shownMomentSchema } from '../../../shared/wire/console/shown.ts';
import type { Caller, ConsoleContext } from '../context/context.ts';
import { endpoint } from '../http/endpoint.ts';
import { date, instant, requiredText } from '../http/schemas.ts';
import { refuseUnseen } from '../review/blind-reviews.ts';

/** The longest ticker that a channel may ask for. */
const ticker = requiredText(40);

export const shownHandlers = {
  'GET /api/v1/shown/moment': endpoint({
    summary: 'What channels were given of a ticker at a moment, or why they were given nothing',
    query: z.strictObject({ ticker, at: instant }),
    refuses: [404, 409],
    result: shownMomentSchema,
    handle: ({ query, context, caller }): ShownMoment => {
      const { facts, readAt } = read(context, query.ticker, { from: query.at, to: query.at });
      const showing = shownAt(facts, query.at);
      refuseUnseenOf(context, caller, [showing]);
      return { ticker: query.ticker, readAt, recordBegins: facts.begins, at: query.at, showing };
    },
  }),
  'GET /api/v1/shown/day': endpoint({
    summary: 'What channels were given of a ticker over a Korean day, with the cause of each change',
    query: z.strictObject({ ticker, date }),
    refuses: [404, 409],
    result: shownDaySchema,
    handle: ({ query, context, caller }): ShownDay => {
      const from = kstMidnight(query.date).toISOString();
      const end = kstDayEnd(query.date).toISOString();
      const { facts, readAt } = read(context, query.ticker, { from, to: end });
      const to = end < readAt ? end : readAt;
      const spans = servedBandOf(facts, from, to);
      refuseUnseenOf(context, caller, [
        ...spans.map(({ showing }) => showing),
        ...spans.flatMap(({ causes }) => causes),
      ]);
      return {
        ticker: query.ticker,
        readAt,
        recordBegins: facts.begins,
        date: query.date,
        from,
        to,
        spans,
      };
    },
  }),
};

/** Reads the facts in one snapshot of the ledger. */
function read(
  context: ConsoleContext,
  ticker: string,
  span: { from: string; to: string },
): { facts: ShownFacts; readAt: string } {
  const facts = context.ledger.read((reader) => readShownFacts(reader, ticker, span, context.clock.now()));
  return { facts, readAt: facts.readAt };
}

/** Does not reveal a decision that the caller is to review blind (D91). @throws ApiError REVIEW4096 */
function refuseUnseenOf(context: ConsoleContext, caller: Caller, told: readonly object[]): void {
  const ids = told.flatMap((each) => ('id' in each && typeof each.id === 'string' ? [each.id] : []));
  for (const id of new Set(ids)) refuseUnseen(context.ledger, caller, id);
}
