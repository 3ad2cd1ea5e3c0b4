import type { ReactNode } from 'react';
import { Tag } from '../../shared/ui/parts/badge.tsx';
import { Glyph } from '../../shared/ui/parts/glyphs.tsx';
import { Panel } from '../../shared/ui/parts/panel.tsx';
import { DiffView } from '../../shared/ui/text/diff-view.tsx';
import { KstTime } from '../../shared/ui/time/times.tsx';
import type { ReviewDetail } from '../../shared/wire/console.ts';
import { useText } from '../i18n/use-text.ts';
import parts from '../parts/parts.module.css';
import { useNeedsTwo } from '../parts/use-needs-two.ts';
import { useMay } from '../session/session-context.ts';

/** Says in the queue that one person has approved an edit and a second one has to. */
export function WaitingEditTag(): ReactNode {
  const text = useText();
  return (
    <Tag tone="wait" glyph="waiting">
      {text('fourEyes.waits')}
    </Tag>
  );
}

/** The edit that waits for a second person, as its difference from the text received; nothing where none waits. */
export function WaitingEdit({ item }: { item: ReviewDetail }): ReactNode {
  const text = useText();
  const may = useMay();
  const { waitingEdit, edited_summary } = item;
  if (waitingEdit === null || edited_summary === null) return null;
  return (
    <Panel title={text('fourEyes.title')} aside={<WaitingEditTag />}>
      <p>
        {text('fourEyes.by', { name: waitingEdit.displayName })} <KstTime at={waitingEdit.at} />
      </p>
      <DiffView before={item.summary} after={edited_summary} />
      {may('review.decide') && (
        <p className={parts['quiet']}>{text(waitingEdit.mine ? 'fourEyes.mine' : 'fourEyes.yours')}</p>
      )}
    </Panel>
  );
}

/** Whether this text, approved now, is one that somebody has approved already. */
export function isSecondApproval(item: ReviewDetail, written: string): boolean {
  return item.waitingEdit !== null && item.edited_summary === written;
}

/** What approving an edited text leads to, where the policy wants two people. */
export function ApprovalNote({ item, written }: { item: ReviewDetail; written: string }): ReactNode {
  const text = useText();
  const needsTwo = useNeedsTwo();
  if (!needsTwo) return null;
  const words = !isSecondApproval(item, written)
    ? 'fourEyes.first'
    : item.waitingEdit?.mine === true
      ? 'fourEyes.mine'
      : 'fourEyes.second';
  return (
    <p className={parts['note']} data-tone="wait">
      <Glyph name="waiting" /> {text(words)}
    </p>
  );
}
