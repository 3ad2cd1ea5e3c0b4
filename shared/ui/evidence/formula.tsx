import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useSharedText } from '../i18n/use-text.ts';
import classes from './evidence.module.css';

/**
 * A formula, set by KaTeX, which is loaded when the first one is drawn. Its source is always at
 * hand, and stands alone where it cannot be set.
 */
export function Formula({ latex }: { latex: string }): ReactNode {
  const text = useSharedText();
  const place = useRef<HTMLDivElement>(null);
  const [isSet, setIsSet] = useState(false);
  useEffect(() => {
    let isCurrent = true;
    void import('./set-formula.ts').then(({ setFormula }) => {
      if (isCurrent && place.current !== null) setIsSet(setFormula(latex, place.current));
    });
    return () => {
      isCurrent = false;
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
      <details open={!isSet}>
        <summary>{text('evidence.formulaSource')}</summary>
        <code>{latex}</code>
      </details>
    </div>
  );
}
