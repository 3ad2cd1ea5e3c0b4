import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useConsole } from '../../../api/console-context.tsx';
import { useText } from '../../../i18n/use-text.ts';
import classes from '../item/review.module.css';
import { ALL_SPLITS, type QueueFilter } from './queue-filter.ts';

interface SplitsProps {
  value: QueueFilter['split'];
  onChange: (value: QueueFilter['split']) => void;
}

/** The parts of the queue, each with its count; those in between show while they have items. */
export function Splits({ value, onChange }: SplitsProps): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  const counts = useQuery(queries.splitCounts).data;
  const isShown = (split: QueueFilter['split']): boolean =>
    split === value || split === 'MY_TURN' || split === 'ALL' || (counts?.[split] ?? 0) > 0;
  return (
    <div className={classes['splits']} role="group" aria-label={text('split.label')}>
      {ALL_SPLITS.filter(isShown).map((split) => (
        <Button
          key={split}
          size="compact-xs"
          variant={value === split ? 'filled' : 'default'}
          aria-pressed={value === split}
          onClick={() => onChange(split)}
        >
          {text(`split.${split}`)}
          {counts !== undefined && ` ${counts[split].toLocaleString('en-US')}`}
        </Button>
      ))}
    </div>
  );
}
