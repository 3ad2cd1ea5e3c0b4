import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { useNotify } from '../../shared/ui/parts/notices.tsx';
import { refreshData } from '../../shared/ui/session/session-queries.ts';

/**
 * A change that one button makes. Done, it is said once and what is on screen is read anew; refused, what
 * is on screen is read anew too, because somebody else may have been faster.
 * @param done what is said of it; null where the answer itself is shown
 */
export function useChange<Asked, Answer = unknown>(
  change: (asked: Asked) => Promise<Answer>,
  done: string | null,
  onDone?: () => void,
): UseMutationResult<Answer, Error, Asked> {
  const client = useQueryClient();
  const notify = useNotify();
  return useMutation({
    mutationFn: change,
    onSuccess: () => {
      if (done !== null) notify({ tone: 'good', glyph: 'tick', message: done });
      onDone?.();
    },
    onSettled: () => refreshData(client),
  });
}
