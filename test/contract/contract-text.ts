/** The tables of the pages in `shared/contract`. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

const CONTRACT = path.resolve(import.meta.dirname, '../../shared/contract');

/** Every table of a page, as rows of cells. */
export function readTables(page: string): string[][][] {
  return tablesOf(readFileSync(path.join(CONTRACT, page), 'utf8'));
}

/** Without the line under the head. */
function tablesOf(text: string): string[][][] {
  const tables: string[][][] = [];
  let rows: string[][] = [];
  for (const line of [...text.split('\n'), '']) {
    if (line.startsWith('|')) {
      const cells = line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim());
      if (!cells.every((cell) => /^-+$/.test(cell))) rows.push(cells);
    } else if (rows.length > 0) {
      tables.push(rows);
      rows = [];
    }
  }
  return tables;
}
