/** Views that an earlier version kept in the browser: they move to the account on first use. */
import type { SavedView } from '../../../shared/wire/console/saved-views.ts';

export const LONGEST_NAME = 60;

type Kept = Pick<SavedView, 'name' | 'search'>;

/** The stored views, latest first; invalid entries are left out, because users can edit the storage. */
export function readViews(stored: string | null): Kept[] {
  if (stored === null) return [];
  let value: unknown;
  try {
    value = JSON.parse(stored);
  } catch {
    return [];
  }
  return Array.isArray(value) ? (value as unknown[]).filter(isView) : [];
}

function isView(value: unknown): value is Kept {
  return (
    typeof value === 'object' &&
    value !== null &&
    'name' in value &&
    typeof value.name === 'string' &&
    value.name.trim() !== '' &&
    value.name.length <= LONGEST_NAME &&
    'search' in value &&
    typeof value.search === 'string' &&
    (value.search === '' || value.search.startsWith('?'))
  );
}

/**
 * Moves them one after the other, oldest first, so that their order stays. Views that the account refuses stay in the
 * browser.
 */
export async function moveViews(
  stored: string | null,
  kept: readonly Pick<SavedView, 'name'>[],
  save: (view: Kept) => Promise<unknown>,
): Promise<void> {
  const names = new Set(kept.map(({ name }) => name));
  // The account's view of that name is newer than the browser's.
  for (const { name, search } of readViews(stored).toReversed())
    if (!names.has(name.trim())) await save({ name: name.trim(), search });
}
