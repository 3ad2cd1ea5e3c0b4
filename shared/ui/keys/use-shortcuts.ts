import { useEffect, useEffectEvent } from 'react';
import { shortcutOf, type Shortcut } from './shortcuts.ts';
import { focusedNow, useKeyRest } from './takes-keys.tsx';

/**
 * Listens for shortcuts on the whole window while `enabled`. The handler always sees the newest state without being
 * registered again, so that no key press is lost.
 */
export function useShortcuts<Action extends string>(
  shortcuts: readonly Shortcut<Action>[],
  enabled: boolean,
  handle: (action: Action) => void,
): void {
  const keys = useKeyRest();
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    const shortcut = shortcutOf(event, focusedNow(), shortcuts);
    if (shortcut === null) return;
    const rest = keys.rest();
    if (rest === 'all') return;
    if (shortcut.decides === true && rest === 'decisions') {
      // A user may still be typing into the place that has closed.
      keys.prolong();
      return;
    }
    event.preventDefault();
    handle(shortcut.action);
  });
  useEffect(() => {
    if (!enabled) return;
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [enabled]);
}
