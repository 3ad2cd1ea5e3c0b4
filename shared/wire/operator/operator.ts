/**
 * The answers of the vendor's operator API, as the operator console reads them (operator API 2, D11, D22). The fields
 * of the pipeline screens are in `operator/`, by subject; this file has types and constants, those have the schemas.
 */
export * from './constants.ts';
export type * from './analyses.ts';
export type * from './failures.ts';
export type * from './minute.ts';
export type * from './pieces.ts';
export type * from './runs.ts';
export type * from './session.ts';
export type * from './sources.ts';

export const RECIPIENTS_SHOWN = 100;

/** At most so many withdrawals, and waiting tenants, are listed; their counts are always complete. */
export const WITHDRAWALS_SHOWN = 100;

/** Longest reason of an invalidation, in UTF-16 units. */
export const REASON_LIMIT = 2_000;

/** Longest display name, in UTF-16 units. */
export const DISPLAY_NAME_LIMIT = 100;
