/** What of the analyses is shown; all of it stands in the address. */
import {
  ANALYSIS_STATUSES,
  PUBLICATION_STATES,
  type AnalysisStatus,
  type PublicationState,
} from '../../../shared/wire/operator.ts';
import type { AnalysisQuery } from '../api/client.ts';

export const ANALYSES_PAGE = 50;

/** The longest text that the API takes for a market or a search. */
const TEXT_LIMIT = 200;
/** Beyond it the API takes no page for one. */
const LAST_PAGE = 100_000_000;

export interface AnalysisFilter {
  publicationState: PublicationState | null;
  status: AnalysisStatus | null;
  market: string;
  q: string;
  page: number;
}

/** Reads the address. What it does not know is left out, so that an old link still opens the list. */
export function readAnalysisFilter(params: URLSearchParams): AnalysisFilter {
  const page = Number(params.get('page') ?? '1');
  return {
    publicationState: PUBLICATION_STATES.find((state) => state === params.get('publicationState')) ?? null,
    status: ANALYSIS_STATUSES.find((status) => status === params.get('status')) ?? null,
    market: words(params.get('market')),
    q: words(params.get('q')),
    page: Number.isSafeInteger(page) && page > 0 && page <= LAST_PAGE ? page : 1,
  };
}

function words(text: string | null): string {
  return (text ?? '').trim().slice(0, TEXT_LIMIT);
}

/** The same as it stands in an address: only what differs from the plain list. */
export function writeAnalysisFilter(filter: AnalysisFilter): string {
  const params = new URLSearchParams();
  if (filter.publicationState !== null) params.set('publicationState', filter.publicationState);
  if (filter.status !== null) params.set('status', filter.status);
  if (filter.market !== '') params.set('market', filter.market);
  if (filter.q !== '') params.set('q', filter.q);
  if (filter.page !== 1) params.set('page', String(filter.page));
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}

/** The same as the API takes it. */
export function askedOf({ publicationState, status, market, q, page }: AnalysisFilter): AnalysisQuery {
  return {
    page,
    size: ANALYSES_PAGE,
    ...(publicationState === null ? {} : { publicationState }),
    ...(status === null ? {} : { status }),
    ...(market === '' ? {} : { market }),
    ...(q === '' ? {} : { q }),
  };
}

/** Whether anything but the page narrows the list. */
export function isNarrowed(filter: AnalysisFilter): boolean {
  return writeAnalysisFilter({ ...filter, page: 1 }) !== '';
}
