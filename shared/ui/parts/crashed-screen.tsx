import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSharedText } from '../i18n/use-text.ts';
import { EmptyState } from './data-state.tsx';
import type { FallbackProps } from './error-boundary.tsx';

/** Replaces a screen that failed to render. A missing build file is not requested again before the page reloads. */
export function CrashedScreen({ onRetry, lacksFile }: FallbackProps): ReactNode {
  const text = useSharedText();
  return (
    <EmptyState isScreen title={text(lacksFile ? 'state.lacksFile.title' : 'state.crashed.title')}>
      <p>{text(lacksFile ? 'state.lacksFile.text' : 'state.crashed.text')}</p>
      <Button variant="default" onClick={lacksFile ? () => window.location.reload() : onRetry}>
        {text(lacksFile ? 'state.reload' : 'state.retry')}
      </Button>
    </EmptyState>
  );
}
