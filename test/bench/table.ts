/** Formats the rows as a plain text table. */
import type { Row } from './bench.ts';

const HEADINGS = ['what', 'measured', 'raw limit', 'ratio', 'target', 'holds'];

export function tableOf(rows: readonly Row[]): string {
  const lines = rows.map((row) => [
    row.what,
    `${short(row.measured)} ${row.unit}`,
    row.limit === null ? '-' : `${short(row.limit)} ${row.unit}`,
    row.ratio === null ? '-' : row.ratio.toFixed(2),
    row.target,
    row.holds ? 'yes' : 'NO',
  ]);
  const widths = HEADINGS.map((heading, column) =>
    Math.max(heading.length, ...lines.map((line) => line[column]?.length ?? 0)),
  );
  const draw = (cells: string[]): string =>
    cells
      .map((cell, column) =>
        column === 0 || column > 3 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  return [draw(HEADINGS), draw(widths.map((width) => '-'.repeat(width))), ...lines.map(draw)].join('\n');
}

/** Three significant digits, whole numbers from 100 up. */
function short(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
