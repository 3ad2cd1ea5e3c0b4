/** From a lane's links, which are paths of the API, to the screens that draw what they answer. */
import type { LaneLink } from '../../../shared/wire/operator/operator.ts';
import { writeAddress } from '../navigation/address.ts';

/** A run, or a planned slot without one, in the run history. */
export const runPlace = (runKey: string): string => `/runs/${encodeURIComponent(runKey)}`;

export function placeOf(link: LaneLink): string {
  const query = new URLSearchParams(link.href.split('?')[1] ?? '');
  const date = query.get('date');
  switch (link.rel) {
    case 'RUN':
      return runPlace(query.get('runKey') ?? '');
    case 'HISTORY':
      return `/runs${writeAddress({ lane: query.get('lane') })}`;
    case 'SOURCES':
      return '/sources';
    case 'NEWS_LINEAGE':
      return `/news${writeAddress({ date })}`;
    case 'MINUTE':
      return `/minute${writeAddress({ date })}`;
    case 'HOLDINGS_IMPACT':
      return `/holdings${writeAddress({ referenceDate: query.get('referenceDate') })}`;
  }
}
