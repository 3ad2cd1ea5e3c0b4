/** Tables as the bytes of a file that a spreadsheet opens or has written. */
import { parseCsv } from 'hucre/csv';
import { streamXlsxRows } from 'hucre/xlsx';
import { CSV_MARK, csvLine, unescaped } from '../../../shared/wire/csv.ts';
import { XLSX } from '../../../shared/wire/media.ts';
import { workbook } from '../../../shared/wire/workbook.ts';

/** Far above any word list; a larger file is another one, chosen by mistake. */
const MOST_BYTES = 10 * 1024 ** 2;
const MOST_ROWS = 25_000;

/** The file is no table, is too large, or is damaged. */
export class UnreadableTableError extends Error {
  override name = 'UnreadableTableError';
}

export interface Table {
  name: string;
  headings: readonly string[];
  rows: readonly (readonly string[])[];
}

export async function writeTable({ name, headings, rows }: Table, type: 'csv' | 'xlsx'): Promise<Blob> {
  if (type === 'csv') return new Blob([CSV_MARK, csvLine(headings), ...rows.map(csvLine)], { type: 'text/csv' });
  const bytes = workbook({ name, columns: headings.map((heading) => ({ heading })), rows });
  return new Blob([await new Response(bytes).arrayBuffer()], { type: XLSX });
}

/** The first sheet of a workbook, or a CSV. @throws UnreadableTableError */
export async function readTable(file: Blob): Promise<string[][]> {
  if (file.size > MOST_BYTES) throw new UnreadableTableError();
  const bytes = new Uint8Array(await file.arrayBuffer());
  const isWorkbook = bytes[0] === 0x50 && bytes[1] === 0x4b;
  try {
    const rows = isWorkbook ? await sheetOf(bytes) : parseCsv(textOf(bytes), { maxRows: MOST_ROWS + 1 });
    if (rows.length > MOST_ROWS) throw new UnreadableTableError();
    const read = isWorkbook ? cellText : (cell: unknown): string => unescaped(cellText(cell));
    return rows.map((row) => Array.from(row, read));
  } catch (error) {
    throw error instanceof UnreadableTableError ? error : new UnreadableTableError('', { cause: error });
  }
}

async function sheetOf(bytes: Uint8Array): Promise<unknown[][]> {
  const rows: unknown[][] = [];
  for await (const { index, values } of streamXlsxRows(bytes, { maxRows: MOST_ROWS + 1 })) rows[index] = values;
  // An empty row is not in the file.
  return Array.from(rows, (row) => row ?? []);
}

/** Excel writes a CSV in the code page of Korean Windows unless it is told otherwise, and "Unicode text" in UTF-16. */
function textOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('euc-kr', { fatal: true }).decode(bytes);
  }
}

const cellText = (cell: unknown): string =>
  typeof cell === 'string' ? cell : typeof cell === 'number' || typeof cell === 'boolean' ? String(cell) : '';
