import { useEffectEvent, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { capOf } from '../../../shared/ui/keys/chosen-keys.ts';
import { useKeyRest } from '../../../shared/ui/keys/takes-keys.tsx';
import { useShortcuts } from '../../../shared/ui/keys/use-shortcuts.ts';
import { useSwitch } from '../../../shared/ui/theme/preferences.ts';
import { useText } from '../../i18n/use-text.ts';
import { useKeys } from '../../screens/review/item/use-keys.ts';
import classes from './go-to.module.css';
import type { Screen } from './screens.ts';

const MODIFIERS = new Set(['Shift', 'Control', 'Alt', 'Meta', 'AltGraph']);

/**
 * The keys of every screen: `/` goes to its search, `G` waits for the letter of another screen, which it lists. A key
 * that is no such letter ends the waiting and acts as it does without it.
 */
export function GoTo({ screens }: { screens: readonly Pick<Screen, 'href' | 'label' | 'code'>[] }): ReactNode {
  const text = useText();
  const [, navigate] = useLocation();
  const { shortcuts } = useKeys();
  const rest = useKeyRest();
  const [isWaiting, setIsWaiting] = useState(false);
  const [isWide, setIsWide] = useSwitch('wide-navigation');
  const close = useRef<(() => void) | null>(null);
  useShortcuts(shortcuts.anywhere, true, (key) => {
    if (key === 'go') setIsWaiting(true);
    else if (key === 'fold') setIsWide(!isWide);
    else searchField()?.focus();
  });
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (MODIFIERS.has(event.key)) return;
    // At once, so that another key finds the keys awake.
    close.current?.();
    setIsWaiting(false);
    const isPlain = !event.ctrlKey && !event.altKey && !event.metaKey && !event.repeat;
    const screen = isPlain ? screens.find(({ code }) => code === event.code) : undefined;
    if (screen === undefined && event.key !== 'Escape') return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (screen !== undefined) navigate(screen.href);
  });
  const onPress = useEffectEvent(() => setIsWaiting(false));
  useLayoutEffect(() => {
    if (!isWaiting) return;
    close.current = rest.open('dialog');
    const listening = new AbortController();
    const options = { capture: true, signal: listening.signal };
    window.addEventListener('keydown', onKeyDown, options);
    window.addEventListener('pointerdown', onPress, options);
    return () => {
      close.current?.();
      listening.abort();
    };
  }, [isWaiting, rest]);
  return (
    <div role="status">
      {isWaiting && (
        <div className={classes['strip']} data-go>
          <span>{text('goTo.title')}</span>
          {screens.map(({ href, label, code }) => (
            <span key={href}>
              <kbd>{capOf(code)}</kbd> {text(label)}
            </span>
          ))}
        </div>
      )}
    </div>
  );
}

/** The first search field of the screen that is in view. */
function searchField(): HTMLElement | undefined {
  return [...document.querySelectorAll<HTMLElement>('main input[type=search]')].find((one) => one.checkVisibility());
}
