import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSharedText } from '../i18n/use-text.ts';
import { EmptyState } from './data-state.tsx';
import type { FallbackProps } from './error-boundary.tsx';

/** Loads the page again with its files from the server: one that came broken would stay so in the browser's cache. */
async function loadAnew(): Promise<void> {
  const links = document.querySelectorAll<HTMLLinkElement>('link[rel=modulepreload]');
  await Promise.allSettled([...links].map(({ href }) => fetch(href, { cache: 'reload' })));
  window.location.reload();
}

/** Replaces a screen that failed to render. A missing build file is not requested again before the page reloads. */
export function CrashedScreen({ onRetry, lacksFile }: FallbackProps): ReactNode {
  const text = useSharedText();
  return (
    <EmptyState isScreen title={text(lacksFile ? 'state.lacksFile.title' : 'state.crashed.title')}>
      <p>{text(lacksFile ? 'state.lacksFile.text' : 'state.crashed.text')}</p>
      <Button variant="default" onClick={lacksFile ? () => void loadAnew() : onRetry}>
        {text(lacksFile ? 'state.reload' : 'state.retry')}
      </Button>
    </EmptyState>
  );
}
