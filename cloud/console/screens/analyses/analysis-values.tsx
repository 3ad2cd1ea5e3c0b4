/** The look of an analysis's values. None depends on colour alone, and null is never 0. */
import type { ReactNode } from 'react';
import { Badge, type Tone } from '../../../../shared/ui/parts/badge.tsx';
import { Glyph, type GlyphName } from '../../../../shared/ui/parts/glyphs.tsx';
import { directionOf, withMinus } from '../../../../shared/ui/parts/percent.ts';
import { ReturnValue } from '../../../../shared/ui/parts/return-value.tsx';
import { NoValue } from '../../../../shared/ui/time/times.tsx';
import { returnOf } from '../../../../shared/wire/suspect-return.ts';
import type {
  Analysis,
  AnalysisDetail,
  AnalysisStatus,
  PublicationState,
} from '../../../../shared/wire/operator/operator.ts';
import { useText } from '../../i18n/use-text.ts';
import { LedgerCode } from '../../runs/ledger-code.tsx';
import classes from './analyses.module.css';

const STATE_LOOKS: Readonly<Record<PublicationState, { tone: Tone; glyph: GlyphName }>> = {
  PUBLISHED: { tone: 'good', glyph: 'approved' },
  UNPUBLISHED: { tone: 'neutral', glyph: 'unknown' },
  INVALIDATED: { tone: 'stop', glyph: 'withdrawn' },
};

const STATUS_LOOKS: Readonly<Record<AnalysisStatus, { tone: Tone; glyph: GlyphName }>> = {
  COMPLETE: { tone: 'neutral', glyph: 'tick' },
  PENDING: { tone: 'wait', glyph: 'waiting' },
  FAILED: { tone: 'bad', glyph: 'cross' },
};

const DIRECTION_GLYPHS = { UP: 'up', DOWN: 'down', FLAT: 'flat' } as const satisfies Record<string, GlyphName>;

export function PublicationBadge({ state }: { state: PublicationState }): ReactNode {
  const text = useText();
  return <Badge {...STATE_LOOKS[state]}>{text(`publication.${state}`)}</Badge>;
}

export function AnalysisStatusWord({ status }: { status: AnalysisStatus }): ReactNode {
  const text = useText();
  const { tone, glyph } = STATUS_LOOKS[status];
  return (
    <span className={classes['word']} data-tone={tone}>
      <Glyph name={glyph} size={11} />
      {text(`analysisStatus.${status}`)}
    </span>
  );
}

export function ChangeRate({ ratio }: { ratio: number | null }): ReactNode {
  return ratio === null ? <NoValue /> : <ReturnValue ratio={ratio} />;
}

/** The direction of what is shown: a rate that reads 0.00 % is neither up nor down. */
export const shownDirection = ({
  direction,
  changeRate,
}: Pick<Analysis, 'direction' | 'changeRate'>): Analysis['direction'] =>
  direction !== null && changeRate !== null && directionOf(changeRate) === 'flat' ? 'FLAT' : direction;

export function DirectionWord({ of }: { of: Pick<Analysis, 'direction' | 'changeRate'> }): ReactNode {
  const text = useText();
  const direction = shownDirection(of);
  if (direction === null) return <NoValue />;
  return (
    <span className={classes['direction']} data-direction={direction}>
      <Glyph name={DIRECTION_GLYPHS[direction]} size={9} />
      {text(`direction.${direction}`)}
    </span>
  );
}

const CONFIDENCE_BARS = { HIGH: 3, MEDIUM: 2, LOW: 1 } as const;

/** Bars of three, and the word; v2 gives none. */
export function Confidence({ level }: { level: AnalysisDetail['confidenceLevel'] }): ReactNode {
  const text = useText();
  if (level === null) return <NoValue />;
  return (
    <span className={classes['word']}>
      <svg width="13" height="10" viewBox="0 0 13 10" aria-hidden="true">
        {[1, 2, 3].map((bar) => (
          <rect
            key={bar}
            x={(bar - 1) * 5 + 0.5}
            y={9.5 - bar * 3}
            width="2.5"
            height={bar * 3}
            fill={bar <= CONFIDENCE_BARS[level] ? 'currentColor' : 'none'}
            stroke="currentColor"
            strokeWidth="0.8"
          />
        ))}
      </svg>
      {text(`confidence.${level}`)}
    </span>
  );
}

/** An absent list is not an empty one. */
export function CounterFactors({ factors }: { factors: AnalysisDetail['counterFactors'] }): ReactNode {
  const text = useText();
  if (factors === null) return <span className={classes['unmeasured']}>{text('counterFactors.notTold')}</span>;
  if (factors.length === 0) return text('counterFactors.none');
  return (
    <ul className={classes['factors']} lang="ko">
      {factors.map((factor) => (
        <li key={factor}>{factor}</li>
      ))}
    </ul>
  );
}

export function measuredText(value: number, unit: string | null): string {
  const shown = unit === 'RATIO' ? value * 100 : value;
  const digits = withMinus(shown.toLocaleString('en-US', { maximumFractionDigits: 10 }));
  if (unit === null) return digits;
  return unit === 'RATIO' || unit === 'PERCENT' ? `${digits}%` : `${digits} ${unit}`;
}

/**
 * The values under the words for the engine's names. A value is what its unit says, never what its name suggests (D217).
 * Direction and suspicion are those of returns alone.
 */
export function Measurements({ values }: { values: AnalysisDetail['measurements'] }): ReactNode {
  const text = useText();
  if (values === null) return <p className={classes['unmeasured']}>{text('measurements.none')}</p>;
  return (
    <dl className={classes['measurements']}>
      {values.map(({ name, value, unit }) => (
        <div key={name}>
          <dt>
            <LedgerCode code={name} />
          </dt>
          <dd>
            <Measured name={name} value={value} unit={unit} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Measured({ name, value, unit }: NonNullable<AnalysisDetail['measurements']>[number]): ReactNode {
  const ratio = returnOf(name, value, unit);
  return ratio === null ? measuredText(value, unit) : <ReturnValue ratio={ratio} />;
}
