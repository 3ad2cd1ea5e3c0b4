/** Constants of the console API that both sides use. No schemas: the screens import only this. */

/** Marks an automatic request of a screen: it does not renew the idle time (D9). */
export const AUTOMATIC_HEADER = 'x-causeway-automatic';

/** The states of an explanation in the tenant (D12). */
export const EXPLANATION_STATUSES = [
  'AUTO_PUBLISHED',
  'PENDING_REVIEW',
  'PUBLISHED',
  'REJECTED',
  'BLOCKED',
  'STOPPED',
  'INVALIDATED',
] as const;
export type ExplanationStatus = (typeof EXPLANATION_STATUSES)[number];

/**
 * Why a text is not exposed now: its state; its time has not come (D203); on hold after its approval; replaced by a later
 * one; expired on its trade date; its approval has lapsed; outside the serving scope; a rebuild of the ledger is under way.
 */
export const OBSTACLES = ['STATE', 'AHEAD', 'HELD', 'REPLACED', 'EXPIRED', 'LAPSED', 'SCOPE', 'REBUILD'] as const;
export type Obstacle = (typeof OBSTACLES)[number];

/** Texts that are exposed, and those that the serving scope alone keeps from all of them (D233). */
export const EXPOSURES = ['EXPOSED', 'EXCLUDED'] as const;
export type Exposure = (typeof EXPOSURES)[number];

/** The longest that the policy may hold an approved text, in seconds. */
export const MOST_HOLD_SECONDS = 60;
/** Most words with a meaning that a policy lets stand between two parts of a forbidden word (D220). */
export const MOST_APART = 12;
/** As many as stand between them where the policy does not say otherwise. */
export const USUALLY_APART = 3;

/** Replacement phrases of one forbidden word (D213), and the UTF-16 units of each. */
export const MOST_REPLACEMENTS = 10;
export const LONGEST_REPLACEMENT = 200;
/** A time of day, `HH:MM`. */
export const TIME_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d$/;

/** The transitions of an explanation: those of D12, and those that the vendor causes. */
export const MOVES = [
  'receive',
  'approve',
  'approve-edited',
  'reject',
  'block',
  'move-to-review',
  'unblock',
  'stop',
  'correct',
  'text-changed',
  'invalidate',
] as const;
export type Move = (typeof MOVES)[number];

/** The transitions by which a reviewer decides a waiting item. */
export const DECISIONS = ['approve', 'approve-edited', 'reject', 'block'] as const satisfies readonly Move[];
export type Decision = (typeof DECISIONS)[number];

/**
 * The checks of a screening in order: the five of D14, then those that run only while the policy asks for them: a notice in
 * use, and suspect returns (D226).
 */
export const CHECKS = [
  'FORBIDDEN_WORDS',
  'SOURCE_COUNT',
  'CONFIDENCE',
  'EXPLANATION_TYPE',
  'SERVING_SCOPE',
  'REQUIRED_NOTICE',
  'OBSERVED_RETURN',
] as const;
export type CheckName = (typeof CHECKS)[number];

/** The verdict of a check: PASS, REVIEW (a person must decide) or BLOCK. */
export const VERDICTS = ['PASS', 'REVIEW', 'BLOCK'] as const;
export type Verdict = (typeof VERDICTS)[number];

/**
 * The finding of a check, one code for each sentence of the screens. Its parameters:
 * - `WORDS_BLOCK`, `WORDS_REVIEW`: `words` (the first of them, in quotes), `count` (of words), `hits`, `kept`
 * - `SOURCES_…`: `count`, `least`; `CONFIDENCE_ENOUGH`, `CONFIDENCE_LOW`: `level`, `least`; `TYPE_KNOWN`: `type`
 * - `SCOPE_OUTSIDE`: `market`, `instrument`, `sector`, each only where it is switched off
 * - `TEXT_UNFIT`, and beside the words `WORDS_BLOCK`, `WORDS_REVIEW`, `TEXT_REORDERED`: for each of `UNFIT_KINDS` that is
 *   in the text its first place (`“<b>” (3-6)`)
 * - `NOTICES_BLOCK`, `NOTICES_REVIEW`: `notices` (the first of them, in quotes), `count`, `ids` (of all, spaces
 *   between)
 * - `RETURN_SUSPECT`: `ratio`, as the engine gave it
 */
export const CHECK_CODES = [
  'NO_POLICY',
  'CHECK_FAILED',
  'WORDS_NONE',
  'WORDS_BLOCK',
  'WORDS_REVIEW',
  'TEXT_REORDERED',
  'TEXT_BLANK',
  'TEXT_UNFIT',
  'SOURCES_ENOUGH',
  'SOURCES_FEW',
  'CONFIDENCE_MISSING',
  'CONFIDENCE_ENOUGH',
  'CONFIDENCE_LOW',
  'TYPE_MISSING',
  'TYPE_KNOWN',
  'TYPE_UNCERTAIN_REVIEW',
  'TYPE_UNCERTAIN_ALLOWED',
  'SCOPE_INSIDE',
  'SCOPE_OUTSIDE',
  'NOTICES_PRESENT',
  'NOTICES_NOT_NEEDED',
  'NOTICES_BLOCK',
  'NOTICES_REVIEW',
  'RETURN_USUAL',
  'RETURN_SUSPECT',
] as const;
export type CheckCode = (typeof CHECK_CODES)[number];

