import { firstWords } from '../shared/ui/app/first-words.ts';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';

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
