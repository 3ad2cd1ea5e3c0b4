import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { isSessionLost } from '../../shared/ui/http/request.ts';
import { endSession, SESSION_KEY, type Session } from '../../shared/ui/session/session-queries.ts';
import { useConsole } from '../api/console-context.tsx';

const AGAIN_MS = 3_000;

/**
 * When nobody has used the computer for a while, the program ends the session by this page (D234): what is on screen goes
 * at once, unsent text stays for the same user, and the server ends the session as soon as it answers.
 */
export function ProgramLock(): null {
  const client = useQueryClient();
  const { api } = useConsole();
  useEffect(() => {
    window.causewayProgram?.onLock?.(() => {
      if (!isLoggedIn(client)) return;
      endSession(client, 'locked');
      void logOut(client, api.logout);
    });
  }, [client, api]);
  return null;
}

async function logOut(client: QueryClient, logout: () => Promise<unknown>): Promise<void> {
  try {
    await logout();
  } catch (error) {
    if (isSessionLost(error)) return;
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    // A later login is not ended by an earlier absence.
    if (!isLoggedIn(client)) await logOut(client, logout);
  }
}

function isLoggedIn(client: QueryClient): boolean {
  return (client.getQueryData<Session<unknown>>(SESSION_KEY)?.profile ?? null) !== null;
}
