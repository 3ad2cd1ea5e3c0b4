import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSharedText } from '../i18n/use-text.ts';
import { EmptyState } from './data-state.tsx';
import type { FallbackProps } from './error-boundary.tsx';

/** Stands where a screen could not be drawn. */
export function CrashedScreen({ onRetry }: FallbackProps): ReactNode {
  const text = useSharedText();
  return (
    <EmptyState title={text('state.crashed.title')}>
      <p>{text('state.crashed.text')}</p>
      <Button variant="default" onClick={onRetry}>
        {text('state.retry')}
      </Button>
    </EmptyState>
  );
}
