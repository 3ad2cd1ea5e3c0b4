import type { ReactNode } from 'react';
import { Tile, Tiles } from '../../../../shared/ui/parts/tiles.tsx';
import { useText } from '../../i18n/use-text.ts';
import { IDLE_LOOK, SILENT_LOOK, STATE_LOOKS } from '../../runs/run-badges.tsx';
import { LANE_STATUSES, type LaneStatus } from './overview-filter.ts';

export interface StateTilesProps {
  /** Undefined until it is known. */
  counts: Readonly<Record<LaneStatus, number>> | undefined;
  selected: LaneStatus | null;
  onSelect: (state: LaneStatus | null) => void;
}

/** The number of lanes by the worst state of their day; a tile filters by its state, and a second click shows all. */
export function StateTiles({ counts, selected, onSelect }: StateTilesProps): ReactNode {
  const text = useText();
  return (
    <Tiles label={text('overview.tiles')}>
      <Tile
        isSelected={selected === null}
        label={text('overview.all')}
        count={counts === undefined ? undefined : LANE_STATUSES.reduce((sum, state) => sum + counts[state], 0)}
        onClick={() => onSelect(null)}
      />
      {LANE_STATUSES.map((state) => (
        <Tile
          key={state}
          isSelected={selected === state}
          look={state === 'IDLE' ? IDLE_LOOK : state === 'SILENT' ? SILENT_LOOK : STATE_LOOKS[state]}
          label={text(`state.${state}`)}
          count={counts?.[state]}
          onClick={() => onSelect(selected === state ? null : state)}
        />
      ))}
    </Tiles>
  );
}
