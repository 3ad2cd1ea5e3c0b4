import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { useContext } from 'react';
import { isConflict, messagesAbout, wordsToLookAt } from '../../shared/ui/http/request.ts';
import { refreshData } from '../../shared/ui/session/session-queries.ts';
import { useConsole } from '../api/console-context.tsx';
import { send, type Sent } from './actions.ts';
import type { ActionDraft } from './drafts.ts';
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

export type Send = UseMutationResult<Sent, Error, Sending>;

/** What a form has been refused with, and the words that sending it again says were looked at. */
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
 * Sends drafts. What was written is dropped only after the server has taken it; a conflict renews what
 * is on screen, so that the person sees what the item has become.
 */
export function useSend(onDone: (sent: Sending, answer: Sent) => void): Send {
  const { api } = useConsole();
  const client = useQueryClient();
  const drafts = useContext(DraftContext);
  return useMutation({
    mutationFn: ({ itemId, draft, ...consent }: Sending) =>
      send(api, { id: itemId, version: draft.version }, draft, consent),
    onSuccess: (answer, sent) => {
      drafts?.remove(draftKey(sent.kind, sent.itemId));
      onDone(sent, answer);
      void refreshData(client);
    },
    onError: (error) => {
      const isAwaited = messagesAbout(error, 'body.withoutOpinion').length > 0;
      if (isConflict(error) || isAwaited) void refreshData(client);
    },
  });
}
