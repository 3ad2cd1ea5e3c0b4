import { useQueries, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Tile, Tiles } from '../../../shared/ui/parts/tiles.tsx';
import { EXPLANATION_STATUSES, type ExplanationStatus } from '../../../shared/wire/console/console.ts';
import { useConsole } from '../../api/console-context.tsx';
import { STATUS_LOOKS } from '../../components/domain/status-badge.tsx';
import { useText } from '../../i18n/use-text.ts';
import { queryOf, isNarrowed, type BoardFilter } from './board-filter.ts';

export interface StatusTilesProps {
  filter: BoardFilter;
  onSelect: (status: ExplanationStatus | null) => void;
}

/** The list of each tile, queried for its total only. */
const TILES = [null, ...EXPLANATION_STATUSES] as const;

/** The count of each status within the filter; a tile narrows the list to its status, and pressed again shows all. */
export function StatusTiles({ filter, onSelect }: StatusTilesProps): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  const { status: selected } = filter;
  const isPlain = !isNarrowed({ ...filter, status: null });
  const kept = useQuery({ ...queries.statusCounts, enabled: isPlain }).data;
  // Another filter has no counts of its own: the lists themselves are queried, so that a tile agrees with its list.
  const lists = useQueries({
    queries: TILES.map((status) => ({
      ...queries.explanations({ ...queryOf({ ...filter, status, sort: 'newest' }, 1), size: 1 }),
      enabled: !isPlain,
    })),
  });
  const countOf = (status: ExplanationStatus | null): { count: number | undefined; isMore: boolean } => {
    if (isPlain) {
      const all = kept === undefined ? undefined : EXPLANATION_STATUSES.reduce((sum, one) => sum + kept[one], 0);
      return { count: status === null ? all : kept?.[status], isMore: false };
    }
    const list = lists[TILES.indexOf(status)];
    // The list of the earlier filter is shown meanwhile.
    const found = list?.isPlaceholderData === true ? undefined : list?.data;
    return { count: found?.total, isMore: found?.more === true };
  };
  return (
    <Tiles label={text('board.tiles')}>
      <Tile
        isSelected={selected === null}
        onClick={() => onSelect(null)}
        label={text('board.all')}
        {...countOf(null)}
      />
      {EXPLANATION_STATUSES.map((status) => (
        <Tile
          key={status}
          isSelected={selected === status}
          onClick={() => onSelect(selected === status ? null : status)}
          look={STATUS_LOOKS[status]}
          label={text(`status.${status}`)}
          {...countOf(status)}
        />
      ))}
    </Tiles>
  );
}
