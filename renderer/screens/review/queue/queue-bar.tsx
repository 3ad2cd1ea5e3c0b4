import { Button, Checkbox, NativeSelect } from '@mantine/core';
import { useId, useState, type ReactNode } from 'react';
import { Glyph } from '../../../../shared/ui/parts/glyphs.tsx';
import { SearchField } from '../../../../shared/ui/parts/search-field.tsx';
import { CHECKS } from '../../../../shared/wire/console/console.ts';
import { useText } from '../../../i18n/use-text.ts';
import { MY_QUEUE, QUEUE_SORTS, type QueueFilter } from './queue-filter.ts';
import classes from '../item/review.module.css';

/**
 * Search, and on demand reason and order of the queue: rows have the room. What is set stays in view.
 */
export function QueueBar({
  filter,
  onChange,
  children,
}: {
  filter: QueueFilter;
  onChange: (filter: QueueFilter) => void;
  /** Before the search. */
  children?: ReactNode;
}): ReactNode {
  const text = useText();
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  const { reason, sort, split, isLate } = filter;
  const isSet = reason !== null || isLate || sort !== MY_QUEUE.sort;
  const isShown = isOpen || isSet;
  return (
    <search className={classes['bar']}>
      <div className={classes['barLine']}>
        {children}
        <SearchField value={filter.q} label={text('review.search')} onChange={(q) => onChange({ ...filter, q })} />
        <Button
          variant="default"
          disabled={isSet}
          aria-expanded={isShown}
          aria-controls={id}
          rightSection={<Glyph name="chevron" size={10} />}
          onClick={() => setIsOpen(!isOpen)}
        >
          {text('review.filter')}
        </Button>
      </div>
      <div id={id} className={classes['barMore']} hidden={!isShown}>
        <NativeSelect
          aria-label={text('review.filter.reason')}
          value={reason ?? ''}
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
          value={sort}
          data={QUEUE_SORTS.map((one) => ({ value: one, label: text(`sort.${one}`) }))}
          onChange={(event) => {
            const { value } = event.currentTarget;
            onChange({ ...filter, sort: QUEUE_SORTS.find((one) => one === value) ?? sort });
          }}
        />
        <Checkbox
          label={text('now.overTarget')}
          checked={isLate}
          onChange={(event) => onChange({ ...filter, isLate: event.currentTarget.checked })}
        />
      </div>
      {isSet && (
        <Button variant="subtle" size="compact-xs" onClick={() => onChange({ ...MY_QUEUE, split })}>
          {text('review.filter.clear')}
        </Button>
      )}
    </search>
  );
}
