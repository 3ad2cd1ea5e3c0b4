/** How the values of an analysis look. None of them speaks by colour alone, and null is never 0. */
import type { ReactNode } from 'react';
import { Badge, type Tone } from '../../../shared/ui/parts/badge.tsx';
import { Glyph, type GlyphName } from '../../../shared/ui/parts/glyphs.tsx';
import { ReturnValue } from '../../../shared/ui/parts/return-value.tsx';
import { NoValue } from '../../../shared/ui/time/times.tsx';
import type { Analysis, AnalysisStatus, PublicationState } from '../../../shared/wire/operator.ts';
import { useText } from '../i18n/use-text.ts';
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

export function DirectionWord({ direction }: { direction: Analysis['direction'] }): ReactNode {
  const text = useText();
  if (direction === null) return <NoValue />;
  return (
    <span className={classes['direction']} data-direction={direction}>
      <Glyph name={DIRECTION_GLYPHS[direction]} size={9} />
      {text(`direction.${direction}`)}
    </span>
  );
}
