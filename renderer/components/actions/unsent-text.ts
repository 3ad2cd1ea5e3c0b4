/**
 * Texts that a user writes beside a decision: a note, a question, an opinion. Each is kept like a draft, under its own
 * name.
 */
import { useState } from 'react';
import { useProfile } from '../../api/session-context.ts';
import { DRAFT_PREFIX, type DraftStorage } from './drafts.ts';

/** The purpose of the text; one per purpose and item. For the policy, an item is a rule. */
export type UnsentKind = 'note' | 'question' | 'opinion' | 'policy';

/** The key of a user's text in the window. */
export function unsentKey(owner: string, kind: UnsentKind, itemId: string): string {
  return `${DRAFT_PREFIX}${owner}.${kind}.${itemId}`;
}

export function keep(storage: DraftStorage, key: string, text: string | null): void {
  if (text === null || text === '') storage.removeItem(key);
  else storage.setItem(key, text);
}

/**
 * Text about one item that outlives a visit to another item, a lost session and a reload; null for none. The component
 * that uses it is keyed by the item.
 */
export function useUnsentText(kind: UnsentKind, itemId: string): [string | null, (text: string | null) => void] {
  const key = unsentKey(useProfile().id, kind, itemId);
  const [text, setText] = useState(() => sessionStorage.getItem(key));
  return [
    text,
    (next) => {
      setText(next);
      keep(sessionStorage, key, next);
    },
  ];
}
