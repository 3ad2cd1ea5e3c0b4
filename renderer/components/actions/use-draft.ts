import { createContext, useCallback, useContext, useSyncExternalStore } from 'react';
import type { ReviewDetail } from '../../../shared/wire/console/console.ts';
import type { Action, ActionDraft } from './actions.ts';
import type { DraftStore } from './drafts.ts';

export const DraftContext = createContext<DraftStore | null>(null);

/** The fields of an item that its draft needs. */
export interface DraftedItem {
  id: string;
  version: number;
  summary: string;
  /** The server's copy of the user's own draft; an edit continues from it. */
  draft?: ReviewDetail['draft'];
  /** The text that an approval is about; an edit starts with it. */
  underReview?: Pick<ReviewDetail['underReview'], 'source' | 'text'>;
}

export interface DraftHandle {
  /** The draft about this item, open or closed; null for none. */
  draft: ActionDraft | null;
  /** Opens the form of an action. Earlier text is kept. */
  open: (action: Action) => void;
  change: (changes: Partial<Pick<ActionDraft, 'text' | 'code' | 'note' | 'saved'>>) => void;
  /** Closes the form and keeps the text. */
  close: () => void;
  /** Discards the text. */
  discard: () => void;
  /** Binds the draft to the item's present version, after the user has seen the change. */
  rebind: () => void;
  /** Replaces the local draft with the server's copy. */
  adopt: (kept: ReviewDetail['draft'], open?: Action) => void;
}

/** A decision in the queue and an operation on the board have separate drafts, even for the same item. */
export type DraftKind = 'decision' | 'operation';

export function draftKey(kind: DraftKind, itemId: string): string {
  return `${kind}.${itemId}`;
}

export function useDraft(kind: DraftKind, item: DraftedItem): DraftHandle {
  const store = useContext(DraftContext);
  if (store === null) throw new TypeError('useDraft needs a DraftContext above it.');
  const key = draftKey(kind, item.id);
  const draft = useSyncExternalStore(
    useCallback((listener: () => void) => store.subscribe(listener), [store]),
    () => store.get(key),
  );
  return {
    draft,
    open: (action) => {
      const begun = store.get(key) ?? beginning(item, action);
      store.set(key, { ...begun, action, isOpen: true, carried: carriedBy(item) });
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
    rebind: () => {
      const begun = store.get(key);
      if (begun === null) return;
      store.set(key, { ...begun, version: item.version, base: item.summary, carried: carriedBy(item) });
    },
    adopt: (kept, open) => {
      const begun = store.get(key);
      if (begun === null && open === undefined) return;
      const { text, note, saved } = beginning({ ...item, draft: kept }, 'approve-edited');
      const present = begun ?? beginning(item, 'approve-edited');
      store.set(key, { ...present, ...(open === undefined ? {} : { action: open, isOpen: true }), text, note, saved });
    },
  };
}

/** The edit that an item carries into its review; null for none. */
export function carriedBy({ underReview }: Pick<DraftedItem, 'underReview'>): string | null {
  return underReview === undefined || underReview.source === 'RECEIVED' ? null : underReview.text;
}

function beginning(item: DraftedItem, action: Action): ActionDraft {
  const { version, summary, draft } = item;
  const carried = carriedBy(item);
  const text = draft?.text ?? carried ?? summary;
  const note = draft?.comment ?? '';
  const saved = { version: draft?.version ?? 0, text, note };
  return { action, isOpen: true, version, base: summary, text, carried, saved, code: null, note };
}

/** Whether a draft holds nothing worth keeping. */
export function isUntouched(draft: ActionDraft): boolean {
  const { text, saved, code, note } = draft;
  return text === saved.text && code === null && note.trim() === saved.note;
}
