import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Glyph } from '../../../../shared/ui/parts/glyphs.tsx';
import { kstText } from '../../../../shared/ui/time/format.ts';
import type { SourceRhythm } from '../../../../shared/wire/facts.ts';
import { useText } from '../../i18n/use-text.ts';
import { runPlace, SOURCES_PLACE } from '../../navigation/places.ts';
import classes from '../../runs/runs.module.css';
import type { Calm } from './calm.ts';

/** Shows that nothing needs attention, and what last did. */
export function CalmLine({ calm: { lastTrouble } }: { calm: Calm }): ReactNode {
  const text = useText();
  return (
    <p className={classes['calm']} data-tone="good">
      <Glyph name="approved" /> <strong>{text('overview.calm')}</strong>
      {lastTrouble !== null && (
        <span>
          {text('overview.lastTrouble', { time: kstText(lastTrouble.at) ?? lastTrouble.at })}{' '}
          <Link href={runPlace(lastTrouble.runKey)}>
            <code>{lastTrouble.runKey}</code>
          </Link>
        </span>
      )}
    </p>
  );
}

/** Sources that were not collected when they were due, or usually are. */
export function LateSourcesLine({ sources }: { sources: readonly SourceRhythm[] }): ReactNode {
  const text = useText();
  if (sources.length === 0) return null;
  return (
    <p className={classes['calm']} data-tone="wait">
      <Glyph name="waiting" /> <strong>{text('overview.lateSources', { count: sources.length })}</strong>
      <Link href={SOURCES_PLACE}>{sources.map(({ id }) => id).join(', ')}</Link>
    </p>
  );
}
