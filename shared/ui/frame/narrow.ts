import { useSyncExternalStore } from 'react';

/** Too narrow for two panes; `frame.module.css` and the screens' style sheets say the same. */
const NARROW = '(max-width: 55em)';

function subscribe(listener: () => void): () => void {
  const query = window.matchMedia(NARROW);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

/** Whether there is room for one pane alone, also because the page is enlarged. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => window.matchMedia(NARROW).matches);
}
