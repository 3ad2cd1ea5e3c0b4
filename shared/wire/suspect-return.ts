/**
 * A return that is more likely a wrong unit than a movement of a price (D217, D226): the door warns of it, both consoles mark
 * it, and a policy may send it to a reviewer. Derived from the return itself; nothing of it is on the wire.
 */
export const isSuspectReturn = (ratio: number): boolean => Math.abs(ratio) > 1;

/**
 * A measured value as a ratio where it is a return, such as `observed_return`; null where it is none. The unit says what
 * the value is (D217). The name says only whether it is a return: a turnover of 2.5 is no suspect one.
 */
export function returnOf(name: string, value: number, unit: string | null): number | null {
  if (!/(^|_)return$/i.test(name)) return null;
  if (unit === 'RATIO') return value;
  return unit === 'PERCENT' ? value / 100 : null;
}
