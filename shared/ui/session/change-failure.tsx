import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore, type ReactNode } from 'react';
import { AnswerLostError, NotSentError, UnansweredChangeError } from '../http/request.ts';
import { useSharedText } from '../i18n/use-text.ts';
import { SESSION_KEY } from './session-queries.ts';
import type { Tone } from '../parts/badge.tsx';
import { useErrorText } from '../parts/data-state.tsx';
import { Glyph } from '../parts/glyphs.tsx';

/** Whether the API has answered again since a change got no answer. */
export function useIsBack(error: unknown): boolean {
  const client = useQueryClient();
  const answeredAt = useSyncExternalStore(
    useCallback((listener: () => void) => client.getQueryCache().subscribe(listener), [client]),
    () => client.getQueryState(SESSION_KEY)?.dataUpdatedAt ?? 0,
  );
  return error instanceof UnansweredChangeError && answeredAt > error.at;
}

/**
 * The reason why a change was not made, or that its outcome is unknown: a failure until the connection is back, then a
 * remark.
 */
export function useFailureWords(): (error: unknown, isBack: boolean) => string {
  const text = useSharedText();
  const describe = useErrorText();
  return (error, isBack) => {
    if (!isBack) return describe(error);
    return text(error instanceof NotSentError ? 'state.error.notSent.back' : 'state.error.answerLost.back');
  };
}

/** The note under a form whose change failed. */
export function ChangeFailure({
  error,
  className,
  before,
  words,
}: {
  error: Error;
  className: string | undefined;
  /** Says first that the change was not made, if that is known. */
  before?: string;
  /** This form's own words for the error; absent for the general ones. */
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
