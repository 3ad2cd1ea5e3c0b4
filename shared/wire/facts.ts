/**
 * The facts that a rule engine judges (document 2 section 2, "Facts response", and "Trend points"). Null: looked,
 * and could not see. A key that is absent: not measured. 0, false and an empty array are what was seen.
 * An axis that may be absent is optional here.
 */
export interface FactsMeta {
  /** The database's clock. */
  db: string;
  /** The day that is viewed. */
  today: string;
  /** When the control plane was looked at; null when the look failed. */
  cloud?: string | null;
}

export interface RunFact {
  /** The run key. */
  id: string;
  /** Null only on a planning gap whose slot key cannot be read. */
  lane: string | null;
  tradingDate: string | null;
  /** Null only on a planning gap. */
  ledgerStatus: string | null;
  ledgerUpdated: string | null;
  deadline: string | null;
  cloudStatus?: string | null;
  cloudStop?: string | null;
  /** On planning gaps alone; never false. */
  planned?: true;
  noRunRow?: true;
}

/** D25. Null: the ledger gave no signal. */
export interface TaskFact {
  runId: string;
  dataset: string | null;
  attempts: number;
  recordsOut: number | null;
  unsupportedRecords: number | null;
  failedRecords: number | null;
  completenessExpected: number | null;
  completenessActual: number | null;
}

export interface DatasetFact {
  id: string;
  contract: boolean;
  expectedAsOf: string | null;
  actualAsOf: string | null;
  collectedAt: string | null;
  /** Null: freshness can be judged. */
  unverifiable: string | null;
}

export type OutputId = 'o.pub' | 'o.trig' | 'o.doc' | 'o.asr' | 'o.evt';

export interface OutputFact {
  /** An `OutputId`, or what a newer server adds. */
  id: string;
  label: string;
  today: number;
  /** The usual value; null: there is none. */
  base: number | null;
  unit: string;
}

/** As of `meta.db`, whatever day is viewed. */
export interface BoundaryFact {
  publishedWithoutDelivery: number;
  deliveryNowNonpublished: number;
  deliveryRows: number;
}

export interface FeedFact {
  id: string;
  label: string;
  v: number;
  unit: string;
  src: string;
}

export type StageId = 'c.obs' | 'c.route' | 'c.run' | 'c.res' | 'c.pub';

export interface StageFact {
  /** A `StageId`, or what a newer server adds. */
  id: string;
  label: string;
  batch: number;
  intraday: number;
  src: string;
}

export interface ChainFact {
  /** Read by position: batch, intraday, then whatever a later server adds. */
  feeds: FeedFact[];
  stages: StageFact[];
}

export interface EtfFact {
  etf: string;
  name: string;
  triggered: boolean;
  /** The status of the run; null: there is none yet. */
  outcome: string | null;
  error: null;
}

export interface QueueFact {
  name: string;
  visible: number;
  inFlight: number;
  dlq: number;
}

/** The result of `GET /api/v1/console/facts`. */
export interface Facts {
  runs: RunFact[];
  meta: FactsMeta;
  tasks: TaskFact[];
  datasets: DatasetFact[];
  outputs: OutputFact[];
  boundary: BoundaryFact;
  chain?: ChainFact;
  etfLedger?: { rows: EtfFact[] };
  queues?: QueueFact[] | null;
}

export interface EntityResolutionPoint {
  date: string;
  totalArguments: number;
  resolvedArguments: number;
  /** From 0 to 1 (D52); null when there was nothing to resolve. */
  rate: number | null;
}

/** The result of `GET /api/v1/console/trends/entity-resolution`. */
export interface EntityResolutionTrend {
  points: EntityResolutionPoint[];
}

/** Numbers of observations, but for the triggers. */
export interface IntradayPoint {
  date: string;
  triggers: number;
  observations: number;
  runs: number;
  activeRuns: number;
  failedRuns: number;
  results: number;
  published: number;
}

/** The result of `GET /api/v1/console/trends/intraday-analysis`. */
export interface IntradayTrend {
  asOf: string;
  points: IntradayPoint[];
}
