/** Views that an earlier version kept in the browser: they move to the account at the first sight of them. */
import type { SavedView } from '../../../shared/wire/console/saved-views.ts';

export const LONGEST_NAME = 60;

type Kept = Pick<SavedView, 'name' | 'search'>;

/**
 * The stored views, the latest first; an entry that is no view is left out, since somebody may have written it
 * themselves.
 */
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
 * Moves them one after the other, the oldest first, so that their order stays. Those that cannot be kept stay in the
 * browser.
 */
export async function moveViews(
  stored: string | null,
  kept: readonly Pick<SavedView, 'name'>[],
  save: (view: Kept) => Promise<unknown>,
): Promise<void> {
  const names = new Set(kept.map(({ name }) => name));
  // The account's view under the name is later than the browser's.
  for (const { name, search } of readViews(stored).toReversed())
    if (!names.has(name.trim())) await save({ name: name.trim(), search });
}
