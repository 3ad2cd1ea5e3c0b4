import { useId, useMemo, useState, type ReactNode, type RefObject } from 'react';
import { createPortal } from 'react-dom';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { useHasColumns } from '../../../../shared/ui/frame/narrow.ts';
import { useShortcuts } from '../../../../shared/ui/keys/use-shortcuts.ts';
import { useNotify } from '../../../../shared/ui/parts/notices.tsx';
import { Tag } from '../../../../shared/ui/parts/badge.tsx';
import { Panel } from '../../../../shared/ui/parts/panel.tsx';
import { KstTime } from '../../../../shared/ui/time/times.tsx';
import type { ReasonCode, ReviewDetail as Detail } from '../../../../shared/wire/console/console.ts';
import { ActionForm } from '../../../components/actions/action-form.tsx';
import { ACTION_RULES, editedSummaryOf, type ActionDraft } from '../../../components/actions/actions.ts';
import { hasMovedOn, MovedOn } from '../../../components/actions/changed-meanwhile.tsx';
import { foundIn } from '../../../components/actions/findings.ts';
import { offersOf } from '../../../components/actions/replacements.ts';
import { suggestedReason } from '../../../components/actions/suggested-reason.ts';
import { LoadedItem } from '../../../components/actions/unseen-decision.tsx';
import { useDraft } from '../../../components/actions/use-draft.ts';
import type { Send } from '../../../components/actions/use-send.ts';
import { useConsole } from '../../../api/console-context.tsx';
import type { CheckedFigure } from '../../../../shared/evidence/support.ts';
import { ItemHead } from '../../../components/domain/item-head.tsx';
import { useRecent } from '../../../components/domain/recent.ts';
import { RecordLinks } from '../../../components/domain/record-links.tsx';
import { useText } from '../../../i18n/use-text.ts';
import { useNeedsTwo } from '../../../components/parts/use-needs-two.ts';
import { useMay } from '../../../api/session-context.ts';
import { Timeline } from '../../../components/timeline/timeline.tsx';
import { ClaimNote, HandedOverNote } from './claim-note.tsx';
import { Dismissals } from './dismissals.tsx';
import { DecisionBar, meantBy, needsAnother } from './decision-bar.tsx';
import { AheadNote, LaterNote } from './later-note.tsx';
import { FirstKeys } from './first-keys.tsx';
import { OpinionPanel } from './opinion-panel.tsx';
import { OutsideNote, type OutsideNoteProps } from './outside-note.tsx';
import texts from '../../../components/texts/texts.module.css';
import classes from './review.module.css';
import { ItemGrounds, useReading } from './item-grounds.tsx';
import { useClaim } from './use-claim.ts';
import { useKeys } from './use-keys.ts';
import { ColleagueDrafts, overtakenBy } from './colleague-drafts.tsx';
import { DecisionNote, EditUnderReview, isSecondApproval } from './waiting-edit.tsx';
import { useTextInView } from './use-text-in-view.ts';
import { useServerDraft } from '../../../components/actions/use-server-draft.ts';
import { returnOf } from './why-review.tsx';

export interface ReviewDetailProps {
  id: string;
  send: Send;
  /** Whether the decision keys work now. */
  hasKeys: boolean;
  onHelp: () => void;
  /** The scrolling part, for the keys that scroll it. */
  scroller: RefObject<HTMLDivElement | null>;
  /** The link back to the list, in a window with one pane. */
  back: ReactNode;
  /** Whether this window shows only this item. */
  isApart?: boolean;
  /** Why the list does not contain it; null if it does. */
  outside: (Omit<OutsideNoteProps, 'onFind'> & { onFind: (ticker: string) => void }) | null;
  /** Goes to the next item of the list; absent at the end. */
  onNext?: (() => void) | undefined;
  /** Puts the item off; absent without a queue. */
  onLater?: (() => void) | undefined;
  /** Hands the item over; absent without a queue. */
  onHandOver?: (() => void) | undefined;
}

export function ReviewDetail({ id, ...rest }: ReviewDetailProps): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  const missing = <Link href="/review">{text('review.toQueue')}</Link>;
  return (
    <LoadedItem id={id} query={useQuery(queries.reviewItem(id))} back={rest.back} missing={missing}>
      {(item) => <LoadedDetail item={item} {...rest} />}
    </LoadedItem>
  );
}

