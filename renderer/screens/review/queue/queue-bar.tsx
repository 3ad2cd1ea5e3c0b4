import { NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { SearchField } from '../../../../shared/ui/parts/search-field.tsx';
import { CHECKS } from '../../../../shared/wire/console/console.ts';
import { useText } from '../../../i18n/use-text.ts';
import { AwaitedFilter } from './awaited-filter.tsx';
import { QUEUE_SORTS, type QueueFilter } from './queue-filter.ts';
import classes from '../item/review.module.css';

/** Search, reason and order of the queue, and the filter for items that wait for another person. */
export function QueueBar({
  filter,
  onChange,
}: {
  filter: QueueFilter;
  onChange: (filter: QueueFilter) => void;
}): ReactNode {
  const text = useText();
  return (
    <search className={classes['bar']}>
      <SearchField value={filter.q} label={text('review.search')} onChange={(q) => onChange({ ...filter, q })} />
      <NativeSelect
        aria-label={text('review.filter.reason')}
        value={filter.reason ?? ''}
        data={[
          { value: '', label: text('review.filter.allReasons') },
          ...CHECKS.map((check) => ({ value: check, label: text(`check.${check}`) })),
        ]}
        onChange={(event) => {
          const { value } = event.currentTarget;
          onChange({ ...filter, reason: CHECKS.find((check) => check === value) ?? null });
        }}
      />
      <NativeSelect
        aria-label={text('review.sort')}
        value={filter.sort}
        data={QUEUE_SORTS.map((sort) => ({ value: sort, label: text(`sort.${sort}`) }))}
        onChange={(event) => {
          const { value } = event.currentTarget;
          onChange({ ...filter, sort: QUEUE_SORTS.find((sort) => sort === value) ?? filter.sort });
        }}
      />
      <AwaitedFilter value={filter.awaited} onChange={(awaited) => onChange({ ...filter, awaited })} />
    </search>
  );
}
