import type { ReactNode } from 'react';
import classes from './badge.module.css';
import { Glyph, type GlyphName } from './glyphs.tsx';

export type Tone = 'good' | 'info' | 'wait' | 'bad' | 'stop' | 'neutral';

/** A state as a word, with a shape besides the colour. */
export function Badge({ tone, glyph, children }: { tone: Tone; glyph?: GlyphName; children: ReactNode }): ReactNode {
  return (
    <span className={classes['badge']} data-tone={tone}>
      {glyph !== undefined && <Glyph name={glyph} size={11} />}
      {children}
    </span>
  );
}

/** A short neutral label: a reason, a kind, a check. */
export function Tag({
  tone = 'neutral',
  glyph,
  children,
}: {
  tone?: Tone;
  glyph?: GlyphName;
  children: ReactNode;
}): ReactNode {
  return (
    <span className={classes['tag']} data-tone={tone}>
      {glyph !== undefined && <Glyph name={glyph} size={10} />}
      {children}
    </span>
  );
}
