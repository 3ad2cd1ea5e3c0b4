/** Where an arrow key leads in a grid of which not every cell can be focused. */
export interface Cell {
  row: number;
  column: number;
}

const STEPS: Readonly<Record<string, Cell>> = {
  ArrowLeft: { row: 0, column: -1 },
  ArrowRight: { row: 0, column: 1 },
  ArrowUp: { row: -1, column: 0 },
  ArrowDown: { row: 1, column: 0 },
};

/** The next cell in that direction that holds something; null when there is none, or the key is no arrow. */
export function nextCell(holds: readonly (readonly boolean[])[], from: Cell, key: string): Cell | null {
  const step = Object.hasOwn(STEPS, key) ? STEPS[key] : undefined;
  if (step === undefined) return null;
  let { row, column } = from;
  for (;;) {
    row += step.row;
    column += step.column;
    const cell = holds[row]?.[column];
    if (cell === undefined) return null;
    if (cell) return { row, column };
  }
}
