/**
 * A change whose answer was lost may have been made. It is never sent again automatically; the API is asked for the
 * outcome until it answers.
 */
import type { QueryClient } from '@tanstack/react-query';
import { AnswerLostError, UnreachableError, UnreadableAnswerError } from '../../../shared/ui/http/request.ts';

/** The API has been asked: it did not receive the change. */
export class NotTakenError extends Error {
  override name = 'NotTakenError';
}

/** The outcome is not known yet. */
export class NotKnownYetError extends Error {
  override name = 'NotKnownYetError';
}

/** Pause between two such requests while no answer comes, in ms. */
const AGAIN_MS = 1_500;

interface Asking<Answer> {
  send: () => Promise<Answer>;
  /** The outcome; null if nothing was done. */
  readBack: () => Promise<Answer | null>;
  /** Called when the answer is lost and the look-up begins. */
  onLost: () => void;
}

/** @throws NotTakenError when the answer was lost and the API has no such change */
export async function sendOrReadBack<Answer>(
  client: QueryClient,
  { send, readBack, onLost }: Asking<Answer>,
): Promise<Answer> {
  try {
    return await send();
  } catch (error) {
    // A proxy in between may have answered instead of the API.
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
