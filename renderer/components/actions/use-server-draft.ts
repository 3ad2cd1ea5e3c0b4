import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { isConflict } from '../../../shared/ui/http/request.ts';
import { refreshData } from '../../../shared/ui/session/session-queries.ts';
import type { ReviewDetail } from '../../../shared/wire/console/console.ts';
import type { ActionDraft } from './actions.ts';
import { isUntouched, type DraftHandle } from './use-draft.ts';
import { useConsole } from '../../api/console-context.tsx';

/** Pause in typing before a save, in ms; an API that does not answer gets another attempt later. */
const REST_MS = 1_200;
const AGAIN_MS = 5_000;

/**
 * The state of the edited text on the server; null without an edit. `elsewhere`: another window of the same user has
 * saved a different text.
 */
export type ServerDraftState = 'unsaved' | 'saving' | 'saved' | 'failed' | 'paused' | 'elsewhere' | null;

interface StoredDraft {
  text: string | null;
  comment: string | null;
}

export interface ServerDraft {
  state: ServerDraftState;
  /** Discards the text, here and on the server. */
  discard: () => void;
  /** Takes a colleague's draft over and opens it. */
  takeOver: (draftId: string) => void;
  /** Why a colleague's draft could not be taken over. */
  takeOverError: Error | null;
  /** Starts again from the received text: from then on it holds no colleague's words. */
  beginAnew: () => void;
  /** Resolves the conflict with the other window: takes its text, or overwrites it with this one. */
  settle: (which: 'there' | 'here') => void;
}

/**
 * Saves an edited text on the server while it is written, so that another window of the same user has it. Saving pauses
 * when the item has changed or the other window has saved: then the user decides.
 */
export function useServerDraft(item: ReviewDetail, handle: DraftHandle): ServerDraft {
  const { api, queries } = useConsole();
  const client = useQueryClient();
  const { draft } = handle;
  const own = item.draft;
  const put = (answer: ReviewDetail): void => {
    client.setQueryData(queries.reviewItem(item.id).queryKey, answer);
  };
  const onError = (error: Error): void => {
    if (isConflict(error)) void refreshData(client);
  };
  const save = useMutation({
    mutationFn: ({ version, kept, draftVersion }: { version: number; kept: StoredDraft; draftVersion: number }) =>
      api.saveDraft({ id: item.id, version }, { ...kept, draftVersion }),
    onSuccess: (answer, { kept }) => {
      const { version = 0 } = answer.draft ?? {};
      handle.change({ saved: { version, text: kept.text ?? '', note: kept.comment ?? '' } });
      put(answer);
    },
    onError,
  });
  const taking = useMutation({
    mutationFn: (draftId: string) => api.takeDraftOver(item, draftId, own?.version ?? 0),
    onSuccess: (answer) => {
      handle.adopt(answer.draft, 'approve-edited');
      put(answer);
    },
    onError,
  });

  const kept = storedDraftOf(draft);
  // A reason that was chosen in a refusal's form is no change of the text.
  const isDirty = kept !== null && draft !== null && !isUntouched({ ...draft, code: null });
  const isElsewhere = draft !== null && !save.isPending && (own?.version ?? 0) > draft.saved.version;
  const isPaused = draft !== null && item.version > draft.version;
  const adopt = useEffectEvent(() => handle.adopt(own));
  const isBehind = isElsewhere && isUntouched(draft);
  useEffect(() => {
    if (isBehind) adopt();
  }, [isBehind]);

  const { mutate, isPending, isError } = save;
  const version = draft?.version ?? 0;
  const draftVersion = draft?.saved.version ?? 0;
  const text = kept?.text ?? null;
  const comment = kept?.comment ?? null;
  const waits = !isDirty || isPending || isPaused || isElsewhere;
  useEffect(() => {
    if (waits) return;
    const write = (): void => mutate({ version, kept: { text, comment }, draftVersion });
    const timer = setTimeout(write, isError ? AGAIN_MS : REST_MS);
    return () => clearTimeout(timer);
  }, [waits, isError, version, draftVersion, text, comment, mutate]);

  return {
    state: stateOf(),
    discard: () => {
      handle.discard();
      const nothing = { text: null, comment: null };
      if (own !== null && (own.text !== null || own.comment !== null))
        mutate({ version: item.version, kept: nothing, draftVersion: own.version });
    },
    takeOver: taking.mutate,
    takeOverError: taking.error,
    beginAnew: () => {
      handle.change({ text: item.summary });
      if (draft !== null && !isElsewhere)
        mutate({ version: draft.version, kept: { text: item.summary, comment }, draftVersion });
    },
    settle: (which) => {
      if (which === 'there') handle.adopt(own);
      else if (own !== null)
        handle.change({ saved: { version: own.version, text: own.text ?? '', note: own.comment ?? '' } });
    },
  };

  function stateOf(): ServerDraftState {
    if (kept === null) return null;
    if (isElsewhere && !isBehind) return 'elsewhere';
    if (isPaused) return 'paused';
    if (isPending) return 'saving';
    if (isError && isDirty) return 'failed';
    if (isDirty) return 'unsaved';
    return (own?.text ?? null) === null ? null : 'saved';
  }
}

/** The part of a draft that the server keeps: the edited text and the comment. An empty field is no draft. */
function storedDraftOf(draft: ActionDraft | null): StoredDraft | null {
  if (draft === null || !draft.isOpen || draft.action !== 'approve-edited' || draft.text.trim() === '') return null;
  const comment = draft.note.trim();
  return { text: draft.text, comment: comment === '' ? null : comment };
}
