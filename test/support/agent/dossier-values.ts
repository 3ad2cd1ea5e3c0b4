/** Other values of the same form, for each value of a JSON text. */

export type Json = Record<string, unknown> | unknown[];
export type Found = Map<string, { path: readonly (string | number)[]; value: unknown }>;

/** Lists whose places differ in what proves them; of other lists the first value stands for all. */
const EACH = new Set(['explanations', 'history', 'moves', 'former']);

/** Every value with its path, the first of each kind, one that is not null where there is one. */
export function kinds(value: unknown, path: readonly (string | number)[], found: Found): void {
  if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value))
      kinds(inner, [...path, Array.isArray(value) ? Number(name) : name], found);
  else {
    const isAny = (step: string | number, at: number): boolean =>
      typeof step === 'number' ? !EACH.has(String(path[at - 1])) : /^\d+$/.test(step);
    const kind = path.map((step, at) => (isAny(step, at) ? '*' : step)).join('.');
    const before = found.get(kind);
    if (before === undefined || (before.value === null && value !== null)) found.set(kind, { path, value });
  }
}

/** Another value of the same form. */
export function other(value: unknown): unknown {
  if (value === null) return '가';
  if (typeof value === 'number') return value === 0 || value === 1 ? 1 - value : value + 1;
  if (typeof value === 'boolean') return !value;
  if (typeof value !== 'string') return value;
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return new Date(Date.parse(value) + 1).toISOString();
  if (/^\d{4}-\d\d-\d\d$/.test(value))
    return new Date(Date.parse(value) + 86_400_000).toISOString().slice(0, value.length);
  if (/^[0-9a-f]{64}$/.test(value)) return `${value.startsWith('0') ? '1' : '0'}${value.slice(1)}`;
  if (/^[[{]/.test(value)) {
    const inner = JSON.parse(value) as Json;
    const found: Found = new Map();
    kinds(inner, [], found);
    const [first] = [...found.values()];
    return first === undefined ? '["x"]' : JSON.stringify(changedAt(inner, first.path));
  }
  const swap: Record<string, string> = {
    GIVEN: 'NOTHING',
    PUBLISHED: 'STOPPED',
    PENDING_REVIEW: 'BLOCKED',
    AUTO_PUBLISHED: 'PENDING_REVIEW',
    HIGH: 'LOW',
  };
  return swap[value] ?? `${value}가`;
}

export function changedAt(value: Json, path: readonly (string | number)[]): Json {
  const copy = structuredClone(value);
  let at = copy as Record<string | number, unknown>;
  for (const step of path.slice(0, -1)) at = at[step] as Record<string | number, unknown>;
  const last = path.at(-1) ?? '';
  at[last] = other(at[last]);
  return copy;
}
