/** What each field of a load says, with unit, sign and an example: for the people of the engine (D218). */

/** By the field's name, which means the same wherever it stands. The second: an example; absent for objects and lists. */
export const FIELDS: Readonly<Record<string, readonly [says: string, example?: unknown]>> = {
  mode: [
    'How the run came about. REALTIME and DAILY are published; BACKFILL is kept as a draft; V2 is an analysis.',
    'DAILY',
  ],
  instrument: ['The ETF that the text explains.'],
  instrument_id: ['The id of the ETF, the same for ever.', 'KRX:091160'],
  ticker: ['The short code at the exchange: six digits or capital letters.', '091160'],
  name: ['The name of the ETF as customers know it.', 'KODEX 반도체'],
  market: ['The code of the market.', 'KRX'],
  instrument_change: ['True: another ticker or market than before is meant, and no mistake.', false],
  trigger: ['The firing that asked for an explanation. One firing has one published text.'],
  trigger_id: ['The id of the firing.', 'trg-20260615-01'],
  kind: ['BATCH: at the close; MINUTE: during the day.', 'BATCH'],
  fired_at: ['When it fired, with an offset; at most ten minutes ahead.', '2026-06-15T15:30:00+09:00'],
  observed_return: [
    'The return that was observed, as a ratio: 0.0231 is +2.31 %, negative for a fall. Beyond 1 or −1 it is marked as suspect. Null: not measured.',
    0.0231,
  ],
  run: ['The run of the engine.'],
  explanation_run_id: ['The id of the run.', 'run-20260615-01'],
  release_bundle_version: ['The version of the engine; null: not told.', 'rb-2.14.0'],
  started_at: ['When the run began, with an offset.', '2026-06-15T15:32:25+09:00'],
  thread: ['The story that the text belongs to.'],
  event_thread_id: ['The id of the story.', 'thr-20260615-01'],
  title: ['A headline of one line.', '반도체 장비 발주 재개'],
  lineage: ['The grounds of the text.'],
  documents: ['News and disclosures that the run has read.'],
  document_id: ['The id of a document of this load.', 'doc-1'],
  document_type: ['What the document is.', 'NEWS'],
  source: ['Who published or supplied it.', '예시경제'],
  published_at: ['When it was published, with an offset; null: not known.', '2026-06-15T08:20:00+09:00'],
  source_uri: ['Its address; null: none.', 'https://news.example/1'],
  news_id: ['The id at the supplier; absent: not known, never guessed.', 'news-1'],
  tool_run_id: ['The id of the tool run that brought it.', 'tool-1'],
  item_ids: ['The ids of the items in that tool run.', ['item-1']],
  source_events: ['Events that the documents tell of.'],
  source_event_id: ['The id of an event of this load.', 'event-1'],
  source_class: ['Where the event was found.', 'NEWS'],
  event_type_code: ['The kind of the event, a code of the engine.', 'ORDER'],
  event_date: ['The day of the event in Korea; null: not known.', '2026-06-15'],
  event_evidences: ['Which document is evidence of which event.'],
  event_evidence_id: ['The id of an evidence.', 'evidence-1'],
  disclosure_facts: ['Facts from disclosures.'],
  disclosure_fact_id: ['The id of a fact.', 'fact-1'],
  calculations: [
    'Calculations behind the text. Their numbers are kept digit for digit, with the units of their names.',
  ],
  as_of: ['The day or instant that a calculation stands for; null: none.', '2026-06-15'],
  arguments: ['What went into the calculation, by name.'],
  output: ['What came out, by name.'],
  formula_latex: ['The formula in LaTeX; null: none.', 'r = P_t / P_{t-1} - 1'],
  description: ['The calculation in words.', '종가 기준'],
  result: ['The text with what it says about itself; null in a BACKFILL whose window failed.'],
  explanation_result_id: ['The id of the text. A new text needs a new id.', 'result-20260615-01'],
  trade_date: ['The trading day in Korea, not after today.', '2026-06-15'],
  explanation_as_of: [
    'When the text was generated, with an offset; at most ten minutes ahead.',
    '2026-06-15T15:34:00+09:00',
  ],
  explanation_type: ['The kind of explanation; null only without measured values.', 'EVENT_SUPPORTED'],
  confidence_level: ['How sure the engine is; null only without measured values.', 'HIGH'],
  summary: ['The text for customers, plain text in Korean.', '편입 종목이 올라 ETF도 2.31% 상승했다.'],
  content_as_of: [
    'The end of the window that the text describes, with +09:00; null: not told.',
    '2026-06-15T15:30:00+09:00',
  ],
  surface: [
    'Measured values by name, each a number with its sign, in the unit of surface_units. Null: nothing was measured.',
    { return: 0.0231, close_price: 41250 },
  ],
  surface_units: [
    'Units of those values by the same names: RATIO (0.0123 is 1.23 %), PERCENT (1.23 is 1.23 %), or another code, shown beside the number. Without a unit a value is a plain number.',
    { return: 'RATIO', close_price: 'KRW' },
  ],
  counter_factors: ['Doubts about the text. Absent: not looked for; empty: none found.', []],
  failure: ['The error of the engine for this instrument; null: none.'],
  exception_type: ['The class of the error.', 'KeyError'],
  message: ['Its message.', 'price'],
  republication: ['Asks to withdraw the published text of the firing and to publish this one; null: no.'],
  reason: ['Why.', '비중이 잘못되었다'],
  analysis: ['The text of a v2 analysis.'],
  movement_analysis_id: ['The id of the analysis.', 'analysis-20260615-01'],
};

/** Adds to each property of a JSON Schema what its field says. */
export function withFields(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withFields);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]: [string, unknown]) => [
      key,
      key === 'properties' && typeof value === 'object' && value !== null
        ? Object.fromEntries(
            Object.entries(value).map(([name, inside]: [string, unknown]) => [name, described(name, inside)]),
          )
        : withFields(value),
    ]),
  );
}

function described(name: string, inside: unknown): object {
  const [says, example] = FIELDS[name] ?? [];
  return {
    ...(withFields(inside) as object),
    ...(says === undefined ? {} : { description: says }),
    ...(example === undefined ? {} : { examples: [example] }),
  };
}
