import { useEffectEvent, useLayoutEffect } from 'react';
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
    if (rest === 'all' || (shortcut.decides === true && rest === 'decisions')) return;
    event.preventDefault();
    if (shortcut.sends === true) {
      if (keys.hasJustSent(event.code)) return;
      keys.sent(event.code);
    }
    handle(shortcut.action);
  });
  // Before the paint: the first key after it acts on the item that it shows.
  useLayoutEffect(() => {
    if (!enabled) return;
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [enabled]);
}
