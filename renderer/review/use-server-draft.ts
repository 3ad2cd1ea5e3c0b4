import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { isConflict } from '../../shared/ui/http/request.ts';
import { refreshData } from '../../shared/ui/session/session-queries.ts';
import type { ReviewDetail } from '../../shared/wire/console.ts';
import type { ActionDraft } from '../actions/drafts.ts';
import type { DraftHandle } from '../actions/use-draft.ts';
import { useConsole } from '../api/console-context.tsx';

/** Typing comes to rest before it is saved; an API that does not answer is asked again later. In ms. */
const REST_MS = 1_200;
const AGAIN_MS = 5_000;

/** How what is being written stands with the server; null where nothing is being edited. */
export type ServerDraftState = 'unsaved' | 'saving' | 'saved' | 'failed' | 'paused' | null;

interface Kept {
  text: string | null;
  comment: string | null;
}

export interface ServerDraft {
  state: ServerDraftState;
  isSaving: boolean;
  /** Throws away what was written, here and on the server. */
  discard: () => void;
}

/**
 * Saves an edited text on the server while it is written, so that it is there on another machine and for
 * a colleague. Saving pauses when the item has moved on: then the person decides what becomes of the two.
 */
export function useServerDraft(item: ReviewDetail, handle: DraftHandle): ServerDraft {
  const { api, queries } = useConsole();
  const client = useQueryClient();
  const { draft } = handle;
  const save = useMutation({
    mutationFn: ({ version, kept }: { version: number; kept: Kept }) =>
      api.saveDraft({ id: item.id, version }, kept.text, kept.comment),
    onSuccess: (answer) => {
      handle.follow(answer.version);
      client.setQueryData(queries.reviewItem(item.id).queryKey, answer);
    },
    onError: (error) => {
      if (isConflict(error)) void refreshData(client);
    },
  });

  const kept = keptOf(draft);
  const isDirty =
    kept !== null && (kept.text !== item.edited_summary || (kept.comment ?? item.comment) !== item.comment);
  const isPaused = draft !== null && (item.version > draft.version || (save.isError && isConflict(save.error)));
  const { mutate, isPending, isError } = save;
  const version = draft?.version ?? 0;
  const text = kept?.text ?? null;
  const comment = kept?.comment ?? null;
  useEffect(() => {
    if (!isDirty || isPending || isPaused) return;
    const timer = setTimeout(() => mutate({ version, kept: { text, comment } }), isError ? AGAIN_MS : REST_MS);
    return () => clearTimeout(timer);
  }, [isDirty, isPending, isPaused, isError, version, text, comment, mutate]);

  function discard(): void {
    handle.discard();
    if (item.edited_summary !== null) mutate({ version: item.version, kept: { text: null, comment: null } });
  }

  return { state: stateOf(), isSaving: isPending, discard };

  function stateOf(): ServerDraftState {
    if (kept === null) return null;
    if (isPaused) return 'paused';
    if (isPending) return 'saving';
    if (isError && isDirty) return 'failed';
    if (isDirty) return 'unsaved';
    return item.edited_summary === null ? null : 'saved';
  }
}

/** What of a draft the server keeps: the edited text and the comment. An empty field is no draft yet. */
function keptOf(draft: ActionDraft | null): Kept | null {
  if (draft === null || !draft.isOpen || draft.action !== 'approve-edited' || draft.text.trim() === '') return null;
  const comment = draft.note.trim();
  return { text: draft.text === draft.base ? null : draft.text, comment: comment === '' ? null : comment };
}
