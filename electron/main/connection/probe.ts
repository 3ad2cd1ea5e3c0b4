/** Probes whether a console answers at an address, with the same network stack, proxy and trust as the window. */
import type { Session } from 'electron';
import type { Probe, Problem } from './connection.ts';
import { VERSION_HEADER } from '../../../shared/wire/version.ts';
import { misfitOf } from './other-version.ts';
import { distrustNamed } from '../security/trust.ts';

const ANSWER_MS = 5_000;

export function networkProbe(session: Session): Probe {
  return async (address) => {
    try {
      const answer = await session.fetch(address.href, {
        redirect: 'manual',
        cache: 'no-store',
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      await answer.body?.cancel();
      if (!answer.ok) return { kind: 'refused', reason: `HTTP ${answer.status}` };
      return misfitOf(answer.headers.get(VERSION_HEADER));
    } catch (error) {
      return problemOf(error);
    }
  };
}

/** `net::ERR_CONNECTION_REFUSED` and the like, as a page load would report it. */
function problemOf(error: unknown): Problem {
  if (error instanceof Error && error.name === 'TimeoutError') return { kind: 'unreachable', reason: 'ERR_TIMED_OUT' };
  const text = String(error);
  const reason = /ERR_[A-Z0-9_]+/.exec(text)?.[0] ?? text;
  const distrust = distrustNamed(reason);
  if (distrust !== null) return { kind: 'untrusted', reason: distrust };
  // The only error that comes from an answer rather than from its absence.
  return { kind: reason === 'ERR_UNSAFE_REDIRECT' || /redirect/i.test(text) ? 'refused' : 'unreachable', reason };
}
