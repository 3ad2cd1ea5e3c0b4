import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { FilterBar } from '../../../shared/ui/list/list-screen.tsx';
import { DayField } from '../../../shared/ui/days/day-field.tsx';
import { SearchField } from '../../../shared/ui/parts/search-field.tsx';
import { WHOLE_LIST } from '../../api/client.ts';
import { useConsole } from '../../api/console-context.tsx';
import { Narrowing } from '../../components/parts/narrowing.tsx';
import { useText } from '../../i18n/use-text.ts';
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
        <span aria-hidden="true">{text('field.tradeDate')}</span>
        <DayField
          label={text('board.from')}
          labelAt="hidden"
          value={filter.tradeDateFrom}
          max={filter.tradeDateTo === '' ? undefined : filter.tradeDateTo}
          onChange={(day) => onChange({ tradeDateFrom: day ?? '' })}
        />
        <span aria-hidden="true">–</span>
        <DayField
          label={text('board.to')}
          labelAt="hidden"
          value={filter.tradeDateTo}
          min={filter.tradeDateFrom === '' ? undefined : filter.tradeDateFrom}
          onChange={(day) => onChange({ tradeDateTo: day ?? '' })}
        />
      </span>
      {(filter.receivedFrom !== '' || filter.receivedTo !== '') && (
        <Narrowing
          words={text('board.received.within', { from: filter.receivedFrom, to: filter.receivedTo })}
          onRemove={() => onChange({ receivedFrom: '', receivedTo: '' })}
        />
      )}
      {filter.word !== '' && <WordNarrowing id={filter.word} onRemove={() => onChange({ word: '' })} />}
      {filter.held !== '' && <Narrowing words={text('hold.title')} onRemove={() => onChange({ held: '' })} />}
      {filter.exposure !== '' && (
        <Narrowing words={text(`exposure.${filter.exposure}`)} onRemove={() => onChange({ exposure: '' })} />
      )}
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

function WordNarrowing({ id, onRemove }: { id: string; onRemove: () => void }): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  const word = useQuery(queries.words(WHOLE_LIST)).data?.items.find((one) => one.id === id)?.word;
  return <Narrowing words={text('board.word', { word: word ?? id })} onRemove={onRemove} />;
}
