/** The rows of a finished list, kept beside its CSV, so that a workbook (XLSX) can be made of the same cells. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import path from 'node:path';
import type { AuditLanguage } from '../../../shared/wire/console/audit-words.ts';
import { csvLine } from '../../../shared/wire/csv.ts';
import { listHead, type ListCells } from './list-row.ts';

/** One row a line, as JSON. */
export const ROWS_FILE = 'list.rows';

export const rowLine = (cells: ListCells): string => `${JSON.stringify(cells)}\n`;

/** The rows of the list in the folder of its request. */
export async function* rowsIn(folder: string): AsyncGenerator<ListCells> {
  let rest = '';
  for await (const piece of createReadStream(path.join(folder, ROWS_FILE), 'utf8')) {
    const lines = (rest + (piece as string)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as ListCells;
  }
}

/** The SHA-256 of the CSV that the rows make: theirs where nobody has changed them. */
export async function digestOfRows(folder: string, language: AuditLanguage): Promise<string> {
  const digest = createHash('sha256').update(listHead(language));
  for await (const cells of rowsIn(folder)) digest.update(csvLine(cells));
  return digest.digest('hex');
}
