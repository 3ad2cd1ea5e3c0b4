/**
 * How much evidence a page lays out. An entry may hold 100,000 values (`MAX_ENTRY_VALUES`), and a page that draws them
 * all stands still for everybody who opens it: nobody could reject it any more.
 */
import type { EvidenceView } from './evidence.ts';

/** Values of all evidences together that stand in tables. */
const MOST_VALUES = 2_000;
const MOST_EVIDENCES = 200;
export const MOST_EVENTS = 500;
/** Of stored data, in UTF-16 units. */
export const MOST_STORED = 100_000;

/** The first evidences, each with whether its values still fit into tables: a large one leaves room for those after it. */
export function boundEvidences(evidences: readonly EvidenceView[]): { evidence: EvidenceView; isLaidOut: boolean }[] {
  let left = MOST_VALUES;
  return evidences.slice(0, MOST_EVIDENCES).map((evidence) => {
    const count = evidence.form === 'document' ? 0 : countValues([evidence.arguments, evidence.output], left);
    const isLaidOut = count <= left;
    if (isLaidOut) left -= count;
    return { evidence, isLaidOut };
  });
}

/** How many values stand in a stored JSON value; one more than `most` where there are more. */
function countValues(value: unknown, most: number): number {
  let count = 1;
  if (typeof value !== 'object' || value === null) return count;
  for (const member of Object.values(value)) {
    if (count > most) break;
    count += countValues(member, most - count);
  }
  return count;
}
