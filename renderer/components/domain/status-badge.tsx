import type { ReactNode } from 'react';
import { Badge, type Tone } from '../../../shared/ui/parts/badge.tsx';
import type { GlyphName } from '../../../shared/ui/parts/glyphs.tsx';
import type { ExplanationItem, ExplanationStatus, Obstacle } from '../../../shared/wire/console/console.ts';
import { useText } from '../../i18n/use-text.ts';

/** Tone and shape of each status (D12): no two share a shape. */
export const STATUS_LOOKS: Readonly<Record<ExplanationStatus, { tone: Tone; glyph: GlyphName }>> = {
  AUTO_PUBLISHED: { tone: 'info', glyph: 'automatic' },
  PENDING_REVIEW: { tone: 'wait', glyph: 'waiting' },
  PUBLISHED: { tone: 'good', glyph: 'approved' },
  REJECTED: { tone: 'neutral', glyph: 'refused' },
  BLOCKED: { tone: 'bad', glyph: 'blocked' },
  STOPPED: { tone: 'stop', glyph: 'stopped' },
  INVALIDATED: { tone: 'neutral', glyph: 'withdrawn' },
};

export function StatusBadge({ status }: { status: ExplanationStatus }): ReactNode {
  const text = useText();
  return <Badge {...STATUS_LOOKS[status]}>{text(`status.${status}`)}</Badge>;
}

/** Let out, and not yet exposed: its status alone would be taken for exposed. */
export const isHeld = (obstacle: Obstacle | null | undefined): boolean => obstacle === 'HELD' || obstacle === 'AHEAD';

/** Whether customers get it now: words and a shape, short enough for a list column. */
export function VisibilityBadge({
  item: { exposed, obstacle },
}: {
  item: Pick<ExplanationItem, 'exposed' | 'obstacle'>;
}): ReactNode {
  const text = useText();
  if (exposed)
    return (
      <Badge tone="good" glyph="tick">
        {text('exposed.yes')}
      </Badge>
    );
  if (isHeld(obstacle))
    return (
      <Badge tone="wait" glyph="waiting">
        {text(obstacle === 'AHEAD' ? 'exposed.ahead' : 'exposed.held')}
      </Badge>
    );
  return (
    <Badge tone="neutral" glyph="cross">
      {text(obstacle === 'EXPIRED' ? 'exposed.expired' : obstacle === 'LAPSED' ? 'exposed.lapsed' : 'exposed.no')}
    </Badge>
  );
}
