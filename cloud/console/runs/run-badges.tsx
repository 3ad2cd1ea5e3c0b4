/** The look of states and outcomes of the pipeline: a shape and a word each, independent of colour. */
import type { ReactNode } from 'react';
import { Badge, type Tone } from '../../../shared/ui/parts/badge.tsx';
import { Glyph, type GlyphName } from '../../../shared/ui/parts/glyphs.tsx';
import {
  needsAttention,
  type OperationalState,
  type PipelineRun,
  type TaskCounts,
  type TaskOutcome,
} from '../../../shared/wire/operator/operator.ts';
import type { Text } from '../../../shared/ui/i18n/use-text.ts';
import { useText, type MessageId } from '../i18n/use-text.ts';
import classes from './runs.module.css';
import { skippedFor } from './skipped-for.ts';

export interface Look {
  tone: Tone;
  glyph: GlyphName;
}

export const STATE_LOOKS: Readonly<Record<OperationalState, Look>> = {
  IN_PROGRESS: { tone: 'info', glyph: 'running' },
  READY: { tone: 'good', glyph: 'approved' },
  DEGRADED: { tone: 'wait', glyph: 'warning' },
  BLOCKED: { tone: 'bad', glyph: 'blocked' },
  UNKNOWN: { tone: 'neutral', glyph: 'unknown' },
};

const OUTCOME_LOOKS: Readonly<Record<TaskOutcome, Look>> = {
  SUCCEEDED: { tone: 'good', glyph: 'tick' },
  RUNNING: { tone: 'info', glyph: 'running' },
  PENDING: { tone: 'neutral', glyph: 'waiting' },
  FAILED: { tone: 'bad', glyph: 'refused' },
  MISSING: { tone: 'bad', glyph: 'gap' },
  UNKNOWN: { tone: 'neutral', glyph: 'unknown' },
};

/** Nothing was due: neither good work nor something to judge (D68). */
export const IDLE_LOOK: Look = { tone: 'neutral', glyph: 'flat' };

/** Nothing began at the usual hours (D215). */
export const SILENT_LOOK: Look = { tone: 'bad', glyph: 'gap' };
/** It was so for hours of the day, and is no more. */
export const PAST_SILENCE_LOOK: Look = { tone: 'wait', glyph: 'gap' };

/** Failed, and a later run has repaired it (D216). */
export const RECOVERED_LOOK: Look = { tone: 'neutral', glyph: 'retrying' };

/** The state of a run, and after a repair what is still open; a run skipped with nothing due has none. */
export function RunBadge({ run }: { run: PipelineRun }): ReactNode {
  const text = useText();
  if (skippedFor(run) !== null) return <Badge {...IDLE_LOOK}>{text('run.skippedState')}</Badge>;
  if (run.recovery === null) return <StateBadge state={run.state} />;
  return (
    <>
      <Badge {...RECOVERED_LOOK}>
        {text(`state.${run.state}`)} · {text('failures.recovered')}
      </Badge>
      {needsAttention(run.openState) && (
        <>
          {' '}
          <StateBadge state={run.openState} />
        </>
      )}
    </>
  );
}

export function StateBadge({ state }: { state: OperationalState }): ReactNode {
  const text = useText();
  return <Badge {...STATE_LOOKS[state]}>{text(`state.${state}`)}</Badge>;
}

/** A shape with its word. */
export function Word({ look, children }: { look: Look; children: ReactNode }): ReactNode {
  return (
    <span className={classes['word']} data-tone={look.tone}>
      <Glyph name={look.glyph} size={11} />
      {children}
    </span>
  );
}

export function OutcomeWord({ outcome }: { outcome: TaskOutcome }): ReactNode {
  const text = useText();
  return <Word look={OUTCOME_LOOKS[outcome]}>{text(`outcome.${outcome}`)}</Word>;
}

/** From good to bad, in the order of the bar. */
const COUNTED = [
  ['succeeded', 'SUCCEEDED'],
  ['running', 'RUNNING'],
  ['pending', 'PENDING'],
  ['unknown', 'UNKNOWN'],
  ['missing', 'MISSING'],
  ['failed', 'FAILED'],
] as const satisfies readonly (readonly [keyof TaskCounts, TaskOutcome])[];

/** The required tasks by outcome: as a bar, and in words and numbers. */
export function Outcomes({ tasks }: { tasks: TaskCounts }): ReactNode {
  const text = useText();
  const present = COUNTED.filter(([key]) => tasks[key] > 0);
  return (
    <div className={classes['outcomes']}>
      <p className={classes['unit']}>{text('tasks.required', { count: tasks.required })}</p>
      {tasks.required > 0 && (
        <div className={classes['bar']} aria-hidden="true">
          {present.map(([key, outcome]) => (
            <span
              key={key}
              className={classes['part']}
              data-tone={OUTCOME_LOOKS[outcome].tone}
              data-outcome={outcome}
              style={{ flexGrow: tasks[key] }}
            />
          ))}
        </div>
      )}
      <ul className={classes['counts']}>
        {present.map(([key, outcome]) => (
          <li key={key}>
            <OutcomeWord outcome={outcome} /> <b>{tasks[key].toLocaleString('en-US')}</b>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Lanes with a name here; another lane is shown by the ledger's word. */
const NAMED_LANES = ['market', 'news', 'disclosure', 'intraday_flow', 'source_observation'] as const;

/** The name of a lane; null where it has none. */
export function laneNameOf(text: Text<MessageId>, lane: string): string | null {
  const named = NAMED_LANES.find((one) => one === lane);
  return named === undefined ? null : text(`lane.${named}`);
}

/** The ledger's word for a lane, with its name where it has one. */
export function LaneName({ lane }: { lane: string }): ReactNode {
  const name = laneNameOf(useText(), lane);
  return name === null ? (
    <code>{lane}</code>
  ) : (
    <>
      {name} <code className={classes['laneCode']}>{lane}</code>
    </>
  );
}
