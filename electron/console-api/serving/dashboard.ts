/** The channels' requests of the last 24 hours (console API 4, D20), and what holds now beside them (D233). */
import { waitingSince } from '../../../agent/ledger/explanations/counts.ts';
import { lateNumbers } from '../../../agent/ledger/review/splits.ts';
import { reviewTarget } from '../../../agent/ledger/review/target.ts';
import { lastWithdrawalOff } from '../../../agent/ledger/explanations/last-off.ts';
import { marksWithin } from '../../../agent/ledger/serving/marks.ts';
import { trafficOfDay } from '../../../agent/ledger/serving/traffic.ts';
import { exposureNumbers } from '../../../agent/ledger/serving/visibility.ts';
import type { LedgerReader } from '../../../agent/ledger/storage/ledger.ts';
import { workingMsBetween } from '../../../shared/time/working-hours.ts';
import type { Traffic } from '../../../shared/wire/console/console.ts';
import { trafficSchema } from '../../../shared/wire/console/traffic.ts';
import { endpoint } from '../http/endpoint.ts';

export const dashboardHandlers = {
  'GET /api/v1/dashboard/traffic': endpoint({
    summary: 'Requests and errors of 24 hours by hour, channel and outcome, beside the day and the week before',
    result: trafficSchema,
    handle: ({ context }): Traffic => {
      const now = context.clock.now();
      return context.ledger.read((reader) => {
        const traffic = trafficOfDay(reader, now);
        return { ...traffic, marks: marksWithin(reader, traffic), now: exposureNow(reader, now) };
      });
    },
  }),
};

function exposureNow(reader: LedgerReader, now: Date): Traffic['now'] {
  const { minutes } = reviewTarget(reader);
  const since = waitingSince(reader);
  const exposures = exposureNumbers(reader, now);
  return {
    overTarget: minutes === null ? null : lateNumbers(reader, now).length,
    longestWait: since === null ? null : { since, workingMs: workingMsBetween(new Date(since), now) },
    exposed: exposures.EXPOSED.length,
    excluded: exposures.EXCLUDED.length,
    lastOff: lastWithdrawalOff(reader, now),
  };
}
