/** Finds the next item in a list that changes while the reviewer walks through it. */

export interface Place {
  /** The item that is open. */
  id: string | null;
  /** Its index when it was last seen in the list. */
  index: number;
}

/**
 * The item `step` places from the open one; null at the ends. If the open item has left the list, for instance because
 * it was decided, the one in its place is next.
 */
export function neighbour(ids: readonly string[], place: Place, step: 1 | -1): string | null {
  const at = place.id === null ? -1 : ids.indexOf(place.id);
  if (at >= 0) return ids[at + step] ?? null;
  if (place.id === null) return (step === 1 ? ids[0] : ids.at(-1)) ?? null;
  return ids[step === 1 ? place.index : place.index - 1] ?? null;
}

/** The item after a decision: the next one, at the end the previous one, or none. */
export function afterDecision(ids: readonly string[], place: Place): string | null {
  const rest = ids.filter((id) => id !== place.id);
  const at = place.id === null ? 0 : ids.indexOf(place.id);
  const index = at >= 0 ? at : place.index;
  return rest[index] ?? rest.at(-1) ?? null;
}
