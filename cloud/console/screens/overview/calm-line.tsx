import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Glyph } from '../../../../shared/ui/parts/glyphs.tsx';
import { kstText } from '../../../../shared/ui/time/format.ts';
import type { SourceRhythm } from '../../../../shared/wire/facts.ts';
import type { RunOverview } from '../../../../shared/wire/operator/operator.ts';
import { KstShortTime } from '../../../../shared/ui/time/times.tsx';
import { RunBadge } from '../../runs/run-badges.tsx';
import { useText } from '../../i18n/use-text.ts';
import { runPlace, SOURCES_PLACE } from '../../navigation/places.ts';
import styles from './overview.module.css';
import type { Calm } from './calm.ts';

/** Shows that nothing needs attention, and what last did. */
export function CalmLine({ calm: { lastTrouble } }: { calm: Calm }): ReactNode {
  const text = useText();
  return (
    <p className={styles['calm']} data-tone="good">
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

/** Sources that were not collected when they were due, or usually are; and those of which nobody knows when that is. */
export function SourcesLine({
  kind,
  sources,
}: {
  kind: 'overview.lateSources' | 'overview.unknownSources';
  sources: readonly SourceRhythm[];
}): ReactNode {
  const text = useText();
  if (sources.length === 0) return null;
  return (
    <p className={styles['calm']} data-tone="wait">
      <Glyph name="waiting" /> <strong>{text(kind, { count: sources.length })}</strong>
      <Link href={SOURCES_PLACE}>{sources.map(({ id }) => id).join(', ')}</Link>
    </p>
  );
}

/** The most runs that the line names; the rest is counted. */
const NAMED = 4;

/** Runs of other days, backfills among them, that need a look today. */
export function OtherDaysLine({ otherDays: { total, runs } }: { otherDays: RunOverview['otherDays'] }): ReactNode {
  const text = useText();
  if (total === 0) return null;
  return (
    <p className={styles['calm']} data-tone="bad">
      <Glyph name="warning" /> <strong>{text('overview.otherDays', { count: total })}</strong>
      {runs.slice(0, NAMED).map((run) => (
        <span key={run.runKey}>
          <Link href={runPlace(run.runKey)}>
            <code>{run.runKey}</code>
          </Link>{' '}
          <RunBadge run={run} /> <KstShortTime at={run.updatedAt} />
        </span>
      ))}
      {total > NAMED && <span>{text('withdrawals.more', { count: total - NAMED })}</span>}
    </p>
  );
}
