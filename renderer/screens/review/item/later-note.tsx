import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Tag } from '../../../../shared/ui/parts/badge.tsx';
import { Glyph } from '../../../../shared/ui/parts/glyphs.tsx';
import { KstTime } from '../../../../shared/ui/time/times.tsx';
import type { ReviewItem } from '../../../../shared/wire/console/console.ts';
import { StatusBadge } from '../../../components/domain/status-badge.tsx';
import { useText } from '../../../i18n/use-text.ts';
import parts from '../../../components/parts/parts.module.css';

/** Warns before the decision that a later snapshot of the ticker keeps, or will keep, this one from being exposed. */
export function LaterNote({ later }: { later: ReviewItem['later'] }): ReactNode {
  const text = useText();
  if (later === null) return null;
  const { id, status, explanation_as_of, replaces } = later;
  return (
    <p className={parts['note']} data-tone={replaces ? 'bad' : 'wait'} data-later={replaces}>
      <Glyph name="warning" />
      <span>
        {text(replaces ? 'later.replaces' : 'later.waits')}{' '}
        <Link href={`/${status === 'PENDING_REVIEW' ? 'review' : 'explanations'}/${encodeURIComponent(id)}`}>
          {text('later.open')} (<KstTime at={explanation_as_of} />)
        </Link>{' '}
        <StatusBadge status={status} />
      </span>
    </p>
  );
}

/** As above in a row of the queue, in two words. */
export function LaterTag({ later }: { later: ReviewItem['later'] }): ReactNode {
  const text = useText();
  if (later?.replaces !== true) return null;
  return (
    <Tag tone="bad" glyph="warning">
      {text('later.tag')}
    </Tag>
  );
}

/** When an item that lies ahead goes out, before a decision says so. */
export function AheadNote({ until }: { until: string | null }): ReactNode {
  const text = useText();
  if (until === null) return null;
  return (
    <p className={parts['note']} data-tone="wait" data-ahead>
      <Glyph name="waiting" />
      <span>
        {text('ahead.note')} <KstTime at={until} precision="second" />
      </span>
    </p>
  );
}

/** The same in a row of the queue. */
export function AheadTag({ until }: { until: string | null }): ReactNode {
  const text = useText();
  if (until === null) return null;
  return (
    <Tag tone="wait" glyph="waiting">
      {text('ahead.tag')}
    </Tag>
  );
}
