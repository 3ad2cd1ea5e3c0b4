import { useSyncExternalStore } from 'react';

/** Too narrow for two panes; `frame.module.css` and the screens' style sheets use the same width. */
const NARROW = '(max-width: 55em)';

/** From here on evidence stands beside its text (`review.module.css`). */
const COLUMNS = '(min-width: 90em)';

/** Whether the window has room for only one pane, also because the page is enlarged. */
export const useIsNarrow = (): boolean => useFits(NARROW);

/** Whether an open item has two columns. */
export const useHasColumns = (): boolean => useFits(COLUMNS);

function useFits(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const watched = window.matchMedia(query);
      watched.addEventListener('change', listener);
      return () => watched.removeEventListener('change', listener);
    },
    () => window.matchMedia(query).matches,
  );
}
