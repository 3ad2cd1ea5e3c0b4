import { useCallback, useId, useMemo, type ReactNode, type RefObject } from 'react';
import { useQuery } from '@tanstack/react-query';
import { EvidenceList } from '../../shared/ui/evidence/evidence-list.tsx';
import { fromStored } from '../../shared/ui/evidence/evidence.ts';
import { SourceEvents } from '../../shared/ui/evidence/source-events.tsx';
import { useShortcuts } from '../../shared/ui/keys/use-shortcuts.ts';
import { Loaded } from '../../shared/ui/parts/data-state.tsx';
import { Panel } from '../../shared/ui/parts/panel.tsx';
import type { ReviewDetail as Detail } from '../../shared/wire/console.ts';
import { ActionForm } from '../actions/action-form.tsx';
import { hasMovedOn, MovedOn } from '../actions/moved-on.tsx';
import { useDraft } from '../actions/use-draft.ts';
import type { Send } from '../actions/use-send.ts';
import { useConsole } from '../api/console-context.tsx';
import { factsOf } from '../figures/facts.ts';
import { FigureList } from '../figures/figure-list.tsx';
import { checkFigures, type CheckedFigure } from '../figures/support.ts';
import { ItemHead } from '../domain/item-head.tsx';
import { useText } from '../i18n/use-text.ts';
import { useMay } from '../session/session-context.ts';
import { Timeline } from '../timeline/timeline.tsx';
import { CheckTable } from './checks.tsx';
import { ClaimNote } from './claim-note.tsx';
import { Dismissals } from './dismissals.tsx';
import { DisclaimerNote } from './disclaimer-note.tsx';
import { DecisionBar } from './decision-bar.tsx';
import { HitList, MarkedText, numberHits } from './marked-text.tsx';
import classes from './review.module.css';
import { DECISION_SHORTCUTS } from './shortcuts.ts';
import { useClaim } from './use-claim.ts';
import { ApprovalNote, WaitingEdit } from './waiting-edit.tsx';
import { useServerDraft } from './use-server-draft.ts';

export interface ReviewDetailProps {
  id: string;
  send: Send;
  /** Whether the decision keys work at this moment. */
  hasKeys: boolean;
  onHelp: () => void;
  /** What scrolls, for the keys that scroll it. */
  scroller: RefObject<HTMLDivElement | null>;
}

export function ReviewDetail({ id, ...rest }: ReviewDetailProps): ReactNode {
  const { queries } = useConsole();
  return (
    <Loaded query={useQuery(queries.reviewItem(id))}>
      {(item) => <LoadedDetail key={item.id} item={item} {...rest} />}
    </Loaded>
  );
}

type LoadedDetailProps = Omit<ReviewDetailProps, 'id'> & { item: Detail };

function LoadedDetail({ item, send, hasKeys, onHelp, scroller }: LoadedDetailProps): ReactNode {
  const text = useText();
  const headingId = useId();
  const hits = useMemo(() => numberHits(item.checks.flatMap((check) => check.hits)), [item.checks]);
  const evidences = useMemo(() => item.grounds.evidences.map(fromStored), [item.grounds.evidences]);
  const facts = useMemo(() => factsOf(item, evidences), [item, evidences]);
  const figuresOf = useCallback((shown: string) => checkFigures(shown, [item.etf_name], facts), [item.etf_name, facts]);
  const figures = useMemo(() => figuresOf(item.summary), [figuresOf, item.summary]);
  return (
    <article className={classes['detail']} aria-labelledby={headingId}>
      <div ref={scroller} className={classes['scroll']} role="region" aria-label={text('review.detail')} tabIndex={0}>
        <ItemHead item={item} headingId={headingId} badges={<ClaimNote claim={item.claim} />} />
        <WaitingEdit item={item} />
        <div className={classes['columns']}>
          <div>
            <Panel title={text('review.text')}>
              <MarkedText text={item.summary} hits={hits} figures={figures} />
            </Panel>
            <Panel title={text('review.disclaimer')}>
              <DisclaimerNote />
            </Panel>
            {item.published_summary !== null && item.published_summary !== item.summary && (
              <Panel title={text('review.publishedText')}>
                <p className={classes['text']} lang="ko">
                  {item.published_summary}
                </p>
              </Panel>
            )}
            {hits.length > 0 && (
              <Panel title={text('review.hits', { count: hits.length })}>
                <HitList hits={hits} />
                <Dismissals item={item} hits={hits} />
              </Panel>
            )}
            <Panel title={text('figure.title', { count: figures.length, open: openOf(figures) })}>
              <FigureList figures={figures} />
            </Panel>
            <Panel title={text('review.checks')}>
              <CheckTable checks={item.checks} />
            </Panel>
          </div>
          <div>
            <Panel title={text('review.evidences', { count: evidences.length })}>
              <EvidenceList evidences={evidences} />
            </Panel>
            <Panel title={text('review.events', { count: item.grounds.source_events.length })}>
              <SourceEvents events={item.grounds.source_events} />
            </Panel>
          </div>
        </div>
        <Panel title={text('timeline.title')}>
          <Timeline item={item} />
        </Panel>
      </div>
      <DecisionPlace
        item={item}
        send={send}
        caret={hits[0]?.start ?? 0}
        figuresOf={figuresOf}
        hasKeys={hasKeys}
        onHelp={onHelp}
      />
    </article>
  );
}

/** How many figures no evidence bears out as they stand. */
function openOf(figures: readonly CheckedFigure[]): number {
  return figures.filter(({ support }) => support.state !== 'supported').length;
}

interface DecisionPlaceProps {
  item: Detail;
  send: Send;
  caret: number;
  /** Holds a text's figures against the evidence. */
  figuresOf: (text: string) => CheckedFigure[];
  hasKeys: boolean;
  onHelp: () => void;
}

/** Where the decision is made; or why there is none to make. */
function DecisionPlace({ item, send, caret, figuresOf, hasKeys, onHelp }: DecisionPlaceProps): ReactNode {
  const text = useText();
  const may = useMay();
  const handle = useDraft('decision', item);
  const mayDecide = may('review.decide');
  const isWaiting = item.status === 'PENDING_REVIEW';
  const saved = useServerDraft(item, handle);
  useClaim(item.id, mayDecide && isWaiting);
  useShortcuts(DECISION_SHORTCUTS, hasKeys && mayDecide && isWaiting, handle.open);
  if (!mayDecide) return <p className={classes['noDecision']}>{text('review.notYourRole')}</p>;

  const { draft } = handle;
  // While a decision is on its way, its own effect may be seen before its answer.
  const isOnItsWay = saved.isSaving || (send.isPending && send.variables.itemId === item.id);
  if (draft !== null && draft.isOpen && hasMovedOn(draft, item) && !isOnItsWay) {
    return <MovedOn draft={draft} item={item} handle={handle} />;
  }
  if (draft !== null && draft.isOpen) {
    return (
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
        saved={saved.state}
        hits={item.edited_summary === draft.text ? item.hitsNow.edited_summary : null}
        note={draft.action === 'approve-edited' && <ApprovalNote item={item} written={draft.text} />}
      />
    );
  }
  if (!isWaiting) {
    return <p className={classes['noDecision']}>{text('review.decided', { status: text(`status.${item.status}`) })}</p>;
  }
  return <DecisionBar handle={handle} onHelp={onHelp} />;
}
