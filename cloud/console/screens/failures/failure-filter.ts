/** The day of the failing tasks and the open task, kept in the address. */
import { readDay, writeAddress } from '../../navigation/address.ts';

export interface FailureFilter {
  /** Null for today. */
  date: string | null;
  /** The open task; its run is in the path. */
  task: string | null;
}

export function readFailureFilter(params: URLSearchParams): FailureFilter {
  return { date: readDay(params.get('date')), task: params.get('task') };
}

export const writeFailureFilter = (filter: FailureFilter): string => writeAddress({ ...filter });
