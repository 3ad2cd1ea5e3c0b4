import { useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { useSharedText } from '../i18n/use-text.ts';
import classes from './evidence.module.css';
import type { setFormula as Loaded } from './set-formula.ts';

type Setter = typeof Loaded;

let loaded: Setter | null = null;

/**
 * A formula set by KaTeX, which loads with the first formula that can be seen: most reviews unfold none. Its source is
 * always available, and stands alone until it is set, or if it cannot be. Keyed by its source.
 */
export function Formula({ latex }: { latex: string }): ReactNode {
  const text = useSharedText();
  const place = useRef<HTMLDivElement>(null);
  // Once KaTeX is loaded, a formula renders together with its surroundings: one layout, one paint.
  const [isSet, setIsSet] = useState(loaded !== null);
  useLayoutEffect(() => {
    let isCurrent = true;
    const set = (setFormula: Setter): void => {
      if (isCurrent && place.current !== null) setIsSet(setFormula(latex, place.current));
    };
    const load = (): void => {
      import('./set-formula.ts').then(
        ({ setFormula }) => {
          loaded = setFormula;
          set(setFormula);
        },
        () => console.error('KaTeX did not come: formulas are shown as their source.'),
      );
    };
    const fold = place.current?.closest('details:not([open])') ?? null;
    if (loaded !== null) set(loaded);
    else if (fold === null) load();
    else fold.addEventListener('toggle', load, { once: true });
    return () => {
      isCurrent = false;
      fold?.removeEventListener('toggle', load);
    };
  }, [latex]);
  return (
    <div className={classes['formula']}>
      <div
        ref={place}
        hidden={!isSet}
        className={classes['scroll']}
        role="region"
        aria-label={text('evidence.formula')}
        tabIndex={0}
      />
      {isSet ? (
        <details>
          <summary>{text('evidence.formulaSource')}</summary>
          <code>{latex}</code>
        </details>
      ) : (
        <code>{latex}</code>
      )}
    </div>
  );
}
