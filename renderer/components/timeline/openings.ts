/** A reviewer who opens an item several times leaves a row for each begin and end on record: one line tells them. */
import type { TimelineEntry } from '../../../shared/wire/console/console.ts';

/** Several begins and ends of one person's looks, without anything between them. */
export interface Openings {
  kind: 'OPENINGS';
  actor: string;
  count: number;
  from: string;
  /** The last end; null while the item is open. */
  to: string | null;
}

export interface TimelineRow {
  /** Stays the same when later entries join it. */
  key: number;
  row: TimelineEntry | Openings;
}

/** @param entries newest first @param total of the whole timeline, of which these are the newest */
export function rowsOf(entries: readonly TimelineEntry[], total: number): TimelineRow[] {
  const rows: TimelineRow[] = [];
  let group: TimelineEntry[] = [];
  const flush = (next: number): void => {
    const [last] = group;
    const first = group.at(-1);
    if (last === undefined || first === undefined) return;
    const count = group.filter(({ kind }) => kind === 'CLAIMED').length;
    if (count > 1) {
      const to = last.kind === 'RELEASED' ? last.at : null;
      rows.push({ key: total - next + 1, row: { kind: 'OPENINGS', actor: last.actor, count, from: first.at, to } });
    } else rows.push(...group.map((row, index) => ({ key: total - next + group.length - index, row })));
    group = [];
  };
  for (const [index, entry] of entries.entries()) {
    const isLook = entry.kind === 'CLAIMED' || entry.kind === 'RELEASED';
    if (group.length > 0 && (!isLook || entry.actor !== group[0]?.actor)) flush(index);
    if (isLook) group.push(entry);
    else rows.push({ key: total - index, row: entry });
  }
  flush(entries.length);
  return rows;
}
