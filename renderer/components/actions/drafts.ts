/**
 * Drafts: a user's unsent text about an item. They are kept for the window's life, so that neither a lost session nor a
 * restart of the API nor a visit to another item loses any of it.
 */
import { isReasonCode } from '../domain/reasons.ts';
import { DECISIONS, OPERATIONS, type ActionDraft, type SavedDraft } from './actions.ts';

/** A deliberate logout removes the entries under this prefix. */
export const DRAFT_PREFIX = 'causeway.draft.';

/** The part of `Storage` that is used here. */
export type DraftStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

export class DraftStore {
  #storage: DraftStorage;
  #owner: string;
  #read = new Map<string, ActionDraft | null>();
  #listeners = new Set<() => void>();

  /** `owner` is the user's id, so that two users of one window do not see each other's text. */
  constructor(storage: DraftStorage, owner: string) {
    this.#storage = storage;
    this.#owner = owner;
  }

  /** The draft under a key (`draftKey`); the same object until it changes. */
  get(key: string): ActionDraft | null {
    const known = this.#read.get(key);
    if (known !== undefined) return known;
    const draft = parseDraft(this.#storage.getItem(this.#stored(key)));
    this.#read.set(key, draft);
    return draft;
  }

  set(key: string, draft: ActionDraft): void {
    this.#read.set(key, draft);
    this.#storage.setItem(this.#stored(key), JSON.stringify(draft));
    this.#tell();
  }

  remove(key: string): void {
    this.#read.set(key, null);
    this.#storage.removeItem(this.#stored(key));
    this.#tell();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #stored(key: string): string {
    return `${DRAFT_PREFIX}${this.#owner}.${key}`;
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Removes the drafts of all users from the window: for a deliberate logout. */
export function clearDrafts(storage: DraftStorage): void {
  const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index));
  for (const key of keys) {
    if (key?.startsWith(DRAFT_PREFIX)) storage.removeItem(key);
  }
}

/** Parses a draft; one that an older program left and that no longer fits is dropped. */
export function parseDraft(stored: string | null): ActionDraft | null {
  if (stored === null) return null;
  let value: unknown;
  try {
    value = JSON.parse(stored);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { action, isOpen, version, base, text, carried, saved, code, note } = value as Record<string, unknown>;
  const known = [...DECISIONS, 'approve-carried' as const, ...OPERATIONS].find((one) => one === action);
  if (known === undefined || typeof isOpen !== 'boolean' || typeof version !== 'number') return null;
  if (typeof base !== 'string' || typeof text !== 'string' || typeof note !== 'string') return null;
  if (code !== null && !isReasonCode(code)) return null;
  if ((carried !== null && typeof carried !== 'string') || !isSaved(saved)) return null;
  return { action: known, isOpen, version, base, text, carried, saved, code, note };
}

function isSaved(value: unknown): value is SavedDraft {
  if (typeof value !== 'object' || value === null) return false;
  const { version, text, note } = value as Record<string, unknown>;
  return typeof version === 'number' && typeof text === 'string' && typeof note === 'string';
}
