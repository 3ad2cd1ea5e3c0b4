/**
 * The bundle endpoint's names and bounds on the wire (sync protocol 4). Separate from `bundle.ts`, because the relay
 * forwards bundles unread and needs no schema.
 */

/** The path of the bundle endpoint, the only one that the relay forwards (D39). */
export const BUNDLE_PATH = '/api/v1/sync/bundle';
/** Highest cursor of the tenant at the moment of the answer (D31). */
export const HEAD_HEADER = 'x-causeway-head';
/** Ed25519 signature over the body's bytes, base64 (D32). */
export const SIGNATURE_HEADER = 'x-causeway-signature';
/** The vendor's signed statement about this answer (D59); `statement.ts` has its form. */
export const STATEMENT_HEADER = 'x-causeway-statement';
/** Of a request, `wait=N`: an answer without news may be held for so many seconds (RFC 7240, D223). */
export const PREFER_HEADER = 'prefer';
/** Of an answer, `wait=N`: the cloud knows the preference and holds answers without news. */
export const PREFERENCE_APPLIED_HEADER = 'preference-applied';
/** The longest wait: together with the usual time of an answer below the idle time of common proxies. */
export const MAX_WAIT_SECONDS = 45;
const MAX_PREFER_BYTES = 64;

/**
 * The seconds of a `Prefer` or `Preference-Applied` header, 1 to 45. Null for every other value: the header is then
 * ignored, as RFC 7240 asks for preferences that a server does not know.
 */
export function waitSecondsOf(value: string | readonly string[] | undefined): number | null {
  if (typeof value !== 'string' || value.length > MAX_PREFER_BYTES) return null;
  const waits = value.split(',').flatMap((one) => /^[ \t]*wait=(\d{1,2})[ \t]*$/i.exec(one)?.[1] ?? []);
  const seconds = Number(waits[0]);
  return waits.length === 1 && seconds >= 1 && seconds <= MAX_WAIT_SECONDS ? seconds : null;
}

export const waitPreference = (seconds: number): string => `wait=${seconds}`;

const MIB = 1024 * 1024;

/**
 * Bounds of the wire. The engine's door, the bundle endpoint, the relay and the Intake all use these, so that an entry
 * which the door has accepted always arrives:
 *
 * - An entry is at most MAX_ENTRY_BYTES long, including any shared documents that are filled in later.
 * - A bundle is full when its entries have reached FULL_BUNDLE_BYTES; the entry that reached it is the last one. So a
 *   bundle is never empty, and a body is never longer than FULL_BUNDLE_BYTES and MAX_ENTRY_BYTES and the envelope's few
 *   hundred bytes together.
 * - MAX_BODY_BYTES lies far above that sum: a body that exceeds it is not one of our bundles.
 */
export const MAX_ENTRY_BYTES = 8 * MIB;
/**
 * Longest text of an entry, in UTF-16 units. Only the size of the entry limits the arguments and output of a
 * calculation.
 */
export const MAX_TEXT_LENGTH = 20_000;
/**
 * Most values inside one entry, lists and objects included: eight megabytes of empty lists take hundreds in a reader.
 */
export const MAX_ENTRY_VALUES = 100_000;
export const FULL_BUNDLE_BYTES = 16 * MIB;
export const MAX_BODY_BYTES = 64 * MIB;
/** Deepest nesting of objects and arrays in a body: every reader's JSON parser supports it. */
export const MAX_BODY_DEPTH = 64;
/** The same limit inside one entry, which the envelope, the bundle and the list of entries enclose. */
export const MAX_ENTRY_DEPTH = MAX_BODY_DEPTH - 3;
