/** The contract's own text, where it lies beside the project; a clone elsewhere has none. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const CONTRACT = path.resolve(import.meta.dirname, '../../../shared/spec');

/** Every table of a document of the contract, as rows of cells; null where it is not at hand. */
export function readTables(document: string): string[][][] | null {
  const file = path.join(CONTRACT, document);
  return existsSync(file) ? tablesOf(readFileSync(file, 'utf8')) : null;
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
