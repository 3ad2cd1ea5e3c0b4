import { useQueryClient } from '@tanstack/react-query';
import { isSessionLost } from '../http/request.ts';
import { useSharedText } from '../i18n/use-text.ts';
import { useErrorText } from '../parts/data-state.tsx';
import { useNotify } from '../parts/notices.tsx';
import { endSession } from './session-queries.ts';

/** Logs out on the server and then here. @param clear removes further data of this user from the window */
export function useLogOut(logout: () => Promise<unknown>, clear?: () => void): () => Promise<void> {
  const text = useSharedText();
  const notify = useNotify();
  const describe = useErrorText();
  const client = useQueryClient();
  return async () => {
    try {
      await logout();
    } catch (error) {
      if (!isSessionLost(error)) {
        // The user is still logged in on the server, so the screen must not claim otherwise.
        notify({ tone: 'bad', glyph: 'warning', message: `${text('logout.failed')} ${describe(error)}` });
        return;
      }
    }
    clear?.();
    // The next user to log in must not see this user's notices.
    notify(null);
    endSession(client, 'loggedOut');
  };
}
