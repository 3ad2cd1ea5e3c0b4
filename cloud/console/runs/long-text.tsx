import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useText } from '../i18n/use-text.ts';
import classes from './long-text.module.css';

/**
 * A message or a title in two lines, with "more" where it is longer: one failure hides no other. Its line ends are kept.
 */
export function LongText({ children, lang }: { children: ReactNode; lang?: 'ko' }): ReactNode {
  const text = useText();
  const place = useRef<HTMLSpanElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [isCut, setCut] = useState(false);
  useEffect(() => {
    const element = place.current;
    if (element === null || isOpen) return undefined;
    // Whether two lines suffice depends on the width, which changes with the window.
    const observer = new ResizeObserver(() => setCut(element.scrollHeight > element.clientHeight + 1));
    observer.observe(element);
    return () => observer.disconnect();
  }, [isOpen, children]);
  return (
    <span className={classes['long']}>
      <span ref={place} className={classes['text']} data-open={isOpen || undefined} lang={lang}>
        {children}
      </span>
      {(isCut || isOpen) && (
        <button type="button" className={classes['more']} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {text(isOpen ? 'long.less' : 'long.more')}
        </button>
      )}
    </span>
  );
}
