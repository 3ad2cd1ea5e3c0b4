import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import { KstTime } from '../../../shared/ui/time/times.tsx';
import type { PlanningGap } from '../../../shared/wire/operator/operator.ts';
import { useText } from '../i18n/use-text.ts';
import { runPlace } from '../navigation/places.ts';
import classes from './runs.module.css';

/** Planned slots without a run. */
export function GapList({ gaps }: { gaps: readonly PlanningGap[] }): ReactNode {
  const text = useText();
  return (
    <ul className={classes['gaps']}>
      {gaps.map(({ slotKey, openedAt }) => (
        <li key={slotKey}>
          <Glyph name="gap" size={11} />{' '}
          <Link href={runPlace(slotKey)}>
            <code>{slotKey}</code>
          </Link>{' '}
          {openedAt === null ? (
            text('gap.unnoticed')
          ) : (
            <>
              {text('gap.since')} <KstTime at={openedAt} precision="second" />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
