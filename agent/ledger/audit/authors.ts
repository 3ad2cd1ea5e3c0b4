/** The authors of a text, as history and audit log record them. `review/authors.ts` determines them. */
export interface Author {
  id: string;
  name: string;
}

export function authorOf({ id, displayName }: { id: string; displayName: string }): Author {
  return { id, name: displayName };
}

/** Reads the authors that a row stores as JSON. */
export function readAuthors(json: string | null): Author[] {
  return json === null ? [] : (JSON.parse(json) as Author[]);
}

/** The form of the audit log: the ids beside the names are for the Tenant Admin alone (D70). */
export function loggedAuthors(authors: readonly Author[]): { authors: string[]; authorIds: string[] } {
  return { authors: authors.map(({ name }) => name), authorIds: authors.map(({ id }) => id) };
}
