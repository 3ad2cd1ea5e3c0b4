/** The handlers of analyses (operator API 4, D24). */
import { z } from 'zod';
import { ApiError, success } from '../../shared/wire/envelope.ts';
import { LONGEST } from '../../shared/wire/entry-fields.ts';
import { ANALYSIS_STATUSES, PUBLICATION_STATES, REASON_LIMIT } from '../../shared/wire/operator/operator.ts';
import type { Clock } from '../../shared/time/clock.ts';
import type { FanOutObserver } from '../publication/fan-out.ts';
import { readWithdrawals } from '../publication/receipts.ts';
import type { Store } from '../store/open.ts';
import { listAnalyses } from './analyses.ts';
import { findAnalysis } from './analysis-detail.ts';
import { operatorOf } from '../accounts/activity-log.ts';
import { withdrawAnalysis } from './withdraw.ts';
import { flawOf } from '../../shared/wire/characters.ts';
import { isBlank } from '../../shared/wire/invisible.ts';
import { paging, read, search, type Handlers } from '../accounts/request.ts';

/** A filter's word for none (operator API 2). */
const ALL = 'ALL';

export const analysesQuery = z.strictObject({
  ...paging,
  publicationState: z
    .enum(PUBLICATION_STATES, `must be one of ${PUBLICATION_STATES.join(', ')}`)
    .nullable()
    .default(null)
    .meta({ type: 'string', enum: PUBLICATION_STATES }),
  status: z
    .enum([ALL, ...ANALYSIS_STATUSES], `must be one of ${[ALL, ...ANALYSIS_STATUSES].join(', ')}`)
    .transform((status) => (status === ALL ? null : status))
    .nullable()
    .default(null)
    .meta({ type: 'string', enum: [ALL, ...ANALYSIS_STATUSES] }),
  market: search,
  q: search,
});

export const withdrawalsQuery = z.strictObject({});

export interface AnalysisParts {
  store: Store;
  clock: Clock;
  metrics?: FanOutObserver;
}

export function analysisHandlers({
  store,
  clock,
  metrics,
}: AnalysisParts): Pick<Handlers, Extract<keyof Handlers, `${string}/analyses${string}` | `${string}/withdrawals`>> {
  return {
    'GET /api/v1/analyses': async (request) => {
      const filter = read('query', analysesQuery, request.query);
      const found = await listAnalyses(store.db, filter, clock.now());
      return success({ page: filter.page, size: filter.size, ...found });
    },
    'GET /api/v1/console/withdrawals': async (request) => {
      read('query', withdrawalsQuery, request.query);
      return success(await readWithdrawals(store.db, clock.now()));
    },
    'GET /api/v1/analyses/{id}': async (request) =>
      success(await findAnalysis(store.db, idOf(request.params), clock.now())),
    'POST /api/v1/analyses/{id}/invalidate': async (request, _reply, principal, confirm) => {
      const id = idOf(request.params);
      const reason = readReason(request.body);
      // A lost answer gives COMMON503: the operator may repeat the act, and if the first was written after all, the
      // second gets 409.
      const order = { id, reason, actor: operatorOf(request, principal), at: clock.now() };
      return success(await withdrawAnalysis(store, order, confirm, metrics));
    },
  };
}

/** Any id that the store holds can be read and withdrawn, whatever the door takes today. */
function idOf(params: unknown): string {
  const { id } = params as { id: string };
  if (id.length > LONGEST.id || id.includes('\0') || !id.isWellFormed()) throw new ApiError('COMMON404');
  return id;
}

/**
 * D54: a reason counts as missing when it is absent, not a string, or blank to a reader, invisible characters included.
 */
function readReason(sent: unknown): string {
  const body: object = typeof sent === 'object' && sent !== null ? sent : {};
  const reason = 'reason' in body ? body.reason : undefined;
  if (typeof reason !== 'string' || isBlank(reason)) throw new ApiError('ANALYSIS4001');
  // It goes to every tenant, as the reason of a republication does (D198).
  const flaw = reason.length > REASON_LIMIT ? `must have at most ${REASON_LIMIT} characters` : flawOf('text', reason);
  if (flaw !== null) throw new ApiError('COMMON400', undefined, [{ path: 'body.reason', message: flaw }]);
  const unknown = Object.keys(body).filter((name) => name !== 'reason');
  // An irreversible act is refused for a request with unexpected fields.
  if (unknown.length > 0)
    throw new ApiError(
      'COMMON400',
      undefined,
      unknown.slice(0, 10).map((name) => ({ path: `body.${name.slice(0, 100)}`, message: 'is not known here' })),
    );
  return reason.trim();
}
