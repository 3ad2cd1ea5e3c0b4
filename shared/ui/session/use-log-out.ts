import { useQueryClient } from '@tanstack/react-query';
import { isSessionLost } from '../http/request.ts';
import { useSharedText } from '../i18n/use-text.ts';
import { useErrorText } from '../parts/data-state.tsx';
import { useNotify } from '../parts/notices.tsx';
import { endSession } from './session-queries.ts';

/** Logs out on the server and then here. @param clear what else this person leaves behind in this window */
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
        // Still logged in on the server: to say otherwise would be wrong.
        notify({ tone: 'bad', glyph: 'warning', message: `${text('logout.failed')} ${describe(error)}` });
        return;
      }
    }
    clear?.();
    // One person's work is not for the eyes of the next who logs in.
    notify(null);
    endSession(client, 'loggedOut');
  };
}
