/** The address of each named thing: a run, task, dataset, ETF, analysis, queue, tenant or lane has one. */
import type { LaneLink } from '../../../shared/wire/operator/operator.ts';
import { writeAddress } from './address.ts';

/** A run, or a planned slot without one, in the run history. */
export const runPlace = (runKey: string): string => `/runs/${encodeURIComponent(runKey)}`;

/** The page of the ETFs, analyses and tenants that depend on a failed task. */
export const failurePlace = (runKey: string, taskKey: string): string =>
  `/failures/${encodeURIComponent(runKey)}${writeAddress({ date: dayOf(runKey), task: taskKey })}`;

/** The day in a run key; null for a key of another form. */
const dayOf = (runKey: string): string | null => /\/(\d{4}-\d{2}-\d{2})\//.exec(runKey)?.[1] ?? null;

export const lanePlace = (lane: string, date: string | null): string =>
  `/overview/${encodeURIComponent(lane)}${writeAddress({ date })}`;

export const SOURCES_PLACE = '/sources';

/** The runs of a day and of those before it. */
export const daysPlace = (date: string): string => `/runs${writeAddress({ to: date })}`;

/** A dataset of a day: the tasks that produced it. */
export const datasetTasksPlace = (date: string | null, dataset: string): string =>
  `/facts${writeAddress({ date, axis: 'tasks', q: dataset })}`;

/** A dataset of a day: how fresh it is. */
export const datasetPlace = (date: string | null, dataset: string): string =>
  `/facts${writeAddress({ date, axis: 'datasets', q: dataset })}`;

export const queuePlace = (date: string | null, queue: string): string =>
  `/facts${writeAddress({ date, axis: 'queues', q: queue })}`;

export const analysisPlace = (id: string): string => `/analyses/${encodeURIComponent(id)}`;

/** The analyses of an ETF, by its ticker or instrument id. */
export const etfPlace = (ticker: string): string => `/analyses${writeAddress({ q: ticker })}`;

/** The list is narrowed to the name, so that it holds the tenant however many there are. */
export const tenantPlace = (tenantId: number, name: string): string =>
  `/tenants/${tenantId}${writeAddress({ q: name })}`;

/** The tenants that never connected. */
export const NOT_CONNECTED_PLACE = '/tenants?status=NOT_CONNECTED';

/** Maps a lane's links, which are paths of the API, to the screens that render their answers. */
export function placeOf(link: LaneLink): string {
  const query = new URLSearchParams(link.href.split('?')[1] ?? '');
  const date = query.get('date');
  switch (link.rel) {
    case 'RUN':
      return runPlace(query.get('runKey') ?? '');
    case 'HISTORY':
      return `/runs${writeAddress({ lane: query.get('lane') })}`;
    case 'SOURCES':
      return SOURCES_PLACE;
    case 'NEWS_LINEAGE':
      return `/news${writeAddress({ date })}`;
    case 'MINUTE':
      return `/minute${writeAddress({ date })}`;
    case 'HOLDINGS_IMPACT':
      return `/holdings${writeAddress({ referenceDate: query.get('referenceDate') })}`;
  }
}
