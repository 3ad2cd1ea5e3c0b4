/** Draws a page once its words have come. */
import { firstWords } from './first-words.ts';
import type { I18n } from '@lingui/core';
import { StrictMode, type ComponentType } from 'react';
import { createRoot } from 'react-dom/client';

/** @throws TypeError where the page has no place for it */
export function startPage(App: ComponentType<{ i18n: I18n }>): void {
  const root = document.getElementById('root');
  if (root === null) throw new TypeError('index.html has no #root.');
  void firstWords.then(
    (i18n) =>
      createRoot(root).render(
        <StrictMode>
          <App i18n={i18n} />
        </StrictMode>,
      ),
    () => console.error('The words did not come: start.js loads the page again.'),
  );
}
