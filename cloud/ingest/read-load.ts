/** Parses one line of the door's body into a valid load, or names its faults (D43). */
import {
  MAX_BODY_DEPTH,
  MAX_ENTRY_BYTES,
  MAX_ENTRY_DEPTH,
  MAX_ENTRY_VALUES,
} from '../../shared/wire/bundle-endpoint.ts';
import { countValues, hasNameTwice, parseJson } from '../../shared/wire/json.ts';
import type { ReadLoad } from '../publication/publish.ts';
import { LoadRefusedError } from '../publication/refusal.ts';
import { largestEntryBytes } from './entry-size.ts';
import { meaningOf } from './meaning.ts';
import { describeFlaws } from './schema-errors.ts';
import { refuseUnfitAnalysis } from './unfit-analysis.ts';
import { loadSchema, type Load } from '../publication/load.ts';

/** Longest line, in bytes: a longer one cannot become an entry of a valid size. */
const LINE_LIMIT = MAX_ENTRY_BYTES;
/**
 * Deepest nesting of a line. Only the arguments and the output of a calculation nest freely; they lie
 * on level 5 of a load (load, lineage, calculations, calculation) and on level 4 of the entry.
 */
const DEPTH_LIMIT = MAX_ENTRY_DEPTH + 1;
/** Most values of a line; the entry adds and expands some. */
const VALUES_LIMIT = MAX_ENTRY_VALUES * 0.8;

/** The text of a line and its value, within the limits. @throws LoadRefusedError */
export function readLine(line: Uint8Array): { text: string; value: unknown } {
  if (line.byteLength > LINE_LIMIT)
    throw invalid(`the line has ${line.byteLength} bytes, and ${LINE_LIMIT} are the most`);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(line);
  } catch {
    throw invalid('the line is not UTF-8');
  }
  const values = countValues(text);
  if (values > VALUES_LIMIT) throw invalid(`the line holds ${values} values, and ${VALUES_LIMIT} are the most`);
  try {
    return { text, value: parseJson(text) };
  } catch (error) {
    throw invalid(`the line is not JSON: ${whereItBreaks(error)}`);
  }
}

/** @throws LoadRefusedError LOAD_INVALID with the first places that do not fit, or TEXT_UNFIT for a text of v2 */
export function readLoad(line: Uint8Array): ReadLoad {
  const { text, value } = readLine(line);
  const flaw = unstorable(value);
  if (flaw !== null) throw invalid(flaw);
  if (hasNameTwice(text, value))
    throw invalid(
      'an object of the line has the same name twice, and readers differ in which counts: name each field once',
    );
  const load = parseLoad(value);
  refuseUnfitAnalysis(load);
  const dangling = danglingReference(load);
  if (dangling !== null) throw invalid(dangling);
  const exact = exactCalculations(text);
  const calculations = JSON.stringify(exact);
  const bytes = largestEntryBytes(load, calculations);
  if (bytes > MAX_ENTRY_BYTES) {
    throw invalid(
      `in a bundle this load may come to ${bytes} bytes, and ${MAX_ENTRY_BYTES} are the most: shorten lineage.calculations or name fewer lineage.documents`,
    );
  }
  return { load, calculations, ...meaningOf(load, exact) };
}

function parseLoad(value: unknown): Load {
  const parsed = loadSchema.safeParse(value);
  if (!parsed.success) throw invalid(describeFlaws(parsed.error.issues, value));
  return parsed.data;
}

function whereItBreaks(error: unknown): string {
  const said = error instanceof Error ? error.message : '';
  const position = /position (\d+)/.exec(said)?.[1];
  if (position !== undefined) return `the fault is at character ${Number(position) + 1}`;
  const token = /^Unexpected token '(.+?)'/.exec(said)?.[1];
  return token === undefined ? 'it ends too early' : `${token} is not expected there`;
}

/** Values that PostgreSQL cannot hold, found before it is asked: NUL, half of a surrogate pair, a nesting bomb. */
function unstorable(root: unknown): string | null {
  const waiting: { value: unknown; path: string; depth: number }[] = [{ value: root, path: '', depth: 0 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, path, depth } = next;
    if (typeof value === 'string' && !isStorableText(value))
      return `${path}: holds a NUL character or half of a surrogate pair`;
    if (typeof value !== 'object' || value === null) continue;
    if (depth >= DEPTH_LIMIT)
      return `${path.split('.').slice(0, 4).join('.')}: nests deeper than ${DEPTH_LIMIT} levels of the line, so that the bundle around it would nest deeper than ${MAX_BODY_DEPTH}`;
    for (const [key, child] of Object.entries(value)) {
      const place = path === '' ? key : `${path}.${key}`;
      if (!isStorableText(key)) return `${path}: has a name that holds a NUL character or half of a surrogate pair`;
      waiting.push({ value: child, path: place, depth: depth + 1 });
    }
  }
  return null;
}

function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** Checks that every reference stays inside the load, and that every name is unique. */
function danglingReference({ lineage }: Load): string | null {
  const lists = [
    ['documents', 'document_id', lineage.documents.map((row) => row.document_id)],
    ['source_events', 'source_event_id', lineage.source_events.map((row) => row.source_event_id)],
    ['event_evidences', 'event_evidence_id', lineage.event_evidences.map((row) => row.event_evidence_id)],
    ['disclosure_facts', 'disclosure_fact_id', lineage.disclosure_facts.map((row) => row.disclosure_fact_id)],
  ] as const;
  for (const [list, name, ids] of lists) {
    const again = ids.findIndex((id, index) => ids.indexOf(id) !== index);
    if (again >= 0) return `lineage.${list}.${again}.${name}: ${ids[again]} is there twice`;
  }
  const documents = new Set(lists[0][2]);
  const events = new Set(lists[1][2]);
  const referring = [
    ['event_evidences', lineage.event_evidences],
    ['disclosure_facts', lineage.disclosure_facts],
  ] as const;
  for (const [list, rows] of referring) {
    for (const [index, row] of rows.entries()) {
      if (!documents.has(row.document_id))
        return `lineage.${list}.${index}.document_id: ${row.document_id} is not among lineage.documents`;
      if (row.source_event_id !== null && !events.has(row.source_event_id)) {
        return `lineage.${list}.${index}.source_event_id: ${row.source_event_id} is not among lineage.source_events`;
      }
    }
  }
  return null;
}

/** The calculations with numbers in the engine's digits (sync protocol 2.5: not converted). */
function exactCalculations(text: string): Load['lineage']['calculations'] {
  const keepDigits = (_key: string, value: unknown, context: { source?: string }): unknown =>
    typeof value === 'number' && context.source !== undefined && String(value) !== context.source
      ? JSON.rawJSON(context.source)
      : value;
  return (parseJson(text, keepDigits) as Load).lineage.calculations;
}

function invalid(message: string): LoadRefusedError {
  return new LoadRefusedError('LOAD_INVALID', `${message}.`);
}