/** The effect of a hit: BLOCK refuses the text, REVIEW asks a person. */
export const SEVERITIES = ['BLOCK', 'REVIEW'] as const;

/** The taxonomy of reasons for reject, block and stop; a forbidden word may name its reason. */
/** For how long a reviewer puts an item off (D222). */
export const POSTPONEMENTS = ['HALF_HOUR', 'MARKET_CLOSE', 'TOMORROW'] as const;
export type Postponement = (typeof POSTPONEMENTS)[number];

export const REASON_CODES = [
  'ASSERTIVE',
  'GUARANTEED_RETURN',
  'LOSS_COMPENSATION',
  'SOLICITATION',
  'EXAGGERATION',
  'UNFAIR_COMPARISON',
  'ONE_SIDED',
  'CHERRY_PICKED_PERIOD',
  'WEAK_GROUNDS',
  'NUMBER_MISMATCH',
  'FORECAST',
  'RISK_NOTICE_MISSING',
  'AI_NOTICE_MISSING',
  'OTHER',
] as const;
export type ReasonCode = (typeof REASON_CODES)[number];

export const CONFIDENCE_LEVELS = ['HIGH', 'MEDIUM', 'LOW'] as const;
export type ConfidenceLevel = (typeof CONFIDENCE_LEVELS)[number];

/** The state of the reception (D55). */
export const SYNC_STATES = [
  'NEVER',
  'OK',
  'RETRYING',
  'REFUSED',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'GONE',
  'VIOLATION',
  'REGRESSED',
] as const;
export type SyncState = (typeof SYNC_STATES)[number];

/**
 * Alarms of the reception, beside the states of D55:
 * - `NOT_ASKING`: the Intake has missed its time to pull: it does not run
 * - `RAW_DAMAGED`: a stored body no longer matches its hash, or one that waits is signed by no verification key at hand (D199); of
 *   later ones only withdrawals are applied
 * - `CLOUD_BEHIND`: the head of the cloud is below the received records (D31)
 * - `STALLED`: the cloud repeatedly announces records and delivers none
 * - `QUIET`: every answer is good, and no record has come for two whole trading days
 * - `QUARANTINED_BUNDLES`: violating bodies lie in quarantine, unacknowledged
 * - `LEDGER_HELD`: another program has held the ledger's write lock for ten seconds
 * - `CLOCK_OFF`: the clocks of host and cloud are more than two minutes apart (D203)
 * - `DARK_TICKERS`: texts came after one that is off, and it keeps all of them from being exposed (D204)
 */
export const SYNC_ALARMS = [
  'NOT_OK',
  'NOT_ASKING',
  'RAW_DAMAGED',
  'CLOUD_BEHIND',
  'STALLED',
  'QUIET',
  'NOT_APPLIED',
  'HELD_INVALIDATIONS',
  'REJECTED_ENTRIES',
  'QUARANTINED_BUNDLES',
  'LEDGER_HELD',
  'CLOCK_OFF',
  'DARK_TICKERS',
] as const;
export type SyncAlarm = (typeof SYNC_ALARMS)[number];

export const SYNC_HISTORY_KINDS = ['BUNDLE', 'QUARANTINED', 'REJECTED', 'HELD', 'STATE'] as const;
export type SyncHistoryKind = (typeof SYNC_HISTORY_KINDS)[number];

/** The outcome of a request to the provision API; `LISTED`: a page of all that is exposed (D229). */
export const TRAFFIC_OUTCOMES = ['SERVED', 'LISTED', 'NOT_FOUND', 'BAD_REQUEST', 'UNAUTHORIZED', 'ERROR'] as const;
export type TrafficOutcome = (typeof TRAFFIC_OUTCOMES)[number];

/** The orders of a list; ties are broken by id, so that pages do not overlap. */
export const EXPLANATION_SORTS = ['newest', 'oldest', 'waiting-longest', 'waiting-shortest', 'ticker'] as const;
export type ExplanationSort = (typeof EXPLANATION_SORTS)[number];

/** How a row of the audit log breaks the chain: it is missing, does not follow the previous row, or was changed. */
export const CHAIN_FAULTS = ['MISSING', 'NOT_FOLLOWING', 'CHANGED'] as const;
/** How an audit log differs from a checkpoint of it: its end removed, rewritten, another log, restored. */
export const CHECKPOINT_DIFFERENCES = ['REMOVED', 'RECOMPUTED', 'OTHER', 'FORKED'] as const;
export type CheckpointDifference = (typeof CHECKPOINT_DIFFERENCES)[number];
export type ChainFault = (typeof CHAIN_FAULTS)[number];

/** The entries of a timeline beside moves and notes, each from an action on record. */
export const TIMELINE_ACTIONS = [
  'CLAIMED',
  'RELEASED',
  'EDIT_WAITS',
  'EDIT_VOIDED',
  'SAMPLE_FINE',
  'SAMPLE_MISSED',
  'HIT_DISMISSED',
  'TAKEN',
  'BLIND_AGREED',
  'BLIND_DIFFERED',
  'SAME_REGISTRAR',
] as const;
export type TimelineAction = (typeof TIMELINE_ACTIONS)[number];

