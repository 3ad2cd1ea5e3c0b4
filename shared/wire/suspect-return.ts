/**
 * A return that is more likely a wrong unit than a movement of a price (D217, D226): the door warns of it, both consoles mark
 * it, and a policy may send it to a reviewer. Derived from the return itself; nothing of it is on the wire.
 */
export const isSuspectReturn = (ratio: number): boolean => Math.abs(ratio) > 1;
