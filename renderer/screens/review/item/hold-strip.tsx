import { Button, VisuallyHidden } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState, type ReactNode } from 'react';
import { isConflict } from '../../../../shared/ui/http/request.ts';
import { useShortcuts } from '../../../../shared/ui/keys/use-shortcuts.ts';
import { Glyph } from '../../../../shared/ui/parts/glyphs.tsx';
import { useNotify } from '../../../../shared/ui/parts/notices.tsx';
import { refreshData } from '../../../../shared/ui/session/session-queries.ts';
import type { ReviewDetail } from '../../../../shared/wire/console/console.ts';
import { sendOrReadBack } from '../../../components/parts/lost-response.ts';
import { useConsole } from '../../../api/console-context.tsx';
import { useText } from '../../../i18n/use-text.ts';
import { ChangeError, NOT_KNOWN_YET } from '../../../components/parts/change-error.tsx';
import { useMay, useProfile } from '../../../api/session-context.ts';
import classes from './review.module.css';
import type { Hold, Holds } from './use-holds.ts';
import { useKeys } from './use-keys.ts';

const TICK_MS = 250;

export interface HoldStripProps {
  holds: Holds;
  /** Whether a decision is under way: the key would take back the one before it. */
  isSending: boolean;
  /** Called when the explanation is in review again. */
  onUndone: (id: string) => void;
  /** Called when the focused element has been removed. */
  onFocusLost: () => void;
}

/**
 * The approvals on hold, each with its remaining seconds and an undo, which moves the text to review. The strip takes
 * no focus. Screen readers announce the beginning (a notice) and the end, not each second.
 */
export function HoldStrip({ holds: { holds, remove }, isSending, onUndone, onFocusLost }: HoldStripProps): ReactNode {
  const text = useText();
  const { api, queries } = useConsole();
  const client = useQueryClient();
  const notify = useNotify();
  const { displayName } = useProfile();
  const mayDecide = useMay()('review.decide');
  const [isUnanswered, setIsUnanswered] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  const [now, setNow] = useState(() => performance.now());
  const [over, setOver] = useState('');

  const undo = useMutation({
    mutationFn: ({ id, version }: Hold) =>
      sendOrReadBack<Pick<ReviewDetail, 'history'>>(client, {
        send: () => api.moveToReview({ id, version }, null),
        readBack: async () => {
          const item = await api.reviewItem(id);
          const last = item.history.at(-1);
          return item.version > version && last?.move === 'move-to-review' && last.actor === displayName ? item : null;
        },
        onLost: () => setIsUnanswered(true),
      }),
    onSettled: () => setIsUnanswered(false),
    onSuccess: ({ history }, hold) => {
      const isUndone = history.at(-1)?.duringHold === true;
      const message = text(isUndone ? 'hold.undone' : 'hold.undoneLate', { item: hold.name });
      notify({ tone: isUndone ? 'good' : 'wait', glyph: isUndone ? 'tick' : 'warning', message });
      remove(hold.id);
      // As it was before its approval it would be decided in vain: its version is another.
      void client.resetQueries({ queryKey: queries.reviewItem(hold.id).queryKey });
      onUndone(hold.id);
      void refreshData(client);
    },
    onError: (error, hold) => {
      if (!isConflict(error)) return;
      notify({ tone: 'bad', glyph: 'warning', message: text('hold.moved', { item: hold.name }) });
      remove(hold.id);
      void refreshData(client);
    },
  });

  const tick = useEffectEvent(() => {
    const at = performance.now();
    setNow(at);
    const ended = holds.filter(({ id, endsAt }) => endsAt <= at && !(undo.isPending && undo.variables.id === id));
    for (const hold of ended) {
      if (
        list.current?.querySelector(`[data-hold="${CSS.escape(hold.id)}"]`)?.contains(document.activeElement) === true
      )
        onFocusLost();
      remove(hold.id);
      setOver(text(hold.isReplaced ? 'hold.overReplaced' : 'hold.over', { item: hold.name }));
    }
  });
  const isAny = holds.length > 0;
  useEffect(() => {
    if (!isAny) return;
    const timer = setInterval(() => tick(), TICK_MS);
    return () => clearInterval(timer);
  }, [isAny]);

  const [last] = holds;
  const isAbout = undo.error !== null && !isConflict(undo.error) && holds.some(({ id }) => id === undo.variables.id);
  const { shortcuts, shownCapOf } = useKeys();
  const cap = shownCapOf('undo');
  useShortcuts(shortcuts.undo, mayDecide, () => {
    if (isSending) notify({ tone: 'wait', glyph: 'waiting', message: text('hold.sending') });
    else if (last === undefined) notify({ tone: 'info', glyph: 'waiting', message: text('hold.none') });
    else if (!undo.isPending) undo.mutate(last);
  });

  return (
    <>
      <VisuallyHidden role="status">{over}</VisuallyHidden>
      {isAny && (
        <section className={classes['holds']} aria-label={text('hold.title')}>
          <ul ref={list}>
            {holds.map((hold) => (
              <li key={hold.id} data-hold={hold.id}>
                <Glyph name="waiting" />
                <span id={`hold-${hold.id}`} className={classes['holdName']}>
                  {hold.name}
                </span>
                <span role="timer" className={classes['holdLeft']}>
                  {text(hold.isReplaced ? 'hold.leftReplaced' : 'hold.left', {
                    seconds: Math.max(0, Math.ceil((hold.endsAt - now) / 1_000)),
                  })}
                </span>
                <Button
                  variant="default"
                  size="compact-sm"
                  aria-describedby={`hold-${hold.id}`}
                  aria-keyshortcuts={hold === last ? cap : undefined}
                  rightSection={hold === last && cap !== undefined && <kbd aria-hidden="true">{cap}</kbd>}
                  loading={undo.isPending && undo.variables.id === hold.id}
                  onClick={() => undo.mutate(hold)}
                >
                  {text('hold.undo')}
                </Button>
              </li>
            ))}
          </ul>
          <ChangeError error={isUnanswered ? NOT_KNOWN_YET : isAbout ? undo.error : null} />
        </section>
      )}
    </>
  );
}
