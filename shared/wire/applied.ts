/**
 * `X-Causeway-Applied` (D230): how far a tenant's Intake has applied, as it tells with each pull. Numbers and codes of a
 * closed list, never text. Unsigned, and through the relay: something to show, nothing to serve by.
 */

export const APPLIED_HEADER = 'x-causeway-applied';

/** Why an entry was rejected: its form, its size, a kind that is not known, a failure while it was applied, a process that it ended. */
export const REJECTION_CODES = ['FORM', 'TOO_LARGE', 'UNKNOWN_TYPE', 'FAILED', 'CRASHED', 'OTHER'] as const;
export type RejectionCode = (typeof REJECTION_CODES)[number];

export interface Applied {
  /** The cursor up to which everything is applied or rejected. */
  applied: number;
  /** Entries that were rejected and still need an act. */
  rejected: number;
  /** Withdrawals that wait for their original (D35). */
  held: number;
  /** The newest of the rejected, at most `MOST_ENTRIES`. */
  entries: readonly { cursor: number; code: RejectionCode }[];
}

export const MOST_ENTRIES = 20;
const MOST_BYTES = 512;
const FORM = /^applied=(\d+);rejected=(\d+);held=(\d+)(?:;entries=(.+))?$/;

/** The header's value; of the entries as many as have room. */
export function writeApplied({ applied, rejected, held, entries }: Applied): string {
  let value = `applied=${applied};rejected=${rejected};held=${held}`;
  for (const [index, { cursor, code }] of entries.slice(0, MOST_ENTRIES).entries()) {
    const more = `${index === 0 ? ';entries=' : ','}${cursor}:${code}`;
    if (value.length + more.length > MOST_BYTES) break;
    value += more;
  }
  return value;
}

/** Null for every other value: relay and cloud then take the header as absent, and the pull goes on. */
export function readApplied(value: string | readonly string[] | undefined): Applied | null {
  if (typeof value !== 'string' || value.length > MOST_BYTES) return null;
  const [, applied, rejected, held, list] = FORM.exec(value) ?? [];
  const entries = (list?.split(',') ?? []).flatMap((one) => {
    const [cursor, name] = one.split(':');
    const code = REJECTION_CODES.find((known) => known === name);
    return code === undefined ? [] : [{ cursor: Number(cursor), code }];
  });
  const read = { applied: Number(applied), rejected: Number(rejected), held: Number(held), entries };
  const numbers = [read.applied, read.rejected, read.held, ...entries.map(({ cursor }) => cursor)];
  if (!numbers.every(Number.isSafeInteger) || entries.some(({ cursor }) => cursor > read.applied)) return null;
  // One form for one meaning, so that nothing else travels in it.
  return writeApplied(read) === value ? read : null;
}
