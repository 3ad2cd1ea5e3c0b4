import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { useContext, useState } from 'react';
import { isConflict, messagesAbout, toAcknowledge } from '../../../shared/ui/http/request.ts';
import { useKeyRest } from '../../../shared/ui/keys/takes-keys.tsx';
import { SEND_KEY } from '../../../shared/ui/parts/open-form.tsx';
import { refreshAfterPaint, refreshData } from '../../../shared/ui/session/session-queries.ts';
import type { ReviewDetail } from '../../../shared/wire/console/console.ts';
import { useConsole } from '../../api/console-context.tsx';
import { useLiveState } from '../../api/live-provider.tsx';
import { useProfile } from '../../api/session-context.ts';
import type { Acknowledged } from '../../api/client.ts';
import { editedSummaryOf, notExposed, send, type Sent, type ActionDraft } from './actions.ts';
import { NotTakenError, sendOrReadBack } from '../parts/lost-response.ts';
import { isUnseen } from './unseen-decision.tsx';
import { DraftContext, draftKey, type DraftKind } from './use-draft.ts';

/** A draft being sent, bound to its item, independent of the list's present content. */
export interface Sending {
  kind: DraftKind;
  itemId: string;
  draft: ActionDraft;
  /** Findings that the server asked about and the user accepts. */
  acknowledged: Acknowledged;
  /** Whether the reviewer decides without the requested second opinion. */
  withoutOpinion: boolean;
}

export type Send = UseMutationResult<Sent, Error, Sending> & {
  /** A request without an answer, which may have been done; its outcome is being looked up. */
  unanswered: Sending | null;
};

/** The refusal of a form, and the findings that sending it again acknowledges. */
export interface Refusal {
  error: Error;
  acknowledged: Acknowledged;
}

/**
 * The last refusal, if it was about this item. One sender serves all items of a screen: an acknowledged word in one
 * text is not acknowledged in another.
 */
export function refusalOf(
  { error, variables }: Pick<Send, 'error' | 'variables'>,
  kind: DraftKind,
  itemId: string,
): Refusal | null {
  if (error === null || variables?.kind !== kind || variables.itemId !== itemId) return null;
  const also = (before: readonly string[], what: 'Words' | 'Figures'): string[] => [
    ...new Set([...before, ...toAcknowledge(error, what)]),
  ];
  const { words, figures } = variables.acknowledged;
  return { error, acknowledged: { words: also(words, 'Words'), figures: also(figures, 'Figures') } };
}

/**
 * The outcome of a draft whose answer was lost; null if nothing was done. The draft's version admits no transition
 * before its own, so its transition is the first one of the history beyond that version.
 */
export function becameOf(
  item: ReviewDetail,
  { draft, movesBefore, displayName }: { draft: ActionDraft; movesBefore: number; displayName: string },
): Sent | null {
  const { status, version, held, history, waitingEdit } = item;
  const next = history[movesBefore];
  const move = draft.action === 'approve-carried' ? 'approve-edited' : draft.action;
  if (next !== undefined && next.move === move && next.actor === displayName)
    return {
      became: 'done',
      hold: held === null || status !== next.to ? null : { version, ...held },
      obstacle: notExposed(item),
      aheadUntil: item.aheadUntil,
    };
  const isWaiting = waitingEdit?.approvedByMe === true && waitingEdit.text === editedSummaryOf(draft);
  return isWaiting ? { became: 'waits', hold: null, obstacle: null, aheadUntil: null } : null;
}

export interface SendListener {
  /** The request begins. */
  onSending?: (sending: Sending) => void;
  onDone: (sent: Sending, answer: Sent) => void;
  /** It was not done, or its answer is lost. */
  onUncertain?: (sending: Sending) => void;
}

/**
 * Sends drafts. A draft is dropped only after the server has accepted it; a conflict reloads the item, so that the user
 * sees its present state.
 */
export function useSend({ onSending, onDone, onUncertain }: SendListener): Send {
  const { api, queries } = useConsole();
  const client = useQueryClient();
  const { displayName } = useProfile();
  const live = useLiveState();
  const drafts = useContext(DraftContext);
  const keys = useKeyRest();
  const [unanswered, setUnanswered] = useState<Sending | null>(null);
  /** The number of transitions in the item on screen. */
  const movesOf = (itemId: string): number =>
    Math.max(
      client.getQueryData(queries.reviewItem(itemId).queryKey)?.history.length ?? 0,
      client.getQueryData(queries.explanation(itemId).queryKey)?.history.length ?? 0,
    );
  const mutation = useMutation({
    mutationFn: (sending: Sending) => {
      const { itemId, draft, ...consent } = sending;
      const movesBefore = movesOf(itemId);
      return sendOrReadBack(client, {
        send: () => send(api, { id: itemId, version: draft.version }, draft, consent),
        readBack: async () => {
          const item = await api.reviewItem(itemId).catch((error: unknown) => {
            // It awaits the caller's blind review: another reviewer has decided it.
            if (isUnseen(error)) return null;
            throw error;
          });
          return item === null ? null : becameOf(item, { draft, movesBefore, displayName });
        },
        onLost: () => {
          setUnanswered(sending);
          onUncertain?.(sending);
        },
      });
    },
    onMutate: (sending) => {
      keys.sent(SEND_KEY);
      onSending?.(sending);
    },
    onSettled: () => setUnanswered(null),
    onSuccess: (answer, sent) => {
      drafts?.remove(draftKey(sent.kind, sent.itemId));
      onDone(sent, answer);
      // The next item is on screen: the event of this decision has the rest read, once.
      if (sent.kind === 'decision' && live.state === 'live') {
        const { itemId } = sent;
        for (const { queryKey } of [queries.reviewItem(itemId), queries.timeline(itemId)])
          void client.invalidateQueries({ queryKey });
      } else refreshAfterPaint(client);
    },
    onError: (error, sending) => {
      keys.refused();
      onUncertain?.(sending);
      const isAwaited = messagesAbout(error, 'body.withoutOpinion').length > 0;
      if (isConflict(error) || isAwaited || error instanceof NotTakenError) void refreshData(client);
    },
  });
  return { ...mutation, unanswered };
}
