import { Button } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import { useTakesKeys } from '../../shared/ui/keys/takes-keys.tsx';
import { Glyph } from '../../shared/ui/parts/glyphs.tsx';
import { DiffView } from '../../shared/ui/text/diff-view.tsx';
import { KstTime } from '../../shared/ui/time/times.tsx';
import type { ExplanationStatus, StateChange } from '../../shared/wire/console.ts';
import { Actor, ReasonText } from '../domain/actor-and-reason.tsx';
import { StatusBadge } from '../domain/status-badge.tsx';
import { useText } from '../i18n/use-text.ts';
import { ACTION_RULES } from './actions.ts';
import classes from './actions.module.css';
import type { ActionDraft } from './drafts.ts';
import type { DraftHandle } from './use-draft.ts';

export interface PresentItem {
  id: string;
  version: number;
  status: ExplanationStatus;
  summary: string;
  published_summary: string | null;
  history: readonly StateChange[];
}

/** Whether the item is no longer what the draft was written about, or no longer allows it. */
export function hasMovedOn(draft: ActionDraft, item: PresentItem): boolean {
  // A draft that is ahead was just saved: what is on screen is about to follow.
  return draft.version < item.version || !ACTION_RULES[draft.action].from.includes(item.status);
}

/** Somebody else was faster, or the text has changed: theirs beside mine, and mine is kept until I let it go. */
export function MovedOn({
  draft,
  item,
  handle,
}: {
  draft: ActionDraft;
  item: PresentItem;
  handle: DraftHandle;
}): ReactNode {
  const text = useText();
  const region = useRef<HTMLElement>(null);
  // It may take the place of a form in which somebody types.
  useTakesKeys('form');
  useEffect(() => region.current?.focus(), []);
  const last = item.history.at(-1);
  const isStillAllowed = ACTION_RULES[draft.action].from.includes(item.status);
  const theirs = item.published_summary ?? item.summary;
  const mine = ACTION_RULES[draft.action].asks === 'text' ? draft.text : null;
  return (
    <section ref={region} className={classes['form']} data-tone="wait" role="alert" tabIndex={-1}>
      <p className={classes['title']}>
        <Glyph name="warning" size={14} /> {text(isStillAllowed ? 'moved.changed' : 'moved.decided')}
      </p>
      <div className={classes['sides']}>
        <div>
          <p className={classes['label']}>{text('moved.theirs')}</p>
          <p className={classes['state']}>
            <StatusBadge status={item.status} />
            {last !== undefined && (
              <>
                <span>{text(`move.${last.move}`)}</span>
                <Actor actor={last.actor} />
                <KstTime at={last.at} precision="second" />
                {last.reason !== null && <ReasonText reason={last.reason} />}
              </>
            )}
          </p>
          <p className={classes['shown']} lang="ko">
            {theirs}
          </p>
        </div>
        <div>
          <p className={classes['label']}>{text('moved.mine', { action: text(`action.${draft.action}.confirm`) })}</p>
          {draft.code !== null && <p>{text(`reason.${draft.code}`)}</p>}
          {draft.note.trim() !== '' && <p>{draft.note}</p>}
          {mine !== null && (
            <div className={classes['shown']}>
              <DiffView before={theirs} after={mine} />
            </div>
          )}
          {mine === null && draft.code === null && draft.note.trim() === '' && (
            <p className={classes['hint']}>{text('moved.nothingWritten')}</p>
          )}
        </div>
      </div>
      <div className={classes['buttons']}>
        {isStillAllowed && <Button onClick={handle.rebind}>{text('moved.continue')}</Button>}
        <Button variant="default" onClick={handle.discard}>
          {text('moved.discard')}
        </Button>
      </div>
    </section>
  );
}
