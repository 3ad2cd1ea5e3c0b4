/** The demo's pipeline on a day: its lanes, their slots and tasks. */

export interface TaskSpec {
  key: string;
  stage: string;
  dataset: string;
  required: boolean;
  /** Null: no freshness contract. */
  contract: string | null;
  /** Records of a usual run. */
  records: number;
  /** Slots in which it is due; default: all of them. */
  slots?: readonly string[];
  /** The number of assertion arguments that it resolves, where it measures that. */
  resolves?: number;
}

export interface LaneSpec {
  lane: string;
  /** Has nothing to do when the exchange is closed. */
  tradingOnly: boolean;
  /** `HHMM` in Korea. */
  slots: readonly string[];
  /** The usual duration of a run, and the time from which it is late. */
  minutes: number;
  deadlineMinutes: number;
  tasks: readonly TaskSpec[];
}

const task = (
  key: string,
  stage: string,
  dataset: string,
  records: number,
  rest: Partial<TaskSpec> = {},
): TaskSpec => ({
  key,
  stage,
  dataset,
  records,
  required: true,
  contract: null,
  ...rest,
});

const everyHours = (first: number, last: number, step: number, minute: string): string[] =>
  Array.from(
    { length: Math.floor((last - first) / step) + 1 },
    (_, n) => `${String(first + n * step).padStart(2, '0')}${minute}`,
  );

export const LANES: readonly LaneSpec[] = [
  {
    lane: 'market',
    tradingOnly: true,
    slots: ['0800', '1550'],
    minutes: 40,
    deadlineMinutes: 90,
    tasks: [
      task('raw-etf-ohlcv', 'raw', 'etf_ohlcv', 1_040, { contract: 'etf_ohlcv.daily' }),
      task('raw-etf-nav', 'raw', 'etf_nav', 1_040, { contract: 'etf_nav.daily', slots: ['1550'] }),
      task('raw-index-ohlcv', 'raw', 'index_ohlcv', 96, { required: false }),
      task('normalize-etf-ohlcv', 'normalize', 'etf_ohlcv', 1_040),
      task('normalize-etf-nav', 'normalize', 'etf_nav', 1_040, { slots: ['1550'] }),
      task('load-etf-daily', 'load', 'etf_daily', 1_040, { contract: 'etf_daily.close' }),
    ],
  },
  {
    lane: 'news',
    tradingOnly: false,
    slots: everyHours(7, 22, 1, '05'),
    minutes: 12,
    deadlineMinutes: 40,
    tasks: [
      task('raw-news', 'raw', 'news_articles', 90, { contract: 'news_articles.hourly' }),
      task('normalize-news', 'normalize', 'news_documents', 84),
      task('assertions-load', 'load', 'news_assertions', 160, { resolves: 320 }),
      task('embed-news', 'publish', 'news_embeddings', 84, { required: false }),
    ],
  },
  {
    lane: 'disclosure',
    tradingOnly: false,
    slots: everyHours(8, 18, 2, '20'),
    minutes: 10,
    deadlineMinutes: 45,
    tasks: [
      task('raw-disclosure', 'raw', 'disclosures', 24, { contract: 'disclosures.periodic' }),
      task('normalize-disclosure', 'normalize', 'disclosure_documents', 24),
      task('facts-load', 'load', 'disclosure_facts', 31),
    ],
  },
  {
    lane: 'intraday_flow',
    tradingOnly: true,
    slots: everyHours(9, 15, 1, '30'),
    minutes: 8,
    deadlineMinutes: 25,
    tasks: [
      task('raw-minute-quote', 'raw', 'minute_quote', 4_980, { contract: 'minute_quote.intraday' }),
      task('raw-investor-flow', 'raw', 'investor_flow', 415),
      task('normalize-minute-quote', 'normalize', 'minute_quote', 4_980),
      task('detect-movement', 'detect', 'minute_trigger', 4),
    ],
  },
  {
    lane: 'source_observation',
    tradingOnly: false,
    slots: ['0600', '2000'],
    minutes: 20,
    deadlineMinutes: 60,
    tasks: [
      task('raw-financials', 'raw', 'financials', 210, { contract: 'financials.daily' }),
      task('raw-vendor-status', 'raw', 'vendor_status', 12, { required: false }),
      task('normalize-financials', 'normalize', 'financials', 205),
    ],
  },
];

/** In these lanes a slot of the day is planned and never run. */
export const GAP_LANES: readonly string[] = ['news', 'disclosure'];
