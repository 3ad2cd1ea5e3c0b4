import { Button, CopyButton } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import { takeLostFocus, useTakesKeys } from '../../../shared/ui/keys/takes-keys.tsx';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import { DiffView } from '../../../shared/ui/text/diff-view.tsx';
import { KstTime } from '../../../shared/ui/time/times.tsx';
import type { ExplanationStatus, Obstacle, ReviewDetail, StateChange } from '../../../shared/wire/console/console.ts';
import { Actor, ReasonText } from '../domain/actor-and-reason.tsx';
import { isHeld, StatusBadge, VisibilityBadge } from '../domain/status-badge.tsx';
import { useText } from '../../i18n/use-text.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { useMay } from '../../api/session-context.ts';
import { ACTION_RULES, editedSummaryOf, OPERATIONS, type ActionDraft } from './actions.ts';
import classes from './actions.module.css';
import type { DraftHandle } from './use-draft.ts';

export interface PresentItem {
  id: string;
  version: number;
  status: ExplanationStatus;
  summary: string;
  published_summary: string | null;
  history: readonly StateChange[];
  waitingEdit?: ReviewDetail['waitingEdit'];
  /** Of an item of the queue. */
  held?: ReviewDetail['held'];
  /** Of an explanation. */
  obstacle?: Obstacle | null;
}

/** Whether the item has changed since the draft, or no longer allows it. */
export function hasMovedOn(draft: ActionDraft, item: PresentItem): boolean {
  // A draft of a later version was just sent: the screen will follow.
  return draft.version < item.version || !ACTION_RULES[draft.action].from.includes(item.status);
}

/** The transition in between, if recorded: the last one, or a first approval that has waited since. */
interface Between {
  /** The same user has done it in another window. */
  isMine: boolean;
  what: { move: StateChange } | { waits: NonNullable<ReviewDetail['waitingEdit']> } | null;
}

function whatCameBetween({ history, waitingEdit = null }: PresentItem): Between {
  const move = history.at(-1);
  if (waitingEdit !== null && (move === undefined || waitingEdit.at >= move.at))
    return { isMine: waitingEdit.approvedByMe, what: { waits: waitingEdit } };
  return move === undefined ? { isMine: false, what: null } : { isMine: move.mine, what: { move } };
}

export interface MovedOnProps {
  draft: ActionDraft;
  item: PresentItem;
  handle: DraftHandle;
  /** Goes to the next item of the list; absent at the end. */
  onNext?: (() => void) | undefined;
  /** Opens the form of an action that the new state allows; absent where actions are elsewhere. */
  onOperation?: (action: (typeof OPERATIONS)[number]) => void;
}

/** Shows the item's new state beside the written text, which is kept until the user discards it. */
export function MovedOn({ draft, item, handle, onNext, onOperation }: MovedOnProps): ReactNode {
  const text = useText();
  const may = useMay();
  const region = useRef<HTMLElement>(null);
  // It may replace a form in which the user is typing.
  useTakesKeys('form');
  useEffect(() => takeLostFocus(region.current, {}), []);
  const { isMine, what } = whatCameBetween(item);
  const obstacle = item.obstacle ?? (item.held ? 'HELD' : null);
  const rule = ACTION_RULES[draft.action];
  const isStillAllowed = rule.from.includes(item.status);
  const theirs = what !== null && 'waits' in what ? what.waits.text : (item.published_summary ?? item.summary);
  const edited = editedSummaryOf(draft);
  const written = [draft.action === 'approve-edited' || draft.action === 'correct' ? draft.text : '', draft.note.trim()]
    .filter((words) => words !== '')
    .join('\n\n');
  // The explanation's page knows whose block it was.
  const possible = OPERATIONS.filter(
    (operation) =>
      operation !== 'correct' && operation !== 'unblock' && ACTION_RULES[operation].from.includes(item.status),
  );
  return (
    <section ref={region} className={classes['form']} data-tone="wait" role="alert" tabIndex={-1}>
      <p className={classes['title']}>
        <Glyph name="warning" size={14} /> {text(titleOf(isMine, isStillAllowed))}
      </p>
      <div className={classes['sides']}>
        <div>
          <p className={classes['label']}>{text('moved.theirs')}</p>
          <p className={classes['state']}>
            <StatusBadge status={item.status} />
            {isHeld(obstacle) && <VisibilityBadge item={{ exposed: false, obstacle }} />}
            {what !== null && <Change what={what} isMine={isMine} />}
          </p>
          <p className={classes['shown']} lang="ko">
            {theirs}
          </p>
        </div>
        <div>
          <p className={classes['label']}>{text('moved.mine', { action: text(`action.${draft.action}.confirm`) })}</p>
          {draft.code !== null && <p>{text(`reason.${draft.code}`)}</p>}
          {draft.note.trim() !== '' && <p>{draft.note}</p>}
          {edited !== null && (
            <div className={classes['shown']}>
              <DiffView before={theirs} after={edited} />
            </div>
          )}
          {edited === null && draft.code === null && draft.note.trim() === '' && (
            <p className={classes['hint']}>{text('moved.nothingWritten')}</p>
          )}
        </div>
      </div>
      <div className={classes['buttons']}>
        {isStillAllowed && <Button onClick={handle.rebind}>{text('moved.continue')}</Button>}
        {onNext !== undefined && (
          <Button variant={isStillAllowed ? 'default' : 'filled'} onClick={onNext}>
            {text('moved.next')}
          </Button>
        )}
        {written !== '' && (
          <CopyButton value={written}>
            {({ copied, copy }) => (
              <Button variant="default" onClick={copy}>
                {text(copied ? 'moved.copied' : 'moved.copy')}
              </Button>
            )}
          </CopyButton>
        )}
        {onOperation !== undefined &&
          possible
            .filter((operation) => may(ACTION_RULES[operation].permission))
            .map((operation) => (
              <Button key={operation} variant="default" onClick={() => onOperation(operation)}>
                {text(`action.${operation}.confirm`)}
              </Button>
            ))}
        <ConfirmButton
          label={text('moved.discard')}
          named={text('moved.discard')}
          size="xs"
          onConfirm={handle.discard}
        />
      </div>
    </section>
  );
}

function titleOf(isMine: boolean, isStillAllowed: boolean) {
  if (isMine) return isStillAllowed ? 'moved.changedByMe' : 'moved.decidedByMe';
  return isStillAllowed ? 'moved.changed' : 'moved.decided';
}

function Change({ what, isMine }: { what: NonNullable<Between['what']>; isMine: boolean }): ReactNode {
  const text = useText();
  const { name, actor, at } =
    'move' in what
      ? { name: text(`move.${what.move.move}`), actor: what.move.actor, at: what.move.at }
      : { name: text('timeline.EDIT_WAITS'), actor: what.waits.displayName, at: what.waits.at };
  return (
    <>
      <span>{name}</span>
      <Actor actor={actor} />
      {isMine && <span>{text('moved.me')}</span>}
      <KstTime at={at} precision="second" />
      {'move' in what && what.move.reason !== null && <ReasonText reason={what.move.reason} />}
    </>
  );
}