type LoadedDetailProps = Omit<ReviewDetailProps, 'id'> & { item: Detail };

/**
 * The next item reuses the elements of the previous one, because creating elements takes most of the time of a walk
 * through the queue. So every part with a state per item has the item's id in its key.
 */
function LoadedDetail({
  item,
  send,
  hasKeys,
  onHelp,
  scroller,
  onNext,
  onLater,
  onHandOver,
  back,
  isApart = false,
  outside,
}: LoadedDetailProps): ReactNode {
  const text = useText();
  const headingId = useId();
  const reading = useReading(item);
  const { hits, figures, figuresOf } = reading;
  const wasSeen = useTextInView(scroller, item.id);
  useRecent(item, 'review');
  const [editorPlace, setEditorPlace] = useState<HTMLElement | null>(null);
  const suggested = useMemo(() => suggestedReason(item.checks, figures), [item.checks, figures]);
  return (
    <article className={classes['detail']} aria-labelledby={headingId}>
      <div ref={scroller} className={classes['scroll']} role="region" aria-label={text('review.detail')} tabIndex={0}>
        {back}
        {outside !== null && item.status === 'PENDING_REVIEW' && (
          <OutsideNote {...outside} onFind={() => outside.onFind(item.etf_ticker)} />
        )}
        {hasKeys && item.status === 'PENDING_REVIEW' && <FirstKeys />}
        <ItemHead
          item={item}
          headingId={headingId}
          badges={
            <>
              {item.held !== null && (
                <Tag tone="wait" glyph="waiting">
                  {text('exposed.held')}
                </Tag>
              )}
              <ClaimNote claims={item.claims} />
            </>
          }
          apartAt={isApart ? null : `/case/${encodeURIComponent(item.id)}`}
        />
        <HandedOverNote key={`handed over ${item.id}`} item={item} />
        <LaterNote later={item.later} />
        <AheadNote until={item.aheadUntil} />
        <EditUnderReview key={`edit ${item.id}`} item={item} figuresOf={figuresOf} />
        <OpinionPanel key={`opinion ${item.id}`} item={item} hasKeys={hasKeys} />
        <ItemGrounds
          reading={reading}
          title={text(item.underReview.source === 'RECEIVED' ? 'review.text' : 'underReview.received')}
          returned={returnOf(item.history)}
          afterHits={
            item.published_summary !== null &&
            item.published_summary !== item.summary &&
            item.published_summary !== item.underReview.text && (
              <Panel title={text('review.publishedText')}>
                <p className={texts['text']} lang="ko">
                  {item.published_summary}
                </p>
              </Panel>
            )
          }
          besideHits={<Dismissals key={item.id} item={item} hits={hits} />}
          editorPlace={setEditorPlace}
        />
        <Panel title={text('timeline.title')}>
          <Timeline key={item.id} item={item} />
          {/* A case window shows one case only. */}
          {!isApart && <RecordLinks item={item} />}
        </Panel>
      </div>
      <DecisionPlace
        key={item.id}
        item={item}
        send={send}
        caret={hits[0]?.start ?? 0}
        figuresOf={figuresOf}
        suggested={suggested}
        hasKeys={hasKeys}
        wasSeen={wasSeen}
        editorPlace={editorPlace}
        onHelp={onHelp}
        onNext={onNext}
        onLater={onLater}
        onHandOver={onHandOver}
      />
    </article>
  );
}

interface DecisionPlaceProps extends Pick<
  ReviewDetailProps,
  'send' | 'hasKeys' | 'onHelp' | 'onNext' | 'onLater' | 'onHandOver'
> {
  item: Detail;
  caret: number;
  /** Compares a text's figures with the evidence. */
  figuresOf: (text: string) => CheckedFigure[];
  /** The preselected reason of a refusal. */
  suggested: ReasonCode | null;
  /** Whether the text has been visible. */
  wasSeen: () => boolean;
  /** In the column of the text; null until it is there. */
  editorPlace: HTMLElement | null;
}

