/** Loads for tests: whole ones from a few words. */
import type { BackfillLoad, Lineage, LiveLoad, Load, V2Load } from '../../../cloud/publication/load.ts';
import { largestEntryBytes } from '../../../cloud/ingest/entry-size.ts';
import { readLoad } from '../../../cloud/ingest/read-load.ts';
import type { ReadLoad } from '../../../cloud/publication/publish.ts';

export interface LoadWords {
  /** Ends up in every id of the load. */
  key: string;
  /** The firing; loads that share it share a route. */
  route?: string;
  ticker?: string;
  asOf?: string;
  summary?: string;
  documents?: number;
}

function base(words: LoadWords) {
  const { key, route = key, ticker = '069500' } = words;
  return {
    instrument: { instrument_id: `inst-${ticker}`, ticker, name: `KODEX ${ticker}`, market: 'KRX' },
    trigger: {
      trigger_id: `trg-${route}`,
      kind: 'BATCH' as const,
      fired_at: '2026-11-20T06:30:00Z',
      observed_return: -0.0123,
    },
    run: { explanation_run_id: `run-${key}`, release_bundle_version: '2026.11.1', started_at: '2026-11-20T06:31:00Z' },
    thread: { event_thread_id: `thr-${route}`, title: '반도체 수출 부진' },
    lineage: makeLineage(key, words.documents ?? 1),
  };
}

/** News documents with an event each, one disclosure by the second branch, one calculation. */
export function makeLineage(key: string, documents: number): Lineage {
  const numbers = Array.from({ length: documents }, (_, index) => index);
  return {
    documents: [
      ...numbers.map((n) => ({
        document_id: `doc-${key}-${n}`,
        document_type: 'NEWS' as const,
        title: `기사 ${n}`,
        source: 'YNA',
        published_at: '2026-11-20T05:00:00.5Z',
        source_uri: `https://news.example/${key}/${n}`,
        news_id: `news-${key}-${n}`,
        tool_run_id: `tool-${key}`,
        item_ids: [`item-${n}`],
      })),
      {
        document_id: `dis-${key}`,
        document_type: 'DISCLOSURE' as const,
        title: null,
        source: 'DART',
        published_at: null,
        source_uri: null,
      },
    ],
    source_events: [
      ...numbers.map((n) => ({
        source_event_id: `evt-${key}-${n}`,
        source_class: 'NEWS' as const,
        event_type_code: 'EXPORT',
        event_date: '2026-11-20',
      })),
      {
        source_event_id: `evt-${key}-d`,
        source_class: 'DISCLOSURE' as const,
        event_type_code: 'EARNINGS',
        event_date: null,
      },
    ],
    event_evidences: numbers.map((n) => ({
      event_evidence_id: `evi-${key}-${n}`,
      source_event_id: `evt-${key}-${n}`,
      document_id: `doc-${key}-${n}`,
    })),
    disclosure_facts: [
      { disclosure_fact_id: `fact-${key}`, source_event_id: `evt-${key}-d`, document_id: `dis-${key}` },
    ],
    calculations: [
      {
        title: '비중 가중 기여도',
        source: '구성종목·종가',
        as_of: '2026-11-20',
        tool_run_id: `tool-${key}`,
        item_ids: ['item-0'],
        arguments: { ticker: '005930', window: 5 },
        output: { contribution: -0.0071, parts: [1, '2', null] },
        formula_latex: 'w_i r_i',
        description: '구성종목 수익률에 비중을 곱한 값',
      },
    ],
  };
}

/** A live load that publishes. */
export function live(words: LoadWords, changes: Partial<LiveLoad> = {}): LiveLoad {
  return { mode: 'REALTIME', ...base(words), result: result(words), failure: null, republication: null, ...changes };
}

export function result(words: LoadWords): LiveLoad['result'] {
  return {
    explanation_result_id: `res-${words.key}`,
    trade_date: '2026-11-20',
    explanation_as_of: words.asOf ?? stampOf(words.key),
    explanation_type: 'EVENT_SUPPORTED',
    confidence_level: 'HIGH',
    summary: words.summary ?? `${words.key}: 반도체 업황 우려로 하락했습니다.`,
    content_as_of: '2026-11-20T15:30:00+09:00',
    surface: { observed_return: -0.0123 },
  };
}

export function backfill(words: LoadWords, changes: Partial<BackfillLoad> = {}): BackfillLoad {
  return { mode: 'BACKFILL', ...base(words), result: result(words), failure: null, ...changes };
}

export function v2(words: LoadWords, changes: Partial<V2Load> = {}): V2Load {
  return {
    mode: 'V2',
    ...base(words),
    analysis: {
      movement_analysis_id: `ana-${words.key}`,
      trade_date: '2026-11-20',
      explanation_as_of: words.asOf ?? stampOf(words.key),
      summary: words.summary ?? `${words.key}: v2 설명입니다.`,
      content_as_of: null,
    },
    ...changes,
  };
}

/** A distinct time for each key, so that no two loads share a grain by chance. */
function stampOf(key: string): string {
  let number = 7;
  for (const char of key) number = (number * 31 + (char.codePointAt(0) ?? 0)) % 86_400_000;
  return new Date(Date.UTC(2026, 10, 20) + number).toISOString();
}

/** The line of a load with this JSON text as the output of its first calculation. */
export function withOutput(load: Load, output: string): string {
  const [calculation, ...others] = load.lineage.calculations;
  if (calculation === undefined) throw new Error('the load has no calculation');
  const marked = { ...load.lineage, calculations: [{ ...calculation, output: { '@output@': 0 } }, ...others] };
  return JSON.stringify({ ...load, lineage: marked }).replace('{"@output@":0}', () => output);
}

/** The line of a load whose entry has exactly this many bytes. */
export function paddedTo(load: Load, bytes: number): string {
  const padded = (length: number): string => withOutput(load, `{"pad":"${'x'.repeat(length)}"}`);
  const empty = readLoad(Buffer.from(padded(0)));
  return padded(bytes - largestEntryBytes(empty.load, empty.calculations));
}

/** A load as the door reads it from its line. */
export function read(load: Load): ReadLoad {
  return readLoad(Buffer.from(JSON.stringify(load)));
}
