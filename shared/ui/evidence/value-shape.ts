/** Chooses the layout of a stored JSON value. Nothing is converted: numbers stay as they are stored. */
export type ValueShape =
  | { shape: 'none' }
  | { shape: 'scalar'; text: string; numeric: boolean }
  | { shape: 'list'; values: readonly unknown[] }
  | { shape: 'table'; columns: readonly string[]; rows: readonly Readonly<Record<string, unknown>>[] }
  | { shape: 'record'; entries: readonly (readonly [string, unknown])[] };

/** Limit of a table's cells: rows that share few columns make a table far larger than its data. */
const MOST_CELLS = 5_000;

export function shapeOf(value: unknown): ValueShape {
  if (value === null || value === undefined) return { shape: 'none' };
  if (Array.isArray(value)) return shapeOfArray(value);
  if (isRecord(value)) return { shape: 'record', entries: Object.entries(value) };
  if (typeof value === 'string') return { shape: 'scalar', text: value, numeric: false };
  return { shape: 'scalar', text: JSON.stringify(value) ?? '', numeric: typeof value === 'number' };
}

function shapeOfArray(values: readonly unknown[]): ValueShape {
  const rows = values.filter(isRecord);
  const isFlat = rows.every((row) => Object.values(row).every((cell) => typeof cell !== 'object' || cell === null));
  if (rows.length === 0 || rows.length !== values.length || !isFlat) return { shape: 'list', values };
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return columns.length * rows.length > MOST_CELLS ? { shape: 'list', values } : { shape: 'table', columns, rows };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
