import { createContext, useCallback, useContext, useSyncExternalStore } from 'react';
import type { Action } from './actions.ts';
import type { ActionDraft, DraftStore } from './drafts.ts';

export const DraftContext = createContext<DraftStore | null>(null);

/** What an item must show for a draft about it. */
export interface DraftedItem {
  id: string;
  version: number;
  summary: string;
  /** The edited text that the server keeps; an edit goes on from it. */
  edited_summary?: string | null;
}

export interface DraftHandle {
  /** The draft about this item, open or waiting; null where nothing has been begun. */
  draft: ActionDraft | null;
  /** Opens the form of an action. What was written before is still there. */
  open: (action: Action) => void;
  change: (changes: Partial<Pick<ActionDraft, 'text' | 'code' | 'note'>>) => void;
  /** Closes the form and keeps what was written. */
  close: () => void;
  /** Throws away what was written. */
  discard: () => void;
  /** Binds the draft to the item as it is now, after the person has seen how it has changed. */
  rebind: () => void;
  /** The item has a new version because the draft itself was saved: the draft goes with it. */
  follow: (version: number) => void;
}

/** A decision in the queue and an operation on the board are begun apart, even about the same item. */
export type DraftKind = 'decision' | 'operation';

export function draftKey(kind: DraftKind, itemId: string): string {
  return `${kind}.${itemId}`;
}

export function useDraft(kind: DraftKind, { id, version, summary, edited_summary }: DraftedItem): DraftHandle {
  const store = useContext(DraftContext);
  if (store === null) throw new TypeError('useDraft needs a DraftContext above it.');
  const key = draftKey(kind, id);
  const draft = useSyncExternalStore(
    useCallback((listener: () => void) => store.subscribe(listener), [store]),
    () => store.get(key),
  );
  return {
    draft,
    open: (action) => {
      const begun = store.get(key);
      store.set(
        key,
        begun === null
          ? { action, isOpen: true, version, base: summary, text: edited_summary ?? summary, code: null, note: '' }
          : { ...begun, action, isOpen: true },
      );
    },
    change: (changes) => {
      const begun = store.get(key);
      if (begun !== null) store.set(key, { ...begun, ...changes });
    },
    close: () => {
      const begun = store.get(key);
      if (begun === null) return;
      if (isUntouched(begun)) store.remove(key);
      else store.set(key, { ...begun, isOpen: false });
    },
    discard: () => store.remove(key),
    follow: (now) => {
      const begun = store.get(key);
      if (begun !== null && begun.version < now) store.set(key, { ...begun, version: now });
    },
    rebind: () => {
      const begun = store.get(key);
      if (begun !== null) store.set(key, { ...begun, version, base: summary });
    },
  };
}

/** Whether there is nothing in a draft that anybody would miss. */
export function isUntouched(draft: ActionDraft): boolean {
  return draft.text === draft.base && draft.code === null && draft.note.trim() === '';
}
