/**
 * The handlers of the routes for facts and trends (operator API 4; D44): read and check the day, then ask for its facts.
 *
 * Before it: `cloud/operator/server.ts`. After it: `cloud/facts/facts.ts`.
 */
import { z } from 'zod';
import type { Clock } from '../../shared/time/clock.ts';
import { isCalendarDate, kstDate } from '../../shared/time/kst.ts';
import { ApiError, success } from '../../shared/wire/envelope.ts';
import { read, type Handlers } from '../accounts/request.ts';
import { snapshot } from '../pipeline/snapshot.ts';
import { readFacts, type FactsParts } from './facts.ts';
import { readEntityResolution, readIntraday } from './trends.ts';

type Keys =
  | 'GET /api/v1/console/facts'
  | 'GET /api/v1/console/trends/entity-resolution'
  | 'GET /api/v1/console/trends/intraday-analysis';

const DEFAULT_DAYS = 30;
const MOST_DAYS = 366;

// The functions below check the bounds of a parameter, because each has its own error code.
const date = z.unknown().meta({ type: 'string', format: 'date' }).optional();
const days = z.unknown().meta({ type: 'integer', minimum: 1, maximum: MOST_DAYS, default: DEFAULT_DAYS }).optional();
export const dateQuery = z.strictObject({ date });
export const intradayQuery = z.strictObject({ maxDate: date, days });

export function factsHandlers(parts: FactsParts, clock: Clock): Pick<Handlers, Keys> {
  return {
    'GET /api/v1/console/facts': async (request) => {
      const { date } = read('query', dateQuery, request.query);
      return success(
        await readFacts(parts, readDate('date', date), (values, message) => request.log.warn(values, message)),
      );
    },
    'GET /api/v1/console/trends/entity-resolution': async (request) => {
      const { date } = read('query', dateQuery, request.query);
      const last = readPastDate('date', date, clock);
      return success(await snapshot(parts.store, parts.databaseClock, ({ trx }) => readEntityResolution(trx, last)));
    },
    'GET /api/v1/console/trends/intraday-analysis': async (request) => {
      const { maxDate, days } = read('query', intradayQuery, request.query);
      const last = readPastDate('maxDate', maxDate, clock);
      const count = readDays(days);
      return success(
        await snapshot(parts.store, parts.databaseClock, ({ trx, asOf }) => readIntraday(trx, asOf, last, count)),
      );
    },
  };
}

/** Null when it is not given. @throws ApiError FACTS4001 unless it is one existing date */
function readDate(name: string, value: unknown): string | null {
  if (value === undefined) return null;
  if (typeof value !== 'string' || !isCalendarDate(value)) throw wrongDate(name);
  return value;
}

/** Today in Korea by this server's clock when it is not given. @throws ApiError FACTS4001 */
function readPastDate(name: string, value: unknown, clock: Clock): string {
  const today = kstDate(clock.now());
  const date = readDate(name, value) ?? today;
  if (date > today) throw wrongDate(name);
  return date;
}

function wrongDate(name: string): ApiError {
  return new ApiError('FACTS4001', `${name} must be a past or present day as YYYY-MM-DD.`);
}

/** @throws ApiError FACTS4002 */
function readDays(value: unknown): number {
  if (value === undefined) return DEFAULT_DAYS;
  const days = typeof value === 'string' && /^[1-9]\d{0,2}$/.test(value) ? Number(value) : 0;
  if (days < 1 || days > MOST_DAYS) throw new ApiError('FACTS4002');
  return days;
}
