/** The handlers of the `sources/*` routes, with the schemas of their queries (operator API 4). */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { OperatorRouteKey } from '../../shared/policy/operator-routes.ts';
import { isCalendarDate } from '../../shared/time/kst.ts';
import { ApiError, success, type Success } from '../../shared/wire/envelope.ts';
import { NEWS_STAGES } from '../../shared/wire/operator/operator.ts';
import { isStorableText } from '../../shared/wire/invisible.ts';
import { paging, read, wholeNumber, wholeNumberOr } from '../accounts/request.ts';
import type { Store } from '../store/open.ts';
import { readFailures } from './failures.ts';
import { readGrid } from './grid.ts';
import { readHoldingsImpact } from './holdings.ts';
import { readTaskImpact } from './impact.ts';
import { readJudgments, readMinuteDaily, readMinutes } from './minute.ts';
import { readNewsLineage } from './news.ts';
import { readOverview } from './overview.ts';
import { snapshot, type DatabaseClock, type Snapshot } from './snapshot.ts';
import { readReport } from './sources.ts';

type PipelineRouteKey = Extract<OperatorRouteKey, `${string} /api/v1/sources/${string}`>;
type PipelineHandler = (request: FastifyRequest) => Promise<Success<unknown>>;

/** No pipeline ran before it, so no view handles the days around year 1. */
const FIRST_DAY = '1970-01-01';
const DATE = `must be a date that exists, YYYY-MM-DD, from ${FIRST_DAY} on`;
const date = z
  .string(DATE)
  .refine((day) => isCalendarDate(day) && day >= FIRST_DAY, DATE)
  .meta({ type: 'string', format: 'date' });
/** Characters that the ledger's text can hold. */
const text = z
  .string('must be a text')
  .min(1, 'must not be empty')
  .max(500)
  .refine(isStorableText, 'must not contain control characters or half of a character');

/** More days than this make an unreadable grid and a slow answer. */
const MOST_GRID_DAYS = 31;
const MOST_DAILY_DAYS = 92;

const nothing = z.strictObject({});
const overviewQuery = z.strictObject({ date: date.optional() });
const gridQuery = z.strictObject({
  to: date.optional(),
  days: wholeNumber(MOST_GRID_DAYS).optional(),
  lane: text.optional(),
  runKey: text.optional(),
});
const newsQuery = z.strictObject({
  date: date.optional(),
  stage: z.enum(NEWS_STAGES, `must be one of ${NEWS_STAGES.join(', ')}`).default('COLLECTED'),
});
const minuteQuery = z.strictObject({ date: date.optional() });
const dailyQuery = z.strictObject({ days: wholeNumberOr(20, MOST_DAILY_DAYS) });
const judgmentsQuery = z.strictObject({ sessionId: text, ...paging });
const failuresQuery = z.strictObject({ date: date.optional() });
const taskQuery = z.strictObject({ runKey: text, taskKey: text });
const holdingsQuery = z.strictObject({ referenceDate: date.optional() });

/** The parameters of each route. */
export const PIPELINE_QUERIES: Readonly<Record<PipelineRouteKey, z.ZodType>> = {
  'GET /api/v1/sources/overview': overviewQuery,
  'GET /api/v1/sources/report': nothing,
  'GET /api/v1/sources/grid': gridQuery,
  'GET /api/v1/sources/lineage/news': newsQuery,
  'GET /api/v1/sources/minute': minuteQuery,
  'GET /api/v1/sources/minute/daily': dailyQuery,
  'GET /api/v1/sources/minute/judgments': judgmentsQuery,
  'GET /api/v1/sources/impact/holdings': holdingsQuery,
  'GET /api/v1/sources/impact/task': taskQuery,
  'GET /api/v1/sources/failures': failuresQuery,
};

export function pipelineHandlers(store: Store, clock: DatabaseClock): Record<PipelineRouteKey, PipelineHandler> {
  /** A handler that reads its query, then one consistent state of the store. */
  const view =
    <Query>(query: z.ZodType<Query>, answer: (state: Snapshot, asked: Query) => Promise<unknown>): PipelineHandler =>
    async (request) => {
      const asked = read('query', query, request.query);
      return success(await snapshot(store, clock, (state) => answer(state, asked)));
    };
  return {
    'GET /api/v1/sources/overview': view(overviewQuery, (state, asked) =>
      readOverview(state, upToToday(state, 'date', asked.date) ?? state.today),
    ),
    'GET /api/v1/sources/report': view(nothing, readReport),
    'GET /api/v1/sources/grid': view(gridQuery, (state, { to, days, lane, runKey }) =>
      readGrid(state, {
        to: upToToday(state, 'to', to),
        days: days ?? null,
        lane: lane ?? null,
        runKey: runKey ?? null,
      }),
    ),
    'GET /api/v1/sources/lineage/news': view(newsQuery, (state, asked) =>
      readNewsLineage(state, upToToday(state, 'date', asked.date) ?? state.today, asked.stage),
    ),
    'GET /api/v1/sources/minute': view(minuteQuery, (state, asked) =>
      readMinutes(state, upToToday(state, 'date', asked.date)),
    ),
    'GET /api/v1/sources/minute/daily': view(dailyQuery, (state, { days }) => readMinuteDaily(state, days)),
    'GET /api/v1/sources/minute/judgments': view(judgmentsQuery, readJudgments),
    'GET /api/v1/sources/impact/holdings': view(holdingsQuery, (state, { referenceDate }) =>
      readHoldingsImpact(state, upToToday(state, 'referenceDate', referenceDate)),
    ),
    'GET /api/v1/sources/impact/task': view(taskQuery, readTaskImpact),
    'GET /api/v1/sources/failures': view(failuresQuery, (state, asked) =>
      readFailures(state, upToToday(state, 'date', asked.date) ?? state.today),
    ),
  };
}

/** @throws ApiError COMMON400 for a day that has not begun in Korea by the database's clock */
function upToToday({ today }: Snapshot, name: string, day: string | undefined): string | null {
  if (day === undefined) return null;
  if (day > today)
    throw new ApiError('COMMON400', undefined, [
      { path: `query.${name}`, message: `must not be after today, ${today}` },
    ]);
  return day;
}
