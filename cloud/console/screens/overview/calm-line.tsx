import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Glyph } from '../../../../shared/ui/parts/glyphs.tsx';
import { kstText } from '../../../../shared/ui/time/format.ts';
import type { RunOverview } from '../../../../shared/wire/operator/operator.ts';
import { useText } from '../../i18n/use-text.ts';
import { runPlace } from '../../navigation/places.ts';
import classes from '../../runs/runs.module.css';

/** Shows that nothing needs attention, and since when. */
export function CalmLine({ calm: { since, runKey } }: { calm: NonNullable<RunOverview['calm']> }): ReactNode {
  const text = useText();
  return (
    <p className={classes['calm']} data-tone="good">
      <Glyph name="approved" /> <strong>{text('overview.calm')}</strong>
      <span>
        {text(runKey === null ? 'overview.calmAtLeast' : 'overview.calmSince', { time: kstText(since) ?? since })}
      </span>
      {runKey !== null && (
        <span>
          {text('overview.lastTrouble')}{' '}
          <Link href={runPlace(runKey)}>
            <code>{runKey}</code>
          </Link>
        </span>
      )}
    </p>
  );
}
