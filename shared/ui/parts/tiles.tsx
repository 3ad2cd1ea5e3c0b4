import type { ReactNode } from 'react';
import { NoValue } from '../time/times.tsx';
import type { Tone } from './badge.tsx';
import { Glyph, type GlyphName } from './glyphs.tsx';
import classes from './tiles.module.css';

/** The class of a grid with rows of equal length. */
export const EVEN = classes['even'] ?? '';

/** Counts that filter the list below them when pressed. */
export function Tiles({ label, children }: { label: string; children: ReactNode }): ReactNode {
  return (
    <div data-tiles className={`${EVEN} ${classes['tiles']}`} role="group" aria-label={label}>
      {children}
    </div>
  );
}

export interface TileProps {
  isSelected: boolean;
  look?: { tone: Tone; glyph: GlyphName };
  label: ReactNode;
  /** Undefined while unknown. */
  count: number | undefined;
  /** Whether there are more than the count. */
  isMore?: boolean;
  /** Below the count: the measure behind it. */
  note?: ReactNode;
  onClick: () => void;
}

export function Tile({ isSelected, look, label, count, isMore = false, note, onClick }: TileProps): ReactNode {
  return (
    <button type="button" className={classes['tile']} aria-pressed={isSelected} onClick={onClick}>
      {look === undefined ? (
        label
      ) : (
        <span data-tone={look.tone} className={classes['label']}>
          <Glyph name={look.glyph} />
          {label}
        </span>
      )}
      <span className={classes['count']}>
        {count === undefined ? <NoValue /> : `${count.toLocaleString('en-US')}${isMore ? '+' : ''}`}
      </span>
      {note !== undefined && <span className={classes['note']}>{note}</span>}
    </button>
  );
}
