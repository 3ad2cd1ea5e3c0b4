/** The target of a key in the grid of runs and of planned slots without one. Pure. */
export interface PlacedSlot {
  key: string;
  /** ms since 1970. */
  at: number;
}

type Step = (place: { rows: readonly (readonly PlacedSlot[])[]; row: number; column: number }) => string | undefined;

const inRow =
  (step: -1 | 1): Step =>
  ({ rows, row, column }) =>
    rows[row]?.[column + step]?.key;

/** The slot of the nearest lane with any, nearest in time. */
const inLane =
  (step: -1 | 1): Step =>
  ({ rows, row, column }) => {
    const at = rows[row]?.[column]?.at ?? 0;
    const others = step > 0 ? rows.slice(row + 1) : rows.slice(0, row).toReversed();
    const next = others.find((slots) => slots.length > 0) ?? [];
    return next.toSorted((a, b) => Math.abs(a.at - at) - Math.abs(b.at - at))[0]?.key;
  };

const STEPS: Readonly<Record<string, Step>> = {
  ArrowLeft: inRow(-1),
  ArrowRight: inRow(1),
  ArrowUp: inLane(-1),
  ArrowDown: inLane(1),
  Home: ({ rows, row }) => rows[row]?.[0]?.key,
  End: ({ rows, row }) => rows[row]?.at(-1)?.key,
  'Control+Home': ({ rows }) => rows.flat()[0]?.key,
  'Control+End': ({ rows }) => rows.flat().at(-1)?.key,
};

/**
 * The slot that a key leads to; null where there is none.
 *
 * @param rows the slots of each lane in the order of time
 * @param pressed the key, with `Control+` before it
 */
export function nextSlot(rows: readonly (readonly PlacedSlot[])[], from: string, pressed: string): string | null {
  const step = Object.hasOwn(STEPS, pressed) ? STEPS[pressed] : undefined;
  const row = rows.findIndex((slots) => slots.some(({ key }) => key === from));
  if (step === undefined || row < 0) return null;
  const column = rows[row]?.findIndex(({ key }) => key === from) ?? 0;
  const next = step({ rows, row, column });
  return next === undefined || next === from ? null : next;
}
