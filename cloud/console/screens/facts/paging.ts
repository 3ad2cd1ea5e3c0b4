/** Search and paging of rows in memory. */

/** Whether any of the values contains the text, in upper or lower case. */
export function holds(values: readonly unknown[], q: string): boolean {
  const wanted = q.toLowerCase();
  return values.some(
    (value) => (typeof value === 'string' || typeof value === 'number') && String(value).toLowerCase().includes(wanted),
  );
}

/** A valid page: the last one where the address names a later one. */
export function pageOf<T>(items: readonly T[], asked: number, size: number): { items: readonly T[]; page: number } {
  const page = Math.min(asked, Math.max(1, Math.ceil(items.length / size)));
  return { items: items.slice((page - 1) * size, page * size), page };
}
