/**
 * The vendor's fields of an explanation (D37: a later entry of the same id updates these alone), a row each: its form in the
 * ledger and in a dossier, and how it comes from the entry. Columns, comparison, digest and dossier follow from it.
 */
import { z } from 'zod';
import type { NewEntry } from '../../../shared/wire/bundle.ts';

/** The grounds of an explanation, as JSON texts: stored unchanged, so that no number is converted (sync protocol 2). */
export interface GroundTexts {
  source_events: string;
  evidences: string;
}

interface Stated {
  result: NewEntry['explanation_result'];
  run: NewEntry['explanation_run'];
  grounds: GroundTexts;
}

const field = <Form extends z.ZodType<string | number | null>>(
  form: Form,
  from: (stated: Stated) => z.infer<Form>,
  use?: 'searched' | 'titles searched',
) => ({ form, from, use });

const text = z.string();
/** As it came, digit for digit; another spelling of it is the same. */
export const JSON_TEXT = z.string();
/** In UTC (D2). */
const instant = z.iso.datetime({ precision: 3 });
const confidence = z.enum(['HIGH', 'MEDIUM', 'LOW']).nullable();

export const VENDOR_TABLE = {
  explanation_result_id: field(text, ({ result }) => result.explanation_result_id),
  etf_instrument_id: field(text, ({ result }) => result.etf_instrument_id),
  etf_ticker: field(text, ({ result }) => result.etf_ticker, 'searched'),
  etf_name: field(text, ({ result }) => result.etf_name, 'searched'),
  market: field(text.nullable(), ({ result }) => result.market ?? null),
  trade_date: field(text, ({ result }) => result.trade_date),
  explanation_as_of: field(instant, ({ result }) => new Date(result.explanation_as_of).toISOString()),
  content_as_of: field(text.nullable(), ({ result }) => result.content_as_of ?? null),
  explanation_type: field(text.nullable(), ({ result }) => result.explanation_type),
  confidence_level: field(confidence, ({ result }) => result.confidence_level),
  primary_thread_id: field(text, ({ result }) => result.primary_thread_id),
  /** An entry without an engine is v1 (sync protocol 9). */
  analysis_engine: field(text, ({ result }) => result.analysis_engine ?? 'v1'),
  observed_return: field(z.number().nullable(), ({ result }) => result.observed_return ?? null),
  summary: field(text, ({ result }) => result.summary, 'searched'),
  explanation_run_id: field(text, ({ run }) => run.explanation_run_id),
  release_bundle_version: field(text.nullable(), ({ run }) => run.release_bundle_version),
  source_events: field(JSON_TEXT, ({ grounds }) => grounds.source_events),
  evidences: field(JSON_TEXT, ({ grounds }) => grounds.evidences, 'titles searched'),
};

type Table = typeof VENDOR_TABLE;
type Forms = { [Name in keyof Table]: Table[Name]['form'] };
export type VendorFields = { [Name in keyof Table]: z.infer<Forms[Name]> };

export const VENDOR_FIELDS = Object.keys(VENDOR_TABLE) as (keyof Table)[];

export const vendorFieldsSchema = z.strictObject(
  Object.fromEntries(VENDOR_FIELDS.map((name) => [name, VENDOR_TABLE[name].form])) as Forms,
);

/** The vendor's fields of a NEW entry. */
export function vendorFields(
  { explanation_result: result, explanation_run: run }: Pick<NewEntry, 'explanation_result' | 'explanation_run'>,
  grounds: GroundTexts,
): VendorFields {
  const stated = { result, run, grounds };
  const fields: Partial<Record<keyof Table, string | number | null>> = {};
  for (const name of VENDOR_FIELDS) fields[name] = VENDOR_TABLE[name].from(stated);
  return fields as VendorFields;
}

/** The columns of a row that a shape names. */
export const columnsIn = <Row extends object, Shape extends object>(
  row: Row,
  shape: Shape,
): Pick<Row, keyof Row & keyof Shape> =>
  Object.fromEntries(Object.entries(row).filter(([name]) => Object.hasOwn(shape, name))) as Pick<
    Row,
    keyof Row & keyof Shape
  >;
