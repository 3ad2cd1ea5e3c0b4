import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { ANSWER_MS } from '../http/request.ts';
import { useSharedText } from '../i18n/use-text.ts';
import { EmptyState } from './data-state.tsx';
import type { FallbackProps } from './error-boundary.tsx';

/** Loads the page again with its files from the server: one that came broken would stay so in the browser's cache. */
async function loadAnew(): Promise<void> {
  const links = document.querySelectorAll<HTMLLinkElement>('link[rel=modulepreload]');
  const signal = AbortSignal.timeout(ANSWER_MS);
  // To the end of each body, which the reload would cut.
  const fetchWhole = async (href: string): Promise<ArrayBuffer> =>
    (await fetch(href, { cache: 'reload', signal })).arrayBuffer();
  await Promise.allSettled([...links].map(({ href }) => fetchWhole(href)));
  window.location.reload();
}

/** Replaces a screen that failed to render. A missing build file is not requested again before the page reloads. */
export function CrashedScreen({ onRetry, lacksFile }: FallbackProps): ReactNode {
  const text = useSharedText();
  const [isLoading, setLoading] = useState(false);
  const loadAgain = (): void => {
    setLoading(true);
    void loadAnew();
  };
  return (
    <EmptyState isScreen title={text(lacksFile ? 'state.lacksFile.title' : 'state.crashed.title')}>
      <p>{text(lacksFile ? 'state.lacksFile.text' : 'state.crashed.text')}</p>
      <Button variant="default" loading={isLoading} onClick={lacksFile ? loadAgain : onRetry}>
        {text(lacksFile ? 'state.reload' : 'state.retry')}
      </Button>
    </EmptyState>
  );
}
