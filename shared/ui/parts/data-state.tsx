/** The states of a place without content: loading, empty, failed. */
import { Button, Loader } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import {
  ApiProblem,
  NotSentError,
  SilentError,
  UnansweredChangeError,
  UnreachableError,
  UnreadableAnswerError,
} from '../http/request.ts';
import { useSharedText } from '../i18n/use-text.ts';
import classes from './data-state.module.css';
import { Glyph } from './glyphs.tsx';

/** Waits longer than this are shown as slow. */
const SLOW_MS = 3_000;

export function LoadingState(): ReactNode {
  const text = useSharedText();
  const [isSlow, setIsSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsSlow(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={classes['state']} role="status">
      <Loader size="sm" aria-hidden="true" />
      <p>{text(isSlow ? 'state.slow' : 'state.loading')}</p>
    </div>
  );
}

export interface EmptyStateProps {
  title: string;
  /** Set where the title is the only heading of the screen. */
  isScreen?: boolean;
  children?: ReactNode;
}

export function EmptyState({ title, isScreen = false, children }: EmptyStateProps): ReactNode {
  const Title = isScreen ? 'h1' : 'p';
  return (
    <div className={classes['state']}>
      <Title className={classes['title']}>{title}</Title>
      {children}
    </div>
  );
}

export interface ErrorStateProps {
  error: unknown;
  onRetry?: () => void;
  /** The screen's own words for an answer, or null for the general ones. */
  wordsFor?: ((problem: ApiProblem) => string | null) | undefined;
}

export function ErrorState({ error, onRetry, wordsFor }: ErrorStateProps): ReactNode {
  const text = useSharedText();
  const describe = useErrorText();
  const requestId = requestIdOf(error);
  const own = error instanceof ApiProblem ? (wordsFor?.(error) ?? null) : null;
  return (
    <div className={classes['state']} role="alert">
      <p className={classes['title']} data-tone="bad">
        <Glyph name="warning" size={14} /> {text('state.error.title')}
      </p>
      <p>{own ?? describe(error)}</p>
      {requestId !== null && <p className={classes['id']}>{text('state.error.requestId', { id: requestId })}</p>}
      {onRetry !== undefined && (
        <Button variant="default" onClick={onRetry}>
          {text('state.retry')}
        </Button>
      )}
    </div>
  );
}

/** Renders a query's data, or its loading, empty or failed state. Data that could not be refreshed stays visible. */
export function Loaded<T>({
  query,
  wordsFor,
  children,
}: {
  query: UseQueryResult<T>;
  wordsFor?: ErrorStateProps['wordsFor'];
  children: (data: T) => ReactNode;
}): ReactNode {
  if (query.data !== undefined) return children(query.data);
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} wordsFor={wordsFor} />;
  return <LoadingState />;
}

/** Explains an error to the user. */
export function useErrorText(): (error: unknown) => string {
  const text = useSharedText();
  return (error) => {
    if (error instanceof SilentError) return text('state.error.silent');
    if (error instanceof UnreachableError) return text('state.error.unreachable');
    if (error instanceof UnansweredChangeError)
      return text(error instanceof NotSentError ? 'state.error.notSent' : 'state.error.answerLost');
    if (error instanceof UnreadableAnswerError) return text('state.error.unreadable');
    if (!(error instanceof ApiProblem)) throw error;
    switch (error.status) {
      case 403:
        return text('state.error.forbidden');
      case 404:
        return text('state.error.missing');
      case 429:
        return text('state.error.limited');
      case 503:
        return text('state.error.notReady');
      default:
        return error.status >= 500
          ? text('state.error.server')
          : text('state.error.refused', { message: error.message });
    }
  };
}

function requestIdOf(error: unknown): string | null {
  return error instanceof ApiProblem || error instanceof UnreadableAnswerError ? error.requestId : null;
}