/**
 * The outcome of a sample: `OPEN` not checked yet, `FINE`, `MISSED` it should have been reviewed, `ACTED` it was stopped,
 * corrected, sent to review or unblocked.
 */
export const SAMPLE_OUTCOMES = ['OPEN', 'FINE', 'MISSED', 'ACTED'] as const;
export type SampleOutcome = (typeof SAMPLE_OUTCOMES)[number];
/** Whether the program exposed the sampled text or blocked it, each without a person. */
export const SAMPLE_KINDS = ['PROVIDED', 'BLOCKED'] as const;
export type SampleKind = (typeof SAMPLE_KINDS)[number];

/**
 * The outcome of a blind review: `OPEN` no opinion yet, `AGREED` or `DIFFERED` with the decision, `OVERTAKEN` by a later
 * event of the explanation.
 */
export const BLIND_REVIEW_STATES = ['OPEN', 'AGREED', 'DIFFERED', 'OVERTAKEN'] as const;
export type BlindReviewState = (typeof BLIND_REVIEW_STATES)[number];

/**
 * The origin of the text under review: the vendor, a first approval that waits, or an edit that was exposed before.
 */
export const TEXT_SOURCES = ['RECEIVED', 'EDIT', 'CORRECTION'] as const;

/** Most items of one bulk request. */
export const MOST_AT_ONCE = 100;
/**
 * `CONFLICT`: the item has changed or its state does not allow the action, and is left unchanged. `FAILED`: an error at
 * this item or an earlier one.
 */
export const BULK_OUTCOMES = ['DONE', 'CONFLICT', 'MISSING', 'FAILED'] as const;

/** The longest target of the review's waiting time, in minutes of working time. */
export const LONGEST_TARGET_MINUTES = 10_080;

/** How long a claim on a review item lasts without renewal, in ms. */
export const CLAIM_MS = 10 * 60_000;

/** The decision that a reviewer recommends in a second opinion. */
export const OPINIONS = ['APPROVE', 'APPROVE_EDITED', 'REJECT', 'BLOCK'] as const;
export type Opinion = (typeof OPINIONS)[number];

/** How a request for a second opinion ends without one: withdrawn, decided without it, or overtaken by a move. */
export const OPINION_ENDS = ['OPINION_WITHDRAWN', 'OPINION_PASSED_OVER', 'OPINION_OVERTAKEN'] as const;

/** The parts of the queue from a person's point of view (D232); one item may be in several. */
export const SPLITS = ['MY_TURN', 'SECOND_PERSON', 'OPINION', 'SUPERSEDED'] as const;
export type Split = (typeof SPLITS)[number];

/** Words that one version of the policy may add, and change (D214). */
export const MOST_WORDS_AT_ONCE = 500;

/** A request of an inspector (D174). `LIST`: a CSV, given as XLSX too; `ARCHIVE`: one ZIP of the dossiers with the same CSV. */
export const INSPECTION_FORMS = ['LIST', 'ARCHIVE'] as const;
export type InspectionForm = (typeof INSPECTION_FORMS)[number];

/** The most explanations of one request. */
export const MOST_INSPECTED: Readonly<Record<InspectionForm, number>> = { LIST: 100_000, ARCHIVE: 5_000 };
/** The longest span of trade dates. */
export const MOST_INSPECTED_DAYS = 366;
/** A finished file is kept for so many days, and deleted then. */
export const INSPECTION_KEPT_DAYS = 30;

/**
 * `OPEN`: waits for its turn, or is being made. `STOPPED`: can be continued. `CANCELLED` before it was finished,
 * `DELETED` afterwards: its files are gone.
 */
export const INSPECTION_STATES = ['OPEN', 'STOPPED', 'READY', 'CANCELLED', 'DELETED'] as const;
export type InspectionState = (typeof INSPECTION_STATES)[number];
/** Whether its files are gone. */
export const isInspectionOver = (state: InspectionState): boolean => state === 'CANCELLED' || state === 'DELETED';

/**
 * Why it stopped: no room on the disk; the ledger was restored from a backup meanwhile; the person who asked is no
 * Tenant Admin any more; its files are missing; the record or an original is damaged (`message`); the program failed.
 */
export const INSPECTION_STOPS = ['DISK_FULL', 'RESTORED', 'RIGHTS', 'FILES_GONE', 'RECORD', 'FAILED'] as const;
export type InspectionStop = (typeof INSPECTION_STOPS)[number];

/** The name under which its file is saved; a list is also there as a workbook. */
export function inspectionFileName(asked: {
  id: string;
  form: InspectionForm;
  at: string;
  isWorkbook?: boolean;
}): string {
  const list = asked.isWorkbook === true ? 'xlsx' : 'csv';
  return `inspection-${asked.at.slice(0, 10)}-${asked.id.slice(0, 8)}.${asked.form === 'LIST' ? list : 'zip'}`;
}
