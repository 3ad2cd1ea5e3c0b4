import { useEffect, useEffectEvent } from 'react';
import { actionOf, type Shortcut } from './shortcuts.ts';

/**
 * Listens for shortcuts on the whole window while `enabled`. The handler always sees the newest
 * state; nothing is re-registered when it changes, so keys never stop working after a while.
 */
export function useShortcuts<Action extends string>(
  shortcuts: readonly Shortcut<Action>[],
  enabled: boolean,
  handle: (action: Action) => void,
): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement : null;
    const action = actionOf(event, focused, shortcuts);
    if (action === null) return;
    event.preventDefault();
    handle(action);
  });
  useEffect(() => {
    if (!enabled) return;
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [enabled]);
}
