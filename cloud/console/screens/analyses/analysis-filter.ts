/** The filter of the analyses, kept in the address. */
import {
  ANALYSIS_STATUSES,
  PUBLICATION_STATES,
  type AnalysisStatus,
  type PublicationState,
} from '../../../../shared/wire/operator/operator.ts';
import { readPage, readText, readWord, writeAddress, writePage } from '../../navigation/address.ts';
import type { AnalysisQuery } from '../../api/client.ts';

export const ANALYSES_PAGE = 50;

export interface AnalysisFilter {
  publicationState: PublicationState | null;
  status: AnalysisStatus | null;
  market: string;
  q: string;
  page: number;
}

/** Reads the address. An unknown part is left out, so that an old link still opens the list. */
export function readAnalysisFilter(params: URLSearchParams): AnalysisFilter {
  return {
    publicationState: readWord(params.get('publicationState'), PUBLICATION_STATES),
    status: readWord(params.get('status'), ANALYSIS_STATUSES),
    market: readText(params.get('market')),
    q: readText(params.get('q')),
    page: readPage(params.get('page')),
  };
}

/** The filter for an address: only differences from the plain list. */
export function writeAnalysisFilter({ publicationState, status, market, q, page }: AnalysisFilter): string {
  return writeAddress({ publicationState, status, market, q, page: writePage(page) });
}

/** The filter in the API's form. */
export function queryOf({ publicationState, status, market, q, page }: AnalysisFilter): AnalysisQuery {
  return {
    page,
    size: ANALYSES_PAGE,
    ...(publicationState === null ? {} : { publicationState }),
    ...(status === null ? {} : { status }),
    ...(market === '' ? {} : { market }),
    ...(q === '' ? {} : { q }),
  };
}

/** Whether the filter, apart from the page, narrows the list. */
export function isNarrowed(filter: AnalysisFilter): boolean {
  return writeAnalysisFilter({ ...filter, page: 1 }) !== '';
}
