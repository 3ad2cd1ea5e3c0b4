/**
 * The size in bytes of a load's NEW entry in any later bundle. The engine's line hardly shows it: texts are escaped
 * again, and a document shared with other runs includes values that their loads filled in. So this measures the entry at
 * its largest, in the form of `entries/entry-sql.ts`.
 */
import type {
  documentEvidenceSchema,
  explanationResultSchema,
  explanationRunSchema,
  sourceEventSchema,
} from '../../shared/wire/bundle.ts';
import { LONGEST } from '../../shared/wire/entry-fields.ts';
import type { Lineage, Load } from '../publication/load.ts';

/** An object of the wire with each of its fields, so that a new one cannot be left out here. */
type Whole<Schema extends { shape: object }> = Record<keyof Schema['shape'], unknown>;

/** Bytes of one UTF-16 unit in JSON text at most: `가`. Names, titles and addresses hold nothing that JSON escapes wider. */
const WIDEST_UNIT = 3;
const STAMP = '2026-11-20T05:00:00.000Z';
/** The longest double in digits. */
const LONGEST_NUMBER = -2.225_073_858_507_201_4e-308;

/**
 * @param calculations the JSON text of the calculations as stored
 * @returns bytes; 0 when there will be no entry
 */
export function largestEntryBytes(load: Load, calculations: string): number {
  const subject = load.mode === 'V2' ? load.analysis : load.result;
  if (subject === null) return 0;
  const id = 'movement_analysis_id' in subject ? subject.movement_analysis_id : subject.explanation_result_id;
  const { instrument, lineage } = load;
  const entry = {
    cursor: Number.MAX_SAFE_INTEGER,
    issued_at: STAMP,
    delivery_type: 'NEW',
    explanation_result: {
      explanation_result_id: id,
      etf_instrument_id: instrument.instrument_id,
      etf_ticker: instrument.ticker,
      etf_name: instrument.name,
      trade_date: subject.trade_date,
      explanation_as_of: STAMP,
      explanation_type: 'explanation_type' in subject ? subject.explanation_type : null,
      summary: subject.summary,
      confidence_level: 'confidence_level' in subject ? subject.confidence_level : null,
      primary_thread_id: load.thread.event_thread_id,
      content_as_of: subject.content_as_of,
      analysis_engine: 'v2',
      market: instrument.market,
      observed_return: LONGEST_NUMBER,
    } satisfies Whole<typeof explanationResultSchema>,
    explanation_run: {
      explanation_run_id: load.mode === 'V2' ? id : load.run.explanation_run_id,
      release_bundle_version: load.run.release_bundle_version,
    } satisfies Whole<typeof explanationRunSchema>,
    source_events: lineage.source_events.map(
      (event) => ({ ...event, event_date: '2026-11-20' }) satisfies Whole<typeof sourceEventSchema>,
    ),
    evidences: lineage.documents.map(
      (document) =>
        ({
          kind: document.document_type,
          title: '',
          source: document.source,
          published_at: STAMP,
          source_uri: '',
          news_id: '',
          tool_run_id: document.tool_run_id,
          item_ids: document.item_ids,
        }) satisfies Whole<typeof documentEvidenceSchema>,
    ),
  };
  return Buffer.byteLength(JSON.stringify(entry)) + filledInLater(lineage) + calculationBytes(lineage, calculations);
}

/** The most that other loads may still add to the rows that this one shares with them (`publication/lineage.ts`). */
function filledInLater({ documents, disclosure_facts }: Lineage): number {
  const perDocument = widest(LONGEST.title) + widest(LONGEST.address) + widest(LONGEST.id);
  const event = { source_event_id: '', source_class: 'DISCLOSURE', event_type_code: '', event_date: '2026-11-20' };
  const perEvent = JSON.stringify(event).length + 1 + widest(LONGEST.id) + widest(LONGEST.code);
  const events = disclosure_facts.filter((fact) => fact.source_event_id === null).length;
  return documents.length * perDocument + spaces(documents) + events * perEvent;
}

function calculationBytes({ calculations }: Lineage, text: string): number {
  const fixed = ',"kind":"CALCULATION","published_at":null'.length;
  return Buffer.byteLength(text) + calculations.length * fixed + spaces(calculations);
}

/** The store writes a blank behind each comma of the item ids. */
function spaces(rows: readonly { item_ids?: string[] | undefined }[]): number {
  return rows.reduce((sum, row) => sum + (row.item_ids?.length ?? 0), 0);
}

function widest(characters: number): number {
  return characters * WIDEST_UNIT;
}
