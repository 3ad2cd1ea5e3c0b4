/** The people who have written a part of a text, as history and audit log tell them. `review/authors.ts` says who they are. */
export interface Author {
  id: string;
  name: string;
}

export function authorOf({ id, displayName }: { id: string; displayName: string }): Author {
  return { id, name: displayName };
}

/** As a row keeps them. */
export function readAuthors(json: string | null): Author[] {
  return json === null ? [] : (JSON.parse(json) as Author[]);
}

/** As the audit log tells them: the ids beside the names, which are for the Tenant Admin alone (D70). */
export function authorsTold(authors: readonly Author[]): { authors: string[]; authorIds: string[] } {
  return { authors: authors.map(({ name }) => name), authorIds: authors.map(({ id }) => id) };
}
