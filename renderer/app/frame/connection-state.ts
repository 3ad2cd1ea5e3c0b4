/** How the console stands towards its API, told from what is known on this side alone. */
import { ApiProblem, UnreachableError, UnreadableAnswerError } from '../../../shared/ui/http/request.ts';
import type { LiveState } from '../../api/live.ts';

/**
 * - `OFFLINE`: this computer has no network, and the API is on another host
 * - `DOWN`: the API does not answer, or not as it should
 */
export type Outage = 'OFFLINE' | 'DOWN';

/** @param lastError of the question who is logged in, which is asked again and again while no answer comes */
export function outageOf(
  live: LiveState,
  { lastError, isOnline, host }: { lastError: unknown; isOnline: boolean; host: string },
): Outage | null {
  if (live.state !== 'interrupted' || !isNoAnswer(lastError)) return null;
  return isOnline || isLoopback(host) ? 'DOWN' : 'OFFLINE';
}

function isNoAnswer(error: unknown): boolean {
  if (error instanceof ApiProblem) return error.status >= 500;
  return error instanceof UnreachableError || error instanceof UnreadableAnswerError;
}

/** Needs no network. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** The moment up to which what is on screen is known to be right: the last sign of the API. Null where there was none. */
export function asOf(live: LiveState, lastReadAt: number): Date | null {
  const heard = live.state === 'interrupted' ? (live.lastSign?.getTime() ?? 0) : 0;
  const last = Math.max(heard, lastReadAt);
  return last === 0 ? null : new Date(last);
}
