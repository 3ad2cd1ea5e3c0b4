/** Loads for the engine's door, as the end-to-end tests send them. */
import type { LiveLoad } from '../../cloud/publication/load.ts';

export interface LoadWords {
  id: string;
  ticker: string;
  name: string;
  summary: string;
  /** ISO instant of the text's creation. */
  asOf: string;
  confidence?: 'HIGH' | 'MEDIUM' | 'LOW';
  observedReturn?: number;
}

/** A complete load with two source events, a news, a disclosure and a calculation. */
export function liveLoad(words: LoadWords): LiveLoad {
  const { id, asOf } = words;
  const observedReturn = words.observedReturn ?? 0.0123;
  return {
    mode: 'REALTIME',
    instrument: { instrument_id: `instrument-${words.ticker}`, ticker: words.ticker, name: words.name, market: 'KRX' },
    trigger: { trigger_id: `trigger-${id}`, kind: 'MINUTE', fired_at: asOf, observed_return: observedReturn },
    run: { explanation_run_id: `run-${id}`, release_bundle_version: '2026.11.1', started_at: asOf },
    thread: { event_thread_id: `thread-${id}`, title: null },
    lineage: {
      documents: [
        {
          document_id: `news-${id}`,
          document_type: 'NEWS',
          title: '반도체 수출, 석 달 연속 증가',
          source: '한강경제',
          published_at: asOf,
          source_uri: 'https://news.example/1',
          news_id: `n-${id}`,
        },
        {
          document_id: `disclosure-${id}`,
          document_type: 'DISCLOSURE',
          title: '단일판매·공급계약체결',
          source: '모의 전자공시',
          published_at: asOf,
          source_uri: null,
        },
      ],
      source_events: [
        { source_event_id: `event-a-${id}`, source_class: 'NEWS', event_type_code: 'EXPORT', event_date: null },
        { source_event_id: `event-b-${id}`, source_class: 'DISCLOSURE', event_type_code: 'CONTRACT', event_date: null },
      ],
      event_evidences: [
        { event_evidence_id: `evidence-${id}`, source_event_id: `event-a-${id}`, document_id: `news-${id}` },
      ],
      disclosure_facts: [
        { disclosure_fact_id: `fact-${id}`, source_event_id: `event-b-${id}`, document_id: `disclosure-${id}` },
      ],
      calculations: [
        {
          title: '구성 종목 기여도',
          source: '지수·구성종목',
          as_of: asOf.slice(0, 10),
          tool_run_id: `tool-${id}`,
          item_ids: ['item-1'],
          arguments: { weight: 0.25, return: 0.04 },
          output: { contribution: 0.01 },
          formula_latex: String.raw`c = w \times r`,
          description: '비중과 수익률의 곱',
        },
      ],
    },
    result: {
      explanation_result_id: id,
      trade_date: asOf.slice(0, 10),
      explanation_as_of: asOf,
      explanation_type: 'EVENT_SUPPORTED',
      confidence_level: words.confidence ?? 'HIGH',
      summary: words.summary,
      content_as_of: null,
      surface: { observed_return: observedReturn },
    },
    failure: null,
    republication: null,
  };
}
