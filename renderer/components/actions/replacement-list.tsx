import { useEffect, useEffectEvent, useId, useRef, useState, type ReactNode } from 'react';
import { useTakesKeys } from '../../../shared/ui/keys/takes-keys.tsx';
import { useText } from '../../i18n/use-text.ts';
import classes from './actions.module.css';
import type { Place } from './replacements.ts';

/** The phrases for one hit (D213): arrows choose, Enter or a click puts one in its place, Escape closes. */
export function ReplacementList({
  place,
  onPick,
  onClose,
}: {
  place: Place;
  onPick: (phrase: string) => void;
  onClose: () => void;
}): ReactNode {
  const text = useText();
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  useTakesKeys('form', true);
  const press = useEffectEvent((event: KeyboardEvent) => {
    const moves: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
    const by = moves[event.key];
    const phrase = place.phrases[active];
    if (by !== undefined) setActive((active + by + place.phrases.length) % place.phrases.length);
    else if (event.key === 'Enter' && phrase !== undefined) onPick(phrase);
    else if (event.key === 'Escape') onClose();
    else return;
    // The form would be sent by Enter, and closed by Escape.
    event.preventDefault();
    event.stopPropagation();
  });
  // The form listens on its own element, which React's handlers come after.
  useEffect(() => {
    const element = list.current;
    const onKeyDown = (event: KeyboardEvent): void => press(event);
    element?.addEventListener('keydown', onKeyDown);
    element?.focus();
    return () => element?.removeEventListener('keydown', onKeyDown);
  }, []);

  return (
    <div className={classes['replacements']}>
      <p className={classes['label']}>
        {text('replacement.list', { matched: place.matched })} · {text('replacement.keys')}
      </p>
      <div
        ref={list}
        role="listbox"
        tabIndex={0}
        lang="ko"
        aria-label={text('replacement.list', { matched: place.matched })}
        aria-activedescendant={`${id}-${active}`}
        onBlur={onClose}
      >
        {place.phrases.map((phrase, index) => (
          <button
            key={phrase}
            type="button"
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            className={classes['replacement']}
            // Keeps the focus in the list, which closes without it.
            onMouseDown={(event) => event.preventDefault()}
            onMouseEnter={() => setActive(index)}
            onClick={() => onPick(phrase)}
          >
            {phrase}
          </button>
        ))}
      </div>
    </div>
  );
}
