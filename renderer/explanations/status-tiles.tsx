import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Glyph } from '../../shared/ui/parts/glyphs.tsx';
import { NoValue } from '../../shared/ui/time/times.tsx';
import { EXPLANATION_STATUSES, type ExplanationStatus } from '../../shared/wire/console.ts';
import { useConsole } from '../api/console-context.tsx';
import { STATUS_LOOKS } from '../domain/status-badge.tsx';
import { useText } from '../i18n/use-text.ts';
import classes from './explanations.module.css';

export interface StatusTilesProps {
  selected: ExplanationStatus | null;
  onSelect: (status: ExplanationStatus | null) => void;
}

/** How many explanations are in each status; a tile narrows the list to it, and again gives all back. */
export function StatusTiles({ selected, onSelect }: StatusTilesProps): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  const counts = useQuery(queries.statusCounts).data;
  const total =
    counts === undefined ? undefined : EXPLANATION_STATUSES.reduce((sum, status) => sum + counts[status], 0);
  return (
    <div className={classes['tiles']} role="group" aria-label={text('board.tiles')}>
      <Tile isSelected={selected === null} onClick={() => onSelect(null)} label={text('board.all')} count={total} />
      {EXPLANATION_STATUSES.map((status) => (
        <Tile
          key={status}
          isSelected={selected === status}
          onClick={() => onSelect(selected === status ? null : status)}
          label={
            <span data-tone={STATUS_LOOKS[status].tone} className={classes['tileLabel']}>
              <Glyph name={STATUS_LOOKS[status].glyph} />
              {text(`status.${status}`)}
            </span>
          }
          count={counts?.[status]}
        />
      ))}
    </div>
  );
}

interface TileProps {
  isSelected: boolean;
  label: ReactNode;
  /** Undefined until it is known. */
  count: number | undefined;
  onClick: () => void;
}

function Tile({ isSelected, label, count, onClick }: TileProps): ReactNode {
  return (
    <button type="button" className={classes['tile']} aria-pressed={isSelected} onClick={onClick}>
      {label}
      <span className={classes['tileCount']}>{count === undefined ? <NoValue /> : count.toLocaleString('en-US')}</span>
    </button>
  );
}
