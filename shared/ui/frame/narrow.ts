import { useSyncExternalStore } from 'react';

/** Too narrow for two panes; `frame.module.css` and the screens' style sheets use the same width. */
const NARROW = '(max-width: 55em)';

function subscribe(listener: () => void): () => void {
  const query = window.matchMedia(NARROW);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

/** Whether the window has room for only one pane, also because the page is enlarged. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => window.matchMedia(NARROW).matches);
}
