/** Order by code point (D45): that of the database's "C" collation, in any locale. */
export function byCodePoint(a: string, b: string): number {
  if (a === b) return 0;
  // UTF-16 units have the order of code points but for those beyond the basic plane.
  if (SURROGATE.test(a) || SURROGATE.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : 1;
}

const SURROGATE = /[\ud800-\udfff]/;
