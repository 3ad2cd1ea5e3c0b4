import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore, type ReactNode } from 'react';
import { AnswerLostError, NotSentError, UnansweredChangeError } from '../http/request.ts';
import { useSharedText } from '../i18n/use-text.ts';
import { SESSION_KEY } from './session-queries.ts';
import type { Tone } from '../parts/badge.tsx';
import { useErrorText } from '../parts/data-state.tsx';
import { Glyph } from '../parts/glyphs.tsx';

/** Whether the API has answered since a change stayed without an answer. */
export function useIsBack(error: unknown): boolean {
  const client = useQueryClient();
  const answeredAt = useSyncExternalStore(
    useCallback((listener: () => void) => client.getQueryCache().subscribe(listener), [client]),
    () => client.getQueryState(SESSION_KEY)?.dataUpdatedAt ?? 0,
  );
  return error instanceof UnansweredChangeError && answeredAt > error.at;
}

/** Why a change was not made, or that nobody knows: a failure until the connection is back, a remark from then on. */
export function useFailureWords(): (error: unknown, isBack: boolean) => string {
  const text = useSharedText();
  const describe = useErrorText();
  return (error, isBack) => {
    if (!isBack) return describe(error);
    return text(error instanceof NotSentError ? 'state.error.notSent.back' : 'state.error.answerLost.back');
  };
}

/** The note under a form whose change was not made. */
export function ChangeFailure({
  error,
  className,
  before,
  words,
}: {
  error: Error;
  className: string | undefined;
  /** That it was not done, said first where that is known. */
  before?: string;
  /** The meaning of this error here; absent where it has none of its own. */
  words?: string | undefined;
}): ReactNode {
  const isBack = useIsBack(error);
  const say = useFailureWords();
  const tone: Tone = isBack ? 'info' : 'bad';
  return (
    <p className={className} data-tone={tone} role={isBack ? 'status' : 'alert'}>
      <Glyph name={isBack ? 'waiting' : 'warning'} />{' '}
      {isBack || before === undefined || error instanceof AnswerLostError ? null : `${before} `}
      {words ?? say(error, isBack)}
    </p>
  );
}
