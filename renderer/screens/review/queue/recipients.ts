import type { ReviewDetail, TimelineEntry } from '../../../../shared/wire/console/console.ts';

/** Moves that only a reviewer makes. */
const DECIDED: readonly string[] = ['approve', 'approve-edited', 'reject', 'block', 'correct', 'unblock'];

/** Names beside *any other reviewer*: each has a digit. */
const MOST = 8;

type Shown = Pick<ReviewDetail, 'claims' | 'colleagueDrafts' | 'waitingEdit'>;

/**
 * To whom an item may be handed over by name (D236): those whom presence and timeline show as reviewers, present ones
 * and latest acts first. No list of the reviewers is read for it (D70). @param entries newest first
 */
export function recipientsOf(item: Shown, entries: readonly TimelineEntry[], ownName: string): string[] {
  const names = [
    ...item.claims.map(({ displayName }) => displayName),
    ...item.colleagueDrafts.map(({ displayName }) => displayName),
    ...(item.waitingEdit?.authors ?? []),
    ...entries.flatMap(actorsOf),
  ];
  return [...new Set(names)].filter((name) => name !== ownName && name !== 'SYSTEM').slice(0, MOST);
}

/** Those who act in an entry as reviewers do; others may stop a text or send it back too. */
function actorsOf(entry: TimelineEntry): string[] {
  if (entry.kind === 'MOVE' && !DECIDED.includes(entry.move)) return [];
  if (entry.kind === 'HANDED_OVER') return entry.to === null ? [entry.actor] : [entry.to, entry.actor];
  return [entry.actor];
}
