import { useEffectEvent, useLayoutEffect } from 'react';
import type { Act } from './key-rest.ts';
import { shortcutOf, type Shortcut } from './shortcuts.ts';
import { useSwitch } from '../theme/preferences.ts';
import { focusedNow, useKeyRest } from './takes-keys.tsx';

/**
 * Listens for shortcuts on the whole window while `enabled`, and offers their actions to the palette. The handler
 * always sees the newest state without being registered again, so that no key press is lost. A person who has turned
 * shortcuts off has the palette alone.
 */
export function useShortcuts<Action extends string>(
  shortcuts: readonly Shortcut<Action>[],
  enabled: boolean,
  handle: (action: Action) => void,
): void {
  const keys = useKeyRest();
  const [isOn] = useSwitch('shortcuts');
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    const shortcut = isOn ? shortcutOf(event, focusedNow(), shortcuts) : null;
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
  const run = useEffectEvent(handle);
  const actsNow = useEffectEvent((): Act[] =>
    shortcuts.map(({ action, codes, decides = false }) => ({
      action,
      code: codes[0] ?? '',
      decides,
      run: () => run(action),
    })),
  );
  // Before the paint: the first key after it acts on the item that it shows.
  useLayoutEffect(() => {
    if (!enabled) return;
    const takeBack = keys.offer(() => actsNow());
    window.addEventListener('keydown', onKeyDown);
    return () => {
      takeBack();
      window.removeEventListener('keydown', onKeyDown);
    };
  }, [enabled, keys]);
}
