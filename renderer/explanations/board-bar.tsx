import { NativeSelect, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { FilterBar } from '../../shared/ui/list/list-screen.tsx';
import { SearchField } from '../../shared/ui/parts/search-field.tsx';
import { useText } from '../i18n/use-text.ts';
import { BOARD_SORTS, isNarrowed, type BoardFilter } from './board-filter.ts';
import classes from './explanations.module.css';

export interface BoardBarProps {
  filter: BoardFilter;
  onChange: (changes: Partial<BoardFilter>) => void;
  onReset: () => void;
}

/** Search, market, trade dates and order of the board. */
export function BoardBar({ filter, onChange, onReset }: BoardBarProps): ReactNode {
  const text = useText();
  return (
    <FilterBar isNarrowed={isNarrowed(filter)} onReset={onReset}>
      <SearchField value={filter.q} label={text('board.search')} onChange={(q) => onChange({ q })} />
      <SearchField value={filter.market} label={text('board.market')} onChange={(market) => onChange({ market })} />
      <span className={classes['dates']} role="group" aria-label={text('board.dates')}>
        <TextInput
          type="date"
          aria-label={text('board.from')}
          value={filter.tradeDateFrom}
          max={filter.tradeDateTo}
          onChange={(event) => onChange({ tradeDateFrom: event.currentTarget.value })}
        />
        <span aria-hidden="true">–</span>
        <TextInput
          type="date"
          aria-label={text('board.to')}
          value={filter.tradeDateTo}
          min={filter.tradeDateFrom}
          onChange={(event) => onChange({ tradeDateTo: event.currentTarget.value })}
        />
      </span>
      <NativeSelect
        aria-label={text('board.sort')}
        value={filter.sort}
        data={BOARD_SORTS.map((sort) => ({ value: sort, label: text(`sort.${sort}`) }))}
        onChange={(event) => {
          const { value } = event.currentTarget;
          onChange({ sort: BOARD_SORTS.find((sort) => sort === value) ?? filter.sort });
        }}
      />
    </FilterBar>
  );
}
