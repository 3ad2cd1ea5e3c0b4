import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import type { PipelineRun } from '../../../shared/wire/operator/operator.ts';
import { useText } from '../i18n/use-text.ts';
import { STATE_LOOKS, type Look } from './run-badges.tsx';
import classes from './runs.module.css';

const SKIPPED: Look = { tone: 'neutral', glyph: 'flat' };

export interface RunStripProps {
  /** Oldest first. */
  runs: readonly PipelineRun[];
  label: string;
  openKey: string | null;
  hrefOf: (run: PipelineRun) => string;
}

/** The last runs of a lane, one mark each; each opens its run. */
export function RunStrip({ runs, label, openKey, hrefOf }: RunStripProps): ReactNode {
  return (
    <ul className={classes['strip']} aria-label={label}>
      {runs.map((run) => (
        <li key={run.runKey}>
          <RunMark run={run} isOpen={run.runKey === openKey} href={hrefOf(run)} />
        </li>
      ))}
    </ul>
  );
}

export function RunMark({
  run,
  isOpen,
  href,
  tabIndex,
}: {
  run: PipelineRun;
  isOpen: boolean;
  href: string;
  tabIndex?: number;
}): ReactNode {
  const text = useText();
  // Nothing was due: that is no work that went well.
  const skipped = run.state === 'READY' ? run.skipReason : null;
  const { tone, glyph } = skipped === null ? STATE_LOOKS[run.state] : SKIPPED;
  const state = text(`state.${run.state}`);
  const name =
    skipped === null
      ? text('run.mark', { run: run.runKey, state, defects: run.defectCount })
      : text('run.skipped', { run: run.runKey, state, reason: skipped });
  return (
    <Link
      href={href}
      className={classes['mark'] ?? ''}
      data-tone={tone}
      data-skipped={skipped !== null || undefined}
      aria-label={name}
      title={name}
      aria-current={isOpen ? 'true' : undefined}
      tabIndex={tabIndex}
    >
      <Glyph name={glyph} size={12} />
    </Link>
  );
}
