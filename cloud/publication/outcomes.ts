/** Every outcome and code that the door answers with, in one list: for the schema and the help of `load` (D218). */

export const OUTCOMES = {
  PUBLISHED: 'published, and a record was issued to each tenant',
  DRAFT: 'kept and not published; the reason says why',
  WITHDRAWN: 'a repetition of a load that was withdrawn, and stays so',
  SKIPPED: 'nothing was kept; the reason says why',
  FAILED: 'nothing was kept; the code says why, and the message what to do',
} as const;
export type OutcomeName = keyof typeof OUTCOMES;

/** The codes of `reason`, by the outcome that they come with. */
export const REASONS = {
  route_already_published: 'DRAFT: the firing has a published text; send a republication to replace it',
  surface_absent: 'DRAFT, SKIPPED: without measured values nothing is published',
  value_error: 'SKIPPED: the engine had no value for this instrument',
  BACKFILL_FAILED: 'FAILED: the engine failed for this instrument; there is nothing to keep',
  LOAD_INVALID: 'FAILED: the line does not fit the format; the message names the place',
  TEXT_UNFIT: 'FAILED: the text of a v2 analysis is not fit for readers',
  DATE_AHEAD: 'FAILED: a date lies ahead of now; send it again when it has come',
  ID_TAKEN: 'FAILED: the id was loaded before with other content; a new text needs a new id',
  TRIGGER_CONFLICT: 'FAILED: the firing is known for another instrument, day, time or return',
  RUN_CONFLICT: 'FAILED: the run is known for another firing, or with another lineage',
  LINEAGE_CONFLICT: 'FAILED: a document or event of the lineage is known otherwise',
  INSTRUMENT_CONFLICT:
    'FAILED: the instrument is known with another ticker or market, or the ticker as that of another; say instrument_change if that is meant',
  GRAIN_ALREADY_PUBLISHED: 'FAILED: another text is published for the same instrument, day and explanation_as_of',
  LOCK_TIMEOUT: 'FAILED: another load holds a row that this one needs; send it again',
  FANOUT_LOCK_TIMEOUT: 'FAILED: another publication did not end in time; send it again',
  STOPPING: 'FAILED: the cloud is stopping; send it again',
  STORE_UNREACHABLE: 'FAILED: the connection to the store was lost; send it again, the same id is safe',
  STORE_TAKES_NO_WRITES: 'FAILED: the store takes no writes now; send it again later',
  INTERNAL: 'FAILED: a fault of the cloud; the request id finds it in the log',
} as const;
export type ReasonCode = keyof typeof REASONS;

/** One line each, for a terminal. */
export const outcomeLines = (): string[] =>
  [...Object.entries(OUTCOMES), ...Object.entries(REASONS)].map(([code, says]) => `  ${code.padEnd(24)} ${says}`);
