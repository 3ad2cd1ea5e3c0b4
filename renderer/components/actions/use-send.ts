import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { useContext, useState } from 'react';
import { isConflict, messagesAbout, wordsToLookAt } from '../../../shared/ui/http/request.ts';
import { refreshAfterPaint, refreshData } from '../../../shared/ui/session/session-queries.ts';
import type { ReviewDetail } from '../../../shared/wire/console/console.ts';
import { useConsole } from '../../api/console-context.tsx';
import { useProfile } from '../../api/session-context.ts';
import { editedSummaryOf, notShown, send, type Sent, type ActionDraft } from './actions.ts';
import { NotTakenError, sendOrLook } from '../parts/lost-response.ts';
import { isUnseen } from './unseen-decision.tsx';
import { DraftContext, draftKey, type DraftKind } from './use-draft.ts';

/** A draft on its way, bound to its item: what the list shows meanwhile has no say in it. */
export interface Sending {
  kind: DraftKind;
  itemId: string;
  draft: ActionDraft;
  /** Words that the server has asked about and the person lets stand. */
  acknowledged: readonly string[];
  /** Whether they decide without the second opinion that they have asked for. */
  withoutOpinion: boolean;
}

export type Send = UseMutationResult<Sent, Error, Sending> & {
  /** A request that has no answer and may have been done; the API is asked what has become of it. */
  unanswered: Sending | null;
};

/** The refusal of a form, and the words that sending it again says were looked at. */
export interface Refusal {
  error: Error;
  acknowledged: readonly string[];
}

/**
 * The refusal of what was sent last, if it was about this item. One sender serves all items of a screen: what was
 * looked at in one text says nothing of the same word in another, nor of one that was taken since.
 */
export function refusalOf(
  { error, variables }: Pick<Send, 'error' | 'variables'>,
  kind: DraftKind,
  itemId: string,
): Refusal | null {
  if (error === null || variables?.kind !== kind || variables.itemId !== itemId) return null;
  return { error, acknowledged: [...variables.acknowledged, ...wordsToLookAt(error).map(({ id }) => id)] };
}

/**
 * The outcome of a draft whose answer was lost; null where nothing was done. The version that it was bound to lets no
 * other move come before it, so its own is the first that the history has beyond what the person had before them.
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
      obstacle: notShown(item),
    };
  const isWaiting = waitingEdit?.approvedByMe === true && waitingEdit.text === editedSummaryOf(draft);
  return isWaiting ? { became: 'waits', hold: null, obstacle: null } : null;
}

/**
 * Sends drafts. The draft is dropped only after the server has taken it; a conflict renews what
 * is on screen, so that the person sees what the item has become.
 */
export function useSend(onDone: (sent: Sending, answer: Sent) => void): Send {
  const { api, queries } = useConsole();
  const client = useQueryClient();
  const { displayName } = useProfile();
  const drafts = useContext(DraftContext);
  const [unanswered, setUnanswered] = useState<Sending | null>(null);
  /** As many moves as the item on screen tells. */
  const movesOf = (itemId: string): number =>
    Math.max(
      client.getQueryData(queries.reviewItem(itemId).queryKey)?.history.length ?? 0,
      client.getQueryData(queries.explanation(itemId).queryKey)?.history.length ?? 0,
    );
  const mutation = useMutation({
    mutationFn: (sending: Sending) => {
      const { itemId, draft, ...consent } = sending;
      const movesBefore = movesOf(itemId);
      return sendOrLook(client, {
        send: () => send(api, { id: itemId, version: draft.version }, draft, consent),
        look: async () => {
          const item = await api.reviewItem(itemId).catch((error: unknown) => {
            // It awaits the caller's blind review: somebody else has decided it.
            if (isUnseen(error)) return null;
            throw error;
          });
          return item === null ? null : becameOf(item, { draft, movesBefore, displayName });
        },
        onLost: () => setUnanswered(sending),
      });
    },
    onSettled: () => setUnanswered(null),
    onSuccess: (answer, sent) => {
      drafts?.remove(draftKey(sent.kind, sent.itemId));
      onDone(sent, answer);
      refreshAfterPaint(client);
    },
    onError: (error) => {
      const isAwaited = messagesAbout(error, 'body.withoutOpinion').length > 0;
      if (isConflict(error) || isAwaited || error instanceof NotTakenError) void refreshData(client);
    },
  });
  return { ...mutation, unanswered };
}
