/** The filter of the explanations; the address holds all of it. */
import { WINDOW_PAGE } from '../../../shared/ui/list/page-window.ts';
import { isCalendarDate } from '../../../shared/time/kst.ts';
import {
  EXPLANATION_STATUSES,
  EXPOSURES,
  type ExplanationStatus,
  type Exposure,
} from '../../../shared/wire/console/console.ts';
import type { ExplanationQuery } from '../../api/client.ts';

export const BOARD_SORTS = ['newest', 'oldest', 'ticker'] as const;
export type BoardSort = (typeof BOARD_SORTS)[number];

export interface BoardFilter {
  status: ExplanationStatus | null;
  market: string;
  tradeDateFrom: string;
  tradeDateTo: string;
  /** Korean days of its reception. */
  receivedFrom: string;
  receivedTo: string;
  /** Id of a forbidden word that was found in it. */
  word: string;
  /** Only approved texts on hold. */
  held: '' | 'true';
  /** Only texts that are exposed, or that the scope alone keeps from them (D233). */
  exposure: '' | Exposure;
  q: string;
  sort: BoardSort;
}

/** All explanations, newest first. */
export const PLAIN_BOARD: BoardFilter = {
  status: null,
  market: '',
  tradeDateFrom: '',
  tradeDateTo: '',
  receivedFrom: '',
  receivedTo: '',
  word: '',
  held: '',
  exposure: '',
  q: '',
  sort: 'newest',
};

/** Reads the address. An unknown part is left out, so that an old link still opens the board. */
export function readBoardFilter(params: URLSearchParams): BoardFilter {
  return {
    status: EXPLANATION_STATUSES.find((status) => status === params.get('status')) ?? null,
    market: params.get('market') ?? '',
    tradeDateFrom: dateOrNothing(params.get('from')),
    tradeDateTo: dateOrNothing(params.get('to')),
    receivedFrom: dateOrNothing(params.get('receivedFrom')),
    receivedTo: dateOrNothing(params.get('receivedTo')),
    word: params.get('word') ?? '',
    held: params.get('held') === 'true' ? 'true' : '',
    exposure: EXPOSURES.find((exposure) => exposure === params.get('exposure')) ?? '',
    q: params.get('q') ?? '',
    sort: BOARD_SORTS.find((sort) => sort === params.get('sort')) ?? 'newest',
  };
}

function dateOrNothing(text: string | null): string {
  return text !== null && isCalendarDate(text) ? text : '';
}

/** The filter as an address: only the differences from the plain board. */
export function writeBoardFilter(narrowed: Partial<BoardFilter>): string {
  const filter = { ...PLAIN_BOARD, ...narrowed };
  const params = new URLSearchParams();
  if (filter.status !== null) params.set('status', filter.status);
  if (filter.market !== '') params.set('market', filter.market);
  if (filter.tradeDateFrom !== '') params.set('from', filter.tradeDateFrom);
  if (filter.tradeDateTo !== '') params.set('to', filter.tradeDateTo);
  if (filter.receivedFrom !== '') params.set('receivedFrom', filter.receivedFrom);
  if (filter.receivedTo !== '') params.set('receivedTo', filter.receivedTo);
  if (filter.word !== '') params.set('word', filter.word);
  if (filter.held !== '') params.set('held', filter.held);
  if (filter.exposure !== '') params.set('exposure', filter.exposure);
  if (filter.q !== '') params.set('q', filter.q);
  if (filter.sort !== 'newest') params.set('sort', filter.sort);
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}

/** The filter as the API takes it. */
export function queryOf(filter: BoardFilter, page: number): ExplanationQuery {
  const { status, ...rest } = filter;
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== ''));
  return { page, size: WINDOW_PAGE, ...given, ...(status === null ? {} : { status }) };
}

/** Whether anything but the order narrows the board. */
export function isNarrowed(filter: BoardFilter): boolean {
  return writeBoardFilter({ ...filter, sort: 'newest' }) !== '';
}
