/** The two parameters of a pull (sync protocol 4), bound without coercion. */
import { ApiError } from '../../shared/wire/envelope.ts';

export const DEFAULT_LIMIT = 100;
export const MAX_LIMIT = 500;

export interface PullQuery {
  after: number;
  limit: number;
}

/**
 * @param query the parsed query string; a repeated parameter is a list
 * @throws ApiError SYNC4001, SYNC4002 for an integer outside its range; COMMON400 for any other value
 */
export function readPullQuery(query: Record<string, unknown>): PullQuery {
  const after = integer('after', query.after);
  if (after === null) throw new ApiError('COMMON400', undefined, [{ path: 'query.after', message: 'is required' }]);
  const limit = integer('limit', query.limit) ?? DEFAULT_LIMIT;
  if (after < 0) throw new ApiError('SYNC4001');
  if (limit < 1 || limit > MAX_LIMIT) throw new ApiError('SYNC4002');
  return { after, limit };
}

function integer(name: string, value: unknown): number | null {
  if (value === undefined) return null;
  const refuse = (message: string): ApiError =>
    new ApiError('COMMON400', undefined, [{ path: `query.${name}`, message }]);
  if (typeof value !== 'string') throw refuse('must be there once');
  if (!/^-?\d+$/.test(value)) throw refuse('must be a whole number in decimal digits');
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw refuse('is beyond 2^53-1 and cannot be carried exactly');
  return number;
}
