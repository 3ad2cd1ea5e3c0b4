import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Tag } from '../../../../shared/ui/parts/badge.tsx';
import { Glyph } from '../../../../shared/ui/parts/glyphs.tsx';
import { Panel } from '../../../../shared/ui/parts/panel.tsx';
import { DiffView } from '../../../../shared/ui/text/diff-view.tsx';
import { KstTime } from '../../../../shared/ui/time/times.tsx';
import type { ReviewDetail } from '../../../../shared/wire/console/console.ts';
import { editedSummaryOf, type ActionDraft } from '../../../components/actions/actions.ts';
import type { CheckedFigure } from '../../../../shared/evidence/support.ts';
import { useText } from '../../../i18n/use-text.ts';
import parts from '../../../components/parts/parts.module.css';
import { useNeedsTwo } from '../../../components/parts/use-needs-two.ts';
import { useMay } from '../../../api/session-context.ts';
import { HitList, MarkedText, numberHits } from '../../../components/texts/marked-text.tsx';
import { MissingNotices } from '../../../components/texts/missing-notices.tsx';
import { ClaimNote } from './claim-note.tsx';
import { ColleagueDrafts } from './colleague-drafts.tsx';
import { SECOND_PERSON_ID } from './decision-bar.tsx';
import type { ServerDraft } from '../../../components/actions/use-server-draft.ts';

/** Shows in the queue that one reviewer has approved an edit and a second one must. */
export function WaitingEditTag(): ReactNode {
  const text = useText();
  return (
    <Tag tone="wait" glyph="waiting">
      {text('fourEyes.waits')}
    </Tag>
  );
}

/** The edited text under approval, and its difference from the received text; nothing if the received text is meant. */
export function EditUnderReview({
  item,
  figuresOf,
}: {
  item: ReviewDetail;
  figuresOf: (text: string) => CheckedFigure[];
}): ReactNode {
  const text = useText();
  const may = useMay();
  const { waitingEdit, underReview } = item;
  if (underReview.source === 'RECEIVED') return null;
  const names = underReview.authors.join(', ');
  const hits = numberHits(underReview.hits);
  return (
    <Panel title={text('underReview.title')} aside={waitingEdit !== null && <WaitingEditTag />}>
      <p>
        {text('underReview.writtenBy', { names })}
        {waitingEdit === null ? (
          <> · {text(`underReview.${underReview.source}`)}</>
        ) : (
          <>
            {' · '}
            {text('underReview.firstBy', { name: waitingEdit.displayName })} <KstTime at={waitingEdit.at} />
          </>
        )}
      </p>
      <MarkedText text={underReview.text} hits={hits} figures={figuresOf(underReview.text)} />
      {hits.length > 0 && <HitList hits={hits} />}
      <MissingNotices missing={underReview.missing} />
      <p className={parts['quiet']}>{text('edit.difference')}</p>
      <DiffView before={item.summary} after={underReview.text} />
      {waitingEdit !== null && may('review.decide') && (
        <p id={SECOND_PERSON_ID} className={parts['quiet']}>
          {text(waitingEdit.mine ? 'fourEyes.mine' : 'fourEyes.yours')}
        </p>
      )}
    </Panel>
  );
}

/** Whether a draft, sent now, is the second approval of a text that another reviewer has approved. */
export function isSecondApproval(item: ReviewDetail, draft: ActionDraft): boolean {
  return item.waitingEdit !== null && item.waitingEdit.text === editedSummaryOf(draft);
}

/** Who else is at the item, whose words an approval would publish, and who else must approve them. */
export function DecisionNote({
  item,
  draft,
  saved,
}: {
  item: ReviewDetail;
  draft: ActionDraft;
  saved: ServerDraft;
}): ReactNode {
  const text = useText();
  const needsTwo = useNeedsTwo();
  const isEdit = editedSummaryOf(draft) !== null;
  const authors = draft.action === 'approve-edited' ? ownAuthors(item) : [];
  return (
    <>
      <ClaimNote claims={item.claims} />
      <ColleagueDrafts item={item} saved={draft.action === 'approve-edited' ? saved : null} />
      {authors.length > 1 && (
        <p className={parts['note']} data-tone="wait">
          <Glyph name="warning" /> {text('draft.authors', { names: authors.join(', ') })}{' '}
          <Button variant="default" size="compact-sm" onClick={saved.beginAnew}>
            {text('draft.beginAnew')}
          </Button>
        </p>
      )}
      {draft.action === 'approve-edited' && draft.carried !== null && authors.length <= 1 && (
        <p className={parts['note']} data-tone="wait">
          <Glyph name="warning" /> {text('draft.fromCarried', { names: item.underReview.authors.join(', ') })}{' '}
          <Button variant="default" size="compact-sm" onClick={saved.beginAnew}>
            {text('draft.beginAnew')}
          </Button>
        </p>
      )}
      {saved.state === 'elsewhere' && (
        <div className={parts['note']} data-tone="wait" role="alert">
          <Glyph name="warning" />
          <span>
            {text('draft.elsewhere')}{' '}
            <Button variant="default" size="compact-sm" onClick={() => saved.settle('there')}>
              {text('draft.takeThere')}
            </Button>{' '}
            <Button variant="default" size="compact-sm" onClick={() => saved.settle('here')}>
              {text('draft.keepHere')}
            </Button>
          </span>
        </div>
      )}
      {needsTwo && isEdit && (
        <p className={parts['note']} data-tone="wait">
          <Glyph name="waiting" /> {text(whoElse(item, draft))}
        </p>
      )}
    </>
  );
}

/** All authors of the user's own draft. */
const ownAuthors = ({ draft }: ReviewDetail): readonly string[] =>
  draft === null || draft.text === null ? [] : draft.authors;

function whoElse(item: ReviewDetail, draft: ActionDraft) {
  if (!isSecondApproval(item, draft)) return 'fourEyes.first';
  return item.waitingEdit?.mine === true ? 'fourEyes.mine' : 'fourEyes.second';
}
