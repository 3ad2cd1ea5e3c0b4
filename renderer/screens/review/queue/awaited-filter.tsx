import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { AWAITED, type Awaited } from '../../../../shared/wire/console/console.ts';
import { useConsole } from '../../../api/console-context.tsx';
import { useText } from '../../../i18n/use-text.ts';
import classes from '../item/review.module.css';

/** A filter for items that wait for another person, with their count. In view while there are any. */
export function AwaitedFilter({
  value,
  isShown,
  onChange,
}: {
  value: Awaited | null;
  /** Also where none waits. */
  isShown: boolean;
  onChange: (value: Awaited | null) => void;
}): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  const counts = useQuery(queries.awaitedCounts).data;
  if (!isShown && value === null && AWAITED.every((awaited) => (counts?.[awaited] ?? 0) === 0)) return null;
  return (
    <div className={classes['awaited']} role="group" aria-label={text('awaited.label')}>
      {AWAITED.map((awaited) => (
        <Button
          key={awaited}
          size="compact-xs"
          variant={value === awaited ? 'filled' : 'default'}
          aria-pressed={value === awaited}
          onClick={() => onChange(value === awaited ? null : awaited)}
        >
          {text(`awaited.${awaited}`, { count: counts?.[awaited] ?? 0 })}
        </Button>
      ))}
    </div>
  );
}
