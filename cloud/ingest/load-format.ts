/** The format of a load as JSON Schema, for the people of the engine: made from what the door itself reads by. */
import { z } from 'zod';
import { MAX_ENTRY_BYTES } from '../../shared/wire/bundle-endpoint.ts';
import { loadSchema, type Load } from '../publication/load.ts';
import { outcomeLines } from '../publication/outcomes.ts';
import { withFields } from './load-fields.ts';

const DESCRIPTION = [
  'One line of the body of POST /internal/v1/loads (JSON Lines, UTF-8): the outcome of one run of the engine for one firing and one ETF.',
  'Beyond this schema the door refuses: a reference to a document or event that the load does not hold; an id that is twice in a list; a unit without its value;',
  `a line, or its entry in a bundle, of more than ${MAX_ENTRY_BYTES} bytes; a NUL or half of a surrogate pair; characters that no reader`,
  'sees or reads, but for the summary of v1; as TEXT_UNFIT a summary of v2 with such a character, with markup, a placeholder, broken letters,',
  'mostly another language than Korean, or a phrase of an assistant; an id or a name with white space at its ends; a line end in an id, a name or a title;',
  'an instant outside of the years 0001 to 9999. It refuses until later (DATE_AHEAD) a trade date after today in Korea,',
  'and an explanation_as_of or fired_at more than ten minutes ahead. Lengths count UTF-16 units.',
  `The answer has one of these outcomes, and mostly a reason:\n${outcomeLines().join('\n')}`,
].join(' ');

export const EXAMPLE_LOAD: Load = {
  mode: 'DAILY',
  instrument: { instrument_id: 'KRX:091160', ticker: '091160', name: 'KODEX 반도체', market: 'KRX' },
  trigger: {
    trigger_id: 'trg-20260615-01',
    kind: 'BATCH',
    fired_at: '2026-06-15T15:30:00+09:00',
    observed_return: 0.0231,
  },
  run: {
    explanation_run_id: 'run-20260615-01',
    release_bundle_version: 'rb-2.14.0',
    started_at: '2026-06-15T15:32:25+09:00',
  },
  thread: { event_thread_id: 'thr-20260615-01', title: '반도체 장비 발주 재개' },
  lineage: {
    documents: [
      {
        document_id: 'doc-1',
        document_type: 'NEWS',
        title: '반도체 장비 발주 재개',
        source: '예시경제',
        published_at: '2026-06-15T08:20:00+09:00',
        source_uri: 'https://news.example/1',
      },
    ],
    source_events: [
      { source_event_id: 'event-1', source_class: 'NEWS', event_type_code: 'ORDER', event_date: '2026-06-15' },
    ],
    event_evidences: [{ event_evidence_id: 'evidence-1', source_event_id: 'event-1', document_id: 'doc-1' }],
    disclosure_facts: [],
    calculations: [
      {
        title: '일간 수익률',
        source: 'KRX',
        as_of: '2026-06-15',
        tool_run_id: 'tool-1',
        item_ids: ['item-1'],
        arguments: { ticker: '091160' },
        output: { return: 0.0231 },
        formula_latex: null,
        description: '종가 기준',
      },
    ],
  },
  result: {
    explanation_result_id: 'result-20260615-01',
    trade_date: '2026-06-15',
    explanation_as_of: '2026-06-15T15:34:00+09:00',
    explanation_type: 'EVENT_SUPPORTED',
    confidence_level: 'HIGH',
    summary: '반도체 장비 발주가 재개되면서 편입 종목이 올라 ETF도 2.31% 상승했다.',
    content_as_of: '2026-06-15T15:30:00+09:00',
    surface: { return: 0.0231, close_price: 41250 },
    surface_units: { return: 'RATIO', close_price: 'KRW' },
    counter_factors: [],
  },
  failure: null,
  republication: null,
};

export function describeLoad(): z.core.JSONSchema.BaseSchema {
  const { $schema, ...schema } = z.toJSONSchema(loadSchema, { io: 'input' });
  return {
    ...($schema === undefined ? {} : { $schema }),
    title: 'Load',
    description: DESCRIPTION,
    ...(withFields(schema) as object),
    examples: [EXAMPLE_LOAD],
  };
}
