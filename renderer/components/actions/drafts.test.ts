import { describe, expect, test } from 'vitest';
import { problemOf, type ActionDraft } from './actions.ts';
import { clearDrafts, DraftStore, parseDraft, type DraftStorage } from './drafts.ts';
import { keep, unsentKey } from './unsent-text.ts';

const DRAFT: ActionDraft = {
  action: 'approve-edited',
  isOpen: true,
  version: 2,
  base: '원문',
  text: '고친 글',
  carried: null,
  saved: { version: 0, text: '원문', note: '' },
  code: null,
  note: '',
};

/** A `Storage` as browsers provide it. */
class MemoryStorage implements DraftStorage {
  readonly #items = new Map<string, string>();
  get length(): number {
    return this.#items.size;
  }
  key(index: number): string | null {
    return [...this.#items.keys()][index] ?? null;
  }
  getItem(name: string): string | null {
    return this.#items.get(name) ?? null;
  }
  setItem(name: string, value: string): void {
    this.#items.set(name, value);
  }
  removeItem(name: string): void {
    this.#items.delete(name);
  }
}

describe('drafts', () => {
  test('outlive the store that wrote them, across a new login or a reload', () => {
    const storage = new MemoryStorage();
    new DraftStore(storage, 'user-1').set('decision.e-1', DRAFT);
    expect(new DraftStore(storage, 'user-1').get('decision.e-1')).toEqual(DRAFT);
  });

  test('belong to one user', () => {
    const storage = new MemoryStorage();
    new DraftStore(storage, 'user-1').set('decision.e-1', DRAFT);
    expect(new DraftStore(storage, 'user-2').get('decision.e-1')).toBeNull();
  });

  test('stay the same object until they change, and notify on change', () => {
    const store = new DraftStore(new MemoryStorage(), 'u');
    let told = 0;
    const leave = store.subscribe(() => {
      told += 1;
    });
    expect(store.get('a')).toBeNull();
    store.set('a', DRAFT);
    expect(store.get('a')).toBe(store.get('a'));
    store.remove('a');
    expect(store.get('a')).toBeNull();
    leave();
    store.set('a', DRAFT);
    expect(told).toBe(2);
  });

  test('texts beside a decision are kept apart from it and from those about another item, and are removed when empty', () => {
    const storage = new MemoryStorage();
    keep(storage, unsentKey('u', 'note', 'e-1'), '메모');
    new DraftStore(storage, 'u').set('decision.e-1', DRAFT);
    expect(storage.getItem(unsentKey('u', 'note', 'e-1'))).toBe('메모');
    expect(storage.getItem(unsentKey('u', 'note', 'e-2'))).toBeNull();
    expect(storage.getItem(unsentKey('v', 'note', 'e-1'))).toBeNull();
    expect(storage.getItem(unsentKey('u', 'question', 'e-1'))).toBeNull();
    keep(storage, unsentKey('u', 'note', 'e-1'), '');
    expect(storage.length).toBe(1);
  });

  test('a logout removes them all and keeps everything else', () => {
    const storage = new MemoryStorage();
    storage.setItem('other', 'x');
    keep(storage, unsentKey('u', 'question', 'e-1'), '물음');
    new DraftStore(storage, 'u').set('a', DRAFT);
    new DraftStore(storage, 'v').set('b', DRAFT);
    clearDrafts(storage);
    expect(storage.length).toBe(1);
    expect(storage.getItem('other')).toBe('x');
  });

  test.each([
    'no JSON',
    'null',
    '"text"',
    JSON.stringify({ ...DRAFT, action: 'publish' }),
    JSON.stringify({ ...DRAFT, version: '2' }),
    JSON.stringify({ ...DRAFT, text: 5 }),
    JSON.stringify({ ...DRAFT, saved: undefined }),
    JSON.stringify({ ...DRAFT, carried: 5 }),
    JSON.stringify({ ...DRAFT, code: 'NOT_OURS' }),
    JSON.stringify({ ...DRAFT, isOpen: undefined }),
  ])('stored text that is no draft is not read as one (%#)', (stored) => {
    expect(parseDraft(stored)).toBeNull();
  });
});

describe('the first fault of a draft', () => {
  test.each<[Partial<ActionDraft>, ReturnType<typeof problemOf>]>([
    [{ action: 'approve', text: '원문' }, null],
    [{ text: '고친 글' }, null],
    [{ text: ' \n' }, 'text.blank'],
    [{ text: '원문' }, 'text.same'],
    [{ action: 'reject' }, 'reason.code'],
    [{ action: 'block', code: 'OTHER' }, 'reason.text'],
    [{ action: 'block', code: 'OTHER', note: '이유' }, null],
    [{ action: 'stop', code: 'FORECAST' }, null],
    [{ action: 'move-to-review' }, null],
  ])('%j: %s', (changes, problem) => {
    expect(problemOf({ ...DRAFT, ...changes }, '원문')).toBe(problem);
  });
});
