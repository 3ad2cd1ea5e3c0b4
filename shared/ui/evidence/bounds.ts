/**
 * Limits how much evidence a page lays out. An entry may hold 100,000 values (`MAX_ENTRY_VALUES`); a page that draws
 * them all freezes, and then no reviewer could reject the entry.
 */
import type { EvidenceView } from '../../evidence/evidence.ts';

/** Most values of all evidences together that are laid out in tables. */
const MOST_VALUES = 2_000;
const MOST_EVIDENCES = 200;
export const MOST_EVENTS = 500;
/** Most stored data shown, in UTF-16 units. */
export const MOST_STORED = 100_000;

/** The first evidences, each with whether its values fit into tables: a large evidence leaves room for later ones. */
export function boundEvidences(evidences: readonly EvidenceView[]): { evidence: EvidenceView; isLaidOut: boolean }[] {
  let left = MOST_VALUES;
  return evidences.slice(0, MOST_EVIDENCES).map((evidence) => {
    const count = evidence.form === 'document' ? 0 : countValues([evidence.arguments, evidence.output], left);
    const isLaidOut = count <= left;
    if (isLaidOut) left -= count;
    return { evidence, isLaidOut };
  });
}

/** Counts the values in a stored JSON value, up to `most` + 1. */
function countValues(value: unknown, most: number): number {
  let count = 1;
  if (typeof value !== 'object' || value === null) return count;
  for (const member of Object.values(value)) {
    if (count > most) break;
    count += countValues(member, most - count);
  }
  return count;
}
