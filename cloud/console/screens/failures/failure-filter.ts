/** Which day's failing tasks are shown, and which of them is open; all of it stands in the address. */
import { readDay, writeAddress } from '../../navigation/address.ts';

export interface FailureFilter {
  /** Null for today. */
  date: string | null;
  /** The task that is open; its run stands in the path. */
  task: string | null;
}

export function readFailureFilter(params: URLSearchParams): FailureFilter {
  return { date: readDay(params.get('date')), task: params.get('task') };
}

export const writeFailureFilter = (filter: FailureFilter): string => writeAddress({ ...filter });
