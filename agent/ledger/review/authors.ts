/**
 * The authors of a text: all people who have written a part of it. They are the sender, the
 * colleague who wrote the draft that it continues, and the authors of the edit that it changes. Four eyes depend on
 * this (`second-person.ts`), and history and audit log name all of them.
 */
import { sql } from 'kysely';
import { readAuthors, type Author } from '../audit/authors.ts';
import type { LedgerReader } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';

/** A text that people have written about an item. */
export interface Written {
  text: string;
  authors: readonly Author[];
}

/** An edited text that stays with an item: one that waits for a second person, or the last one that was exposed. */
export interface CarriedEdit extends Written {
  source: 'EDIT' | 'CORRECTION';
  /** Another text of the vendor's has come since. */
  isOutdated: boolean;
}

/** Each author once, in the given order. */
export function together(...groups: readonly (readonly Author[])[]): Author[] {
  return [...new Map(groups.flat().map((author) => [author.id, author])).values()];
}

const drafts = prepared((id: string) =>
  sqlite
    .selectFrom('personal_draft')
    .select(['author_id', 'text', 'authors'])
    .where('explanation_id', '=', id)
    .where('text', 'is not', null)
    .$narrowType<{ text: string }>(),
);
const waiting = prepared((id: string) =>
  sqlite.selectFrom('waiting_edit').select(['text', 'authors']).where('explanation_id', '=', id),
);
const lastExposed = prepared(
  (id: string) => sql<{ authors: string | null; isOutdated: number }>`
  SELECT authors, EXISTS (SELECT 1 FROM state_history AS later WHERE later.explanation_id = exposing.explanation_id
    AND later.id > exposing.id AND later.move = 'text-changed') AS isOutdated
  FROM state_history AS exposing WHERE explanation_id = +${id} AND move IN ('approve-edited', 'correct')
  ORDER BY id DESC LIMIT 1`,
);

/** The edits of an item, the one that counts first. */
export function carriedEdits(reader: LedgerReader, id: string): CarriedEdit[] {
  const edits: CarriedEdit[] = [];
  const first = reader.first(waiting(id));
  if (first !== undefined)
    edits.push({ source: 'EDIT', text: first.text, authors: readAuthors(first.authors), isOutdated: false });
  const row = reader.first(sqlite.selectFrom('explanation').select('edited_summary').where('id', '=', id));
  const text = row?.edited_summary ?? null;
  if (text === null) return edits;
  const exposed = reader.first(lastExposed(id));
  const isOutdated = exposed?.isOutdated === 1;
  return [...edits, { source: 'CORRECTION', text, authors: readAuthors(exposed?.authors ?? null), isOutdated }];
}

/** The text without white space, which has no author. */
const bare = (text: string): string => text.normalize('NFC').replaceAll(/\s+/gu, '');

export function isSameText(a: string, b: string): boolean {
  return bare(a) === bare(b);
}

/**
 * The authors of a text that a person submits. A text on record keeps its authors, regardless of the sender. A new text
 * has its sender as author, with the authors of the sender's draft or, without a draft, of the edit that the sender
 * saw.
 */
export function authorsOf(reader: LedgerReader, { id, me, text }: { id: string; me: Author; text: string }): Author[] {
  const received = reader.first(sqlite.selectFrom('explanation').select('summary').where('id', '=', id))?.summary ?? '';
  const kept = reader.all(drafts(id)).filter((draft) => !isSameText(draft.text, received));
  const carried = carriedEdits(reader, id);
  const written = [...kept.map((draft) => ({ text: draft.text, authors: readAuthors(draft.authors) })), ...carried];
  const same = written.filter((one) => isSameText(one.text, text));
  if (same.length > 0) return together(...same.map(({ authors }) => authors));
  if (isSameText(text, received)) return [me];
  const own = reader.all(drafts(id)).find((draft) => draft.author_id === me.id);
  return together([me], own === undefined ? (carried[0]?.authors ?? []) : readAuthors(own.authors));
}
