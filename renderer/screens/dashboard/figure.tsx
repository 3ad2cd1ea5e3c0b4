import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Glyph, type GlyphName } from '../../../shared/ui/parts/glyphs.tsx';
import { NoValue } from '../../../shared/ui/time/times.tsx';
import classes from './dashboard.module.css';

export interface FigureProps {
  /** The list that it counts. */
  href: string;
  name: string;
  /** Undefined: unknown, or there is none. */
  value: string | undefined;
  note: ReactNode;
  /** It calls for somebody. */
  isUrgent?: boolean;
  glyph?: GlyphName;
}

/** A number with its name and a note, linked to the list behind it. */
export function Figure({ href, name, value, note, isUrgent = false, glyph }: FigureProps): ReactNode {
  const parts = (
    <>
      <span className={classes['tileName']} data-tone={isUrgent ? 'bad' : undefined}>
        {glyph !== undefined && <Glyph name={glyph} />} {name}
      </span>
      <span className={classes['number']}>{value ?? <NoValue />}</span>
      <span className={classes['share']}>{note}</span>
    </>
  );
  // Within the page the browser itself moves.
  if (href.startsWith('#'))
    return (
      <a href={href} className={classes['tile']}>
        {parts}
      </a>
    );
  return (
    <Link href={href} className={classes['tile'] ?? ''}>
      {parts}
    </Link>
  );
}
