/** Constants of the operator API that both sides use. No schemas: the screens import only this. */

/** The operational state of a run (operator API 3). */
export const OPERATIONAL_STATES = ['IN_PROGRESS', 'READY', 'DEGRADED', 'BLOCKED', 'UNKNOWN'] as const;
export type OperationalState = (typeof OPERATIONAL_STATES)[number];

/** Worst first. */
export const STATES_BY_URGENCY = [
  'BLOCKED',
  'DEGRADED',
  'UNKNOWN',
  'IN_PROGRESS',
  'READY',
] as const satisfies readonly OperationalState[];
/** States that need attention: neither good nor merely under way. */
export const needsAttention = (state: OperationalState): boolean => STATES_BY_URGENCY.indexOf(state) < 3;

/**
 * The state of a lane on a day. RAN: a run counted, or a planned slot has none. SKIPPED: nothing was due. EMPTY:
 * neither run nor planned slot. Only counted runs are judged (D68).
 */
export const LANE_DAYS = ['RAN', 'SKIPPED', 'EMPTY'] as const;

/** How far a record has reached a tenant. WAITING: the tenant has connected but not passed it yet. */
export const RECEIPT_STATES = ['NEVER_CONNECTED', 'WAITING', 'RECEIVED'] as const;

/** What a tenant tells of a record that it has received (D230). */
export const APPLIED_STATES = ['REJECTED', 'PENDING', 'APPLIED'] as const;

/**
 * The outcome of an expected task that was due. PENDING: no attempt, and time is left; MISSING: no attempt, and the run
 * is over or its deadline has passed; UNKNOWN: the ledger has an unknown word for the last attempt.
 */
export const TASK_OUTCOMES = ['SUCCEEDED', 'RUNNING', 'PENDING', 'FAILED', 'MISSING', 'UNKNOWN'] as const;
export type TaskOutcome = (typeof TASK_OUTCOMES)[number];

/** The defects of a run or of one of its tasks, the run's first. */
export const DEFECT_KINDS = [
  /** A slot was planned and no run of it exists. */
  'PLANNING_GAP',
  /** The orchestration ended without success. */
  'RUN_FAILED',
  /** The deadline has passed and the run is not over. */
  'RUN_OVERDUE',
  /** The ledger has an unknown word for the run's status. */
  'RUN_STATUS_UNKNOWN',
  /** The run has no expected task, so its completeness cannot be judged. */
  'NO_TASKS',
  'TASK_FAILED',
  'TASK_MISSING',
  /** The run is over, but the task is not. */
  'TASK_UNFINISHED',
  'TASK_STATUS_UNKNOWN',
  /** Records failed inside a task that went through. Unsupported records are none (operator API 2). */
  'FAILED_RECORDS',
  /** Fewer records came than the ledger expected. */
  'INCOMPLETE',
  'STALE',
  'FRESHNESS_UNKNOWN',
] as const;
export type DefectKind = (typeof DEFECT_KINDS)[number];

/** At most so many runs of other days are listed; their number is always whole. */
export const OTHER_DAYS_SHOWN = 20;

/** The screens with details of a lane. */
export const LINK_RELATIONS = ['RUN', 'HISTORY', 'SOURCES', 'NEWS_LINEAGE', 'MINUTE', 'HOLDINGS_IMPACT'] as const;

/** The sources of operator API 2, in its order. The ledger may know others. */
export const COLLECTION_SOURCES = ['NEWS', 'DISCLOSURE', 'QUOTE', 'FLOW', 'FINANCIALS', 'ETF_HOLDINGS'] as const;

/**
 * The state of a source's collection. DELAYED: a due collection has not come; UNKNOWN: the ledger has none, or an
 * unknown word for the last one.
 */
export const SOURCE_STATUSES = ['NORMAL', 'COLLECTING', 'DELAYED', 'ERROR', 'UNKNOWN'] as const;
export type SourceStatus = (typeof SOURCE_STATUSES)[number];

/** The stages of the news funnel. */
export const NEWS_STAGES = ['COLLECTED', 'STRUCTURED', 'USED'] as const;
export type NewsStage = (typeof NEWS_STAGES)[number];

/** The counts N and M of a funnel tile. */
export const TILE_DEFINITIONS = [
  /**
   * N: documents of kind NEWS that became available on the date. There is no M: the expected number is unknown.
   */
  'NEWS_DOCUMENTS_OF_DATE',
  /** N: documents with at least one assertion. M: those of the date. */
  'WITH_ASSERTION_OF_COLLECTED',
  /** N: documents that an explanation run reached through event evidence and assertion. M: those with an assertion. */
  'REACHED_BY_RUN_OF_STRUCTURED',
] as const;

/** Facts about news that the ledger does not have; no tile shows them. */
export const NEWS_UNMEASURED = ['EXTRACTION_TERMINAL', 'DEDUPLICATION', 'INSTRUMENT_LINKING'] as const;

/** At most so many evidence documents are listed (operator API 8). */
export const DOCUMENT_SAMPLE_CAP = 200;

/**
 * One minute of the intraday grid. ABSENT: no collection of that minute is in the ledger though it is over;
 * AHEAD: it is not over yet; UNKNOWN: collected, but how much was not counted.
 */
export const MINUTE_STATES = ['COMPLETE', 'PARTIAL', 'EMPTY', 'UNKNOWN', 'ABSENT', 'AHEAD'] as const;
export type MinuteState = (typeof MINUTE_STATES)[number];

/** Acts on a stored price judgement that no reader is offered (operator API 4). */
export const JUDGMENT_NOT_OFFERED = ['ORIGINAL_TEXT_REVERIFICATION', 'RECOMPUTATION'] as const;

/**
 * The meaning of missing holdings for the reference date. UNKNOWN: cannot be judged; WITHHELD: not judged while the
 * load runs; RESOLVED: a later run loaded the missing ones; NO_IMPACT: none was ever missing.
 */
export const HOLDINGS_STATES = ['UNKNOWN', 'WITHHELD', 'NO_IMPACT', 'RESOLVED', 'IMPACT'] as const;
export type HoldingsState = (typeof HOLDINGS_STATES)[number];

/** Why holdings are not judged. */
export const HOLDINGS_REASONS = ['REFERENCE_DATE_ABSENT', 'EXPECTED_LIST_ABSENT', 'LOAD_IN_PROGRESS'] as const;

/** At most so many affected analyses are listed; their number is always whole. */
export const AFFECTED_ANALYSES_CAP = 200;

/**
 * The lineage from a lane to ETFs in the store (D132): the documents or firings that their analyses used. NOT_RECORDED:
 * the store has no lineage, and every ETF analysed on the day is named as an upper bound.
 */
export const LINEAGE_BASES = [
  'NEWS_DOCUMENTS',
  'DISCLOSURE_DOCUMENTS',
  'BATCH_FIRINGS',
  'INTRADAY_FIRINGS',
  'NOT_RECORDED',
] as const;
export type LineageBasis = (typeof LINEAGE_BASES)[number];

/** At most so many ETFs, analyses and tenants behind a task are listed; their numbers are always whole. */
export const IMPACT_CAP = 200;

export const ANALYSIS_STATUSES = ['COMPLETE', 'PENDING', 'FAILED'] as const;
export type AnalysisStatus = (typeof ANALYSIS_STATUSES)[number];
/** A separate axis from the execution status. */
export const PUBLICATION_STATES = ['PUBLISHED', 'UNPUBLISHED', 'INVALIDATED'] as const;
export type PublicationState = (typeof PUBLICATION_STATES)[number];
