import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { useState } from 'react';
import { useNotify } from '../../../shared/ui/parts/notices.tsx';
import { refreshData } from '../../../shared/ui/session/session-queries.ts';
import { sendOrReadBack } from './lost-response.ts';
import { NOT_KNOWN_YET } from './change-error.tsx';

/**
 * A change made by one button. Success is announced once; success and refusal both refresh the data on screen, because
 * another user may have been faster.
 * @param done the announcement; null if the answer itself is shown
 * @param look reads the outcome after a lost answer, null for none; absent if the screen shows it anyway
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
  // Still in progress; its state is shown in place of an error.
  return isUnanswered ? ({ ...mutation, error: NOT_KNOWN_YET } as unknown as typeof mutation) : mutation;
}
