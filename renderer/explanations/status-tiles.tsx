import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Tile, Tiles } from '../../shared/ui/parts/tiles.tsx';
import { EXPLANATION_STATUSES, type ExplanationStatus } from '../../shared/wire/console.ts';
import { useConsole } from '../api/console-context.tsx';
import { STATUS_LOOKS } from '../domain/status-badge.tsx';
import { useText } from '../i18n/use-text.ts';

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
    <Tiles label={text('board.tiles')}>
      <Tile isSelected={selected === null} onClick={() => onSelect(null)} label={text('board.all')} count={total} />
      {EXPLANATION_STATUSES.map((status) => (
        <Tile
          key={status}
          isSelected={selected === status}
          onClick={() => onSelect(selected === status ? null : status)}
          look={STATUS_LOOKS[status]}
          label={text(`status.${status}`)}
          count={counts?.[status]}
        />
      ))}
    </Tiles>
  );
}