/** The decision's buttons and forms, or why the user cannot decide. */
function DecisionPlace(props: DecisionPlaceProps): ReactNode {
  const { item, send, caret, figuresOf, suggested, hasKeys, wasSeen, editorPlace, onHelp, onNext, onLater } = props;
  const { onHandOver } = props;
  const hasColumns = useHasColumns();
  const text = useText();
  const notify = useNotify();
  const may = useMay();
  const handle = useDraft('decision', item);
  const mayDecide = may('review.decide');
  const isWaiting = item.status === 'PENDING_REVIEW';
  const saved = useServerDraft(item, handle);
  const operation = useDraft('operation', { ...item, summary: item.published_summary ?? item.summary });
  const [, navigate] = useLocation();
  const needsTwo = useNeedsTwo();
  /** Whether the decision would expose the text before the opinion that this reviewer requested. */
  const awaitsOpinion = (draft: ActionDraft): boolean => {
    const isFirstOfTwo = needsTwo && editedSummaryOf(draft) !== null && !isSecondApproval(item, draft);
    return item.opinion?.mine === true && item.opinion.given === null && !isFirstOfTwo;
  };
  useClaim(item.id, mayDecide && isWaiting);
  const { shortcuts } = useKeys();
  useShortcuts(shortcuts.decisions, hasKeys && mayDecide && isWaiting, (key) => {
    const action = meantBy(key, item);
    if (needsAnother(action, item)) notify({ tone: 'wait', glyph: 'waiting', message: text('fourEyes.mine') });
    else handle.open(action);
  });
  useShortcuts(shortcuts.later, hasKeys && mayDecide && isWaiting && onLater !== undefined, () => onLater?.());
  const mayHandOver = hasKeys && mayDecide && isWaiting && onHandOver !== undefined;
  useShortcuts(shortcuts.handOver, mayHandOver, () => onHandOver?.());
  const { draft } = handle;
  const isOpen = draft?.isOpen === true;
  const offers = useMemo(
    () => offersOf([...(item.draft?.hits ?? []), ...item.underReview.hits, ...item.hitsNow.summary], item.replacements),
    [item],
  );
  // The effect of a decision being sent may be visible before its answer.
  const isOnItsWay = send.isPending && send.variables.itemId === item.id;
  const hasMoved = draft !== null && draft.isOpen && hasMovedOn(draft, item) && !isOnItsWay;
  // Only a form that opens now takes the focus; one that came with its item does not. A note in its place ends that.
  const [cameOpen, setCameOpen] = useState(isOpen && !hasMoved ? draft.action : null);
  if (cameOpen !== null && (!isOpen || hasMoved || draft.action !== cameOpen)) setCameOpen(null);
  if (!mayDecide) return <p className={classes['noDecision']}>{text('review.notYourRole')}</p>;

  if (hasMoved) {
    return (
      <MovedOn
        draft={draft}
        item={item}
        handle={handle}
        onNext={onNext}
        onOperation={(action) => {
          operation.open(action);
          navigate(`/explanations/${encodeURIComponent(item.id)}`);
        }}
      />
    );
  }
  if (draft !== null && draft.isOpen) {
    const form = (
      <ActionForm
        key={draft.action}
        kind="decision"
        itemId={item.id}
        itemName={`${item.etf_ticker} ${item.etf_name}`}
        draft={draft}
        handle={{ ...handle, discard: saved.discard }}
        send={send}
        caret={caret}
        figuresOf={figuresOf}
        suggested={suggested}
        saved={saved.state}
        found={foundIn(draft.text, item)}
        offers={offers}
        awaitsOpinion={awaitsOpinion(draft)}
        needsAnother={isSecondApproval(item, draft) && item.waitingEdit?.mine === true}
        takesFocus={cameOpen === null}
        wasSeen={wasSeen}
        overtakes={overtakenBy(draft.action, item)}
        note={<DecisionNote item={item} draft={draft} saved={saved} />}
      />
    );
    // The text itself becomes the editor, beside its evidence.
    if (!hasColumns || ACTION_RULES[draft.action].asks !== 'text') return form;
    return editorPlace === null ? null : createPortal(form, editorPlace);
  }
  if (!isWaiting) {
    return (
      <p className={classes['noDecision']}>
        {text('review.decided', { status: text(`status.${item.status}`) })}
        {item.held !== null && (
          <>
            {' '}
            · {text('hold.until')} <KstTime at={item.held.until} precision="second" />
          </>
        )}
      </p>
    );
  }
  return (
    <>
      <ColleagueDrafts item={item} saved={saved} />
      <DecisionBar
        item={item}
        handle={handle}
        hasKeys={hasKeys}
        onHelp={onHelp}
        onLater={onLater}
        onHandOver={onHandOver}
      />
    </>
  );
}
