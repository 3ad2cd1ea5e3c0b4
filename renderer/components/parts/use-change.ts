import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { useState } from 'react';
import { useNotify } from '../../../shared/ui/parts/notices.tsx';
import { refreshData } from '../../../shared/ui/session/session-queries.ts';
import { sendOrReadBack } from './lost-response.ts';
import { NOT_KNOWN_YET } from './change-error.tsx';

/**
 * A change that one button makes. Done, it is said once and what is on screen is read anew; refused, what
 * is on screen is read anew too, because somebody else may have been faster.
 * @param done what is said of it; null where the answer itself is shown
 * @param readBack reads what has become of it where its answer was lost, null for nothing; absent where the screen alone tells
 */
export function useChange<Asked, Answer = unknown>(
  change: (asked: Asked) => Promise<Answer>,
  done: string | null,
  onDone?: () => void,
  readBack?: (asked: Asked) => Promise<Answer | null>,
): UseMutationResult<Answer, Error, Asked> {
  const client = useQueryClient();
  const notify = useNotify();
  const [isUnanswered, setIsUnanswered] = useState(false);
  const mutation = useMutation<Answer, Error, Asked>({
    mutationFn: (asked) =>
      readBack === undefined
        ? change(asked)
        : sendOrReadBack(client, {
            send: () => change(asked),
            readBack: () => readBack(asked),
            onLost: () => setIsUnanswered(true),
          }),
    onSuccess: () => {
      if (done !== null) notify({ tone: 'good', glyph: 'tick', message: done });
      onDone?.();
    },
    onSettled: () => {
      setIsUnanswered(false);
      return refreshData(client);
    },
  });
  // It is still on its way; what there is to say of it stands where its error would.
  return isUnanswered ? ({ ...mutation, error: NOT_KNOWN_YET } as unknown as typeof mutation) : mutation;
}
