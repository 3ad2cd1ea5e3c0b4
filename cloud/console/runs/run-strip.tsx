import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import type { PipelineRun, PlanningGap } from '../../../shared/wire/operator/operator.ts';
import type { Text } from '../../../shared/ui/i18n/use-text.ts';
import { useText, type MessageId } from '../i18n/use-text.ts';
import { IDLE_LOOK, RECOVERED_LOOK, STATE_LOOKS, type Look } from './run-badges.tsx';
import classes from './strip.module.css';
import { skippedFor } from './skipped-for.ts';
import { byTime, hourOf, kindOf, newDays, type SlotKind } from './slots.ts';

/** GAP: a slot was planned and has no run. */
const KIND_LOOKS: Readonly<Record<SlotKind, Look>> = {
  ...STATE_LOOKS,
  GAP: { tone: 'bad', glyph: 'gap' },
  RECOVERED: RECOVERED_LOOK,
  SKIPPED: IDLE_LOOK,
};
export const GAP_LOOK = KIND_LOOKS.GAP;

export interface RunStripProps {
  runs: readonly PipelineRun[];
  gaps: readonly PlanningGap[];
  label: string;
  openKey: string | null;
  hrefOf: (runKey: string) => string;
  /** The number of latest runs to show. */
  most?: number;
}

/** Runs of a lane and planned slots without one, each at its time with its hour below, and its day where that is another; each opens. */
export function RunStrip({ runs, gaps, label, openKey, hrefOf, most = Infinity }: RunStripProps): ReactNode {
  const slots = byTime(runs, gaps).slice(-most);
  const days = newDays(slots);
  return (
    <ul className={classes['strip']} data-strip aria-label={label}>
      {slots.map((one, index) => (
        <li key={one.key}>
          <SlotMark slot={one} isOpen={one.key === openKey} href={hrefOf(one.key)} />
          <span className={classes['hour']} aria-hidden="true">
            {hourOf(one.at)}
          </span>
          <span className={classes['newDay']} aria-hidden="true">
            {days[index]}
          </span>
        </li>
      ))}
    </ul>
  );
}

const stateWords = (text: Text<MessageId>, { state, recovery }: PipelineRun): string =>
  recovery === null ? text(`state.${state}`) : `${text(`state.${state}`)}, ${text('failures.recovered')}`;

export function SlotMark({
  slot,
  isOpen,
  isTabStop = true,
  href,
  count,
}: {
  slot: { key: string; run: PipelineRun | null };
  isOpen: boolean;
  /** It stands for so many of its kind, and is the latest of them. */
  count?: number;
  /** False: the arrow keys of the surrounding grid lead here, and Tab does not. */
  isTabStop?: boolean;
  href: string;
}): ReactNode {
  const text = useText();
  const { key, run } = slot;
  const skipped = run === null ? null : skippedFor(run);
  const { tone, glyph } = KIND_LOOKS[kindOf(slot)];
  const own =
    run === null
      ? text('history.gap', { slot: key })
      : skipped === null
        ? text('run.mark', { run: key, state: stateWords(text, run), defects: run.defectCount })
        : text('run.skipped', { run: key, reason: text('ledger.word', { word: skipped }) });
  const name = count === undefined ? own : text('history.counted', { count, latest: own });
  return (
    <Link
      href={href}
      className={classes['mark'] ?? ''}
      data-slot={key}
      tabIndex={isTabStop ? undefined : -1}
      data-tone={tone}
      data-skipped={skipped !== null || undefined}
      data-count={count === undefined ? undefined : ''}
      aria-label={name}
      title={name}
      aria-current={isOpen ? 'true' : undefined}
    >
      <Glyph name={glyph} size={12} />
      {count?.toLocaleString('en-US')}
    </Link>
  );
}
