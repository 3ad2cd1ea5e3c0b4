import { Button, CloseButton } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { EmptyState, ErrorState, LoadingState } from '../../../../shared/ui/parts/data-state.tsx';
import { Glyph } from '../../../../shared/ui/parts/glyphs.tsx';
import { ApiProblem } from '../../../../shared/ui/http/request.ts';
import { useSharedText } from '../../../../shared/ui/i18n/use-text.ts';
import { useText } from '../../i18n/use-text.ts';
import classes from './values/facts.module.css';

/** The server has refused the day: no day, or one to come. */
export const isWrongDate = (error: unknown): boolean => error instanceof ApiProblem && error.code === 'FACTS4001';

export interface WrongDateProps {
  date: string;
  wayOut: string;
  onOut: () => void;
}

export function WrongDate({ date, wayOut, onOut }: WrongDateProps): ReactNode {
  const text = useText();
  return (
    <div role="alert">
      <EmptyState title={text('facts.wrongDate', { date })}>
        <p>{text('facts.wrongDate.why')}</p>
        <Button variant="default" onClick={onOut}>
          {wayOut}
        </Button>
      </EmptyState>
    </div>
  );
}

/** The comparison day is missing: not read yet, or unreadable. The day in view stays. */
export function NoAgainst({
  query,
  date,
  onClear,
}: {
  query: UseQueryResult;
  date: string;
  onClear: () => void;
}): ReactNode {
  const text = useText();
  if (isWrongDate(query.error)) return <WrongDate date={date} wayOut={text('facts.against.clear')} onOut={onClear} />;
  return query.isError ? <ErrorState error={query.error} onRetry={() => void query.refetch()} /> : <LoadingState />;
}

/** The address names a file that this page has not opened. */
export function MissingFile({ name }: { name: string }): ReactNode {
  const text = useText();
  return <EmptyState title={text('facts.replay.missing', { name })} />;
}

/** A file that could not be opened; the previous view stays. */
export function Alert({ children, onClose }: { children: ReactNode; onClose: () => void }): ReactNode {
  const text = useSharedText();
  return (
    <div className={classes['alert']} data-tone="bad" role="alert">
      <Glyph name="warning" />
      <span>{children}</span>
      <CloseButton aria-label={text('notice.close')} onClick={onClose} />
    </div>
  );
}
