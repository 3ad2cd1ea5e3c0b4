import type { ReactNode } from 'react';
import type { Tone } from '../../../../shared/ui/parts/badge.tsx';
import { Glyph, type GlyphName } from '../../../../shared/ui/parts/glyphs.tsx';
import { useLength } from '../../../../shared/ui/time/times.tsx';
import { useNow } from '../../../../shared/ui/time/use-now.ts';
import { workingMsBetween } from '../../../../shared/time/working-hours.ts';
import { useText } from '../../../i18n/use-text.ts';
import classes from '../item/review.module.css';
import { targetStateOf, type TargetState } from './target.ts';

const SIGNS: Readonly<Record<TargetState, { tone: Tone; glyph?: GlyphName }>> = {
  within: { tone: 'neutral' },
  near: { tone: 'wait', glyph: 'waiting' },
  over: { tone: 'bad', glyph: 'warning' },
};

const HOUR_MS = 3_600_000;
/** From this many hours on, minutes do not matter, and the row has no room for them. */
const MANY_HOURS = 10;

/** How long an item has waited, at the end of its row: in working time against the target, where there is one. */
export function TargetTime({
  since,
  waiting,
  minutes,
}: {
  since: string;
  waiting: string;
  /** The target; null where there is none. */
  minutes: number | null;
}): ReactNode {
  const text = useText();
  const length = useLength();
  const now = useNow();
  if (minutes === null)
    return <span className={classes['rowEnd']}>{text('review.waiting', { duration: waiting })}</span>;
  const age = workingMsBetween(new Date(since), now);
  const standing = targetStateOf(age, minutes);
  const { tone, glyph } = SIGNS[standing];
  return (
    <span className={classes['rowEnd']} data-tone={tone} data-standing={standing}>
      {glyph !== undefined && <Glyph name={glyph} size={10} />}{' '}
      {text('target.age', { age: length(age < MANY_HOURS * HOUR_MS ? age : age - (age % HOUR_MS)) })}
      {standing !== 'within' && <span className={classes['standing']}> · {text(`target.${standing}`)}</span>}
    </span>
  );
}
