/** Views of a list that a person keeps: its filter, as it stands in the address, under a name of their own. */
export interface SavedView {
  name: string;
  /** The part of the address that begins with a question mark; empty for the plain list. */
  search: string;
}

export const LONGEST_NAME = 60;
const MOST = 30;

/** What was stored; whatever is no view is left out, since somebody may have written it with an earlier version. */
export function readViews(stored: string | null): SavedView[] {
  if (stored === null) return [];
  let value: unknown;
  try {
    value = JSON.parse(stored);
  } catch {
    return [];
  }
  if (!Array.isArray(value)) return [];
  return (value as unknown[]).filter(isView).slice(0, MOST);
}

function isView(value: unknown): value is SavedView {
  return (
    typeof value === 'object' &&
    value !== null &&
    'name' in value &&
    typeof value.name === 'string' &&
    value.name !== '' &&
    'search' in value &&
    typeof value.search === 'string' &&
    (value.search === '' || value.search.startsWith('?'))
  );
}

/** Under a name that is taken, the new view takes the place of the one before. The latest comes first. */
export function withView(views: readonly SavedView[], view: SavedView): SavedView[] {
  const name = view.name.trim().slice(0, LONGEST_NAME);
  if (name === '') return [...views];
  return [{ ...view, name }, ...withoutView(views, name)].slice(0, MOST);
}

export function withoutView(views: readonly SavedView[], name: string): SavedView[] {
  return views.filter((view) => view.name !== name);
}
