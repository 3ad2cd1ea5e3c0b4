/**
 * A change whose answer was lost: it may have been made. It is never sent again by itself; the API is asked what has
 * become of it, for as long as it does not answer.
 */
import type { QueryClient } from '@tanstack/react-query';
import { AnswerLostError, UnreachableError, UnreadableAnswerError } from '../../../shared/ui/http/request.ts';

/** The API has been asked: the change did not reach it. */
export class NotTakenError extends Error {
  override name = 'NotTakenError';
}

/** The sentence for the time between. */
export class NotKnownYetError extends Error {
  override name = 'NotKnownYetError';
}

/** How long after one question the next follows while no answer comes, in ms. */
const AGAIN_MS = 1_500;

interface Asking<Answer> {
  send: () => Promise<Answer>;
  /** The outcome; null where nothing was done. */
  readBack: () => Promise<Answer | null>;
  /** The answer is lost, and the looking begins. */
  onLost: () => void;
}

/** @throws NotTakenError when the answer was lost and the API knows of no such change */
export async function sendOrReadBack<Answer>(
  client: QueryClient,
  { send, readBack, onLost }: Asking<Answer>,
): Promise<Answer> {
  try {
    return await send();
  } catch (error) {
    // A proxy between may have answered in place of the API.
    if (!(error instanceof AnswerLostError || error instanceof UnreadableAnswerError)) throw error;
    onLost();
    const found = await client.query({
      queryKey: ['lost-answer', crypto.randomUUID()],
      queryFn: async () => ({ answer: await readBack() }),
      retry: (_, why) => why instanceof UnreachableError || why instanceof UnreadableAnswerError,
      retryDelay: AGAIN_MS,
      gcTime: 0,
    });
    if (found.answer === null) throw new NotTakenError('The change did not reach the API.', { cause: error });
    return found.answer;
  }
}
