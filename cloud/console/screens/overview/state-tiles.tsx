import type { ReactNode } from 'react';
import { Tile, Tiles } from '../../../../shared/ui/parts/tiles.tsx';
import { OPERATIONAL_STATES, type OperationalState } from '../../../../shared/wire/operator/operator.ts';
import { useText } from '../../i18n/use-text.ts';
import { STATE_LOOKS } from '../../runs/run-badges.tsx';

/** What needs somebody comes first. */
const ORDER = ['BLOCKED', 'DEGRADED', 'UNKNOWN', 'IN_PROGRESS', 'READY'] as const satisfies OperationalState[];

export interface StateTilesProps {
  /** Undefined until it is known. */
  counts: Readonly<Record<OperationalState, number>> | undefined;
  selected: OperationalState | null;
  onSelect: (state: OperationalState | null) => void;
}

/** How many lanes are in each state; a tile shows these alone, and again all. */
export function StateTiles({ counts, selected, onSelect }: StateTilesProps): ReactNode {
  const text = useText();
  return (
    <Tiles label={text('overview.tiles')}>
      <Tile
        isSelected={selected === null}
        label={text('overview.all')}
        count={counts === undefined ? undefined : OPERATIONAL_STATES.reduce((sum, state) => sum + counts[state], 0)}
        onClick={() => onSelect(null)}
      />
      {ORDER.map((state) => (
        <Tile
          key={state}
          isSelected={selected === state}
          look={STATE_LOOKS[state]}
          label={text(`state.${state}`)}
          count={counts?.[state]}
          onClick={() => onSelect(selected === state ? null : state)}
        />
      ))}
    </Tiles>
  );
}
