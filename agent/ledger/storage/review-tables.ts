/** The tables of what people write about an item, as types: drafts, and edits that wait for a second person. */

/** What one person is writing about an item. `authors` is a JSON array of `Author` (`authors.ts`). */
export interface PersonalDraftTable {
  explanation_id: string;
  author_id: string;
  author: string;
  /** Null where only a comment is kept, or nothing any more. */
  text: string | null;
  comment: string | null;
  at: string;
  version: number;
  authors: string;
}

/** The version that the last first approval of an edit has made: it is no move, and no other journal tells of it. */
export interface VersionBesideMovesTable {
  explanation_id: string;
  version: number;
}

/** A text that one person has edited and approved, until a second one approves it too (four eyes). */
export interface WaitingEditTable {
  explanation_id: string;
  text: string;
  /** The first person to approve it; `authors` wrote it (JSON, as in a draft). */
  author_id: string;
  author: string;
  at: string;
  comment: string | null;
  authors: string;
}
