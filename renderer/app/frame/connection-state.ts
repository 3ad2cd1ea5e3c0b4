/** The connection between the console and its API, judged from this side only. */
import { ApiProblem, UnreachableError, UnreadableAnswerError } from '../../../shared/ui/http/request.ts';
import type { LiveState } from '../../api/live.ts';

export type Outage = 'OFFLINE' | 'DOWN';

/** @param lastError error of the session query, which repeats while no answer comes */
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

/** Reachable without a network. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** The time up to which the screen is known to be right: the last message of the API; null if there was none. */
export function asOf(live: LiveState, lastReadAt: number): Date | null {
  const heard = live.state === 'interrupted' ? (live.lastSign?.getTime() ?? 0) : 0;
  const last = Math.max(heard, lastReadAt);
  return last === 0 ? null : new Date(last);
}
