/**
 * The taxonomy of reasons for reject, block and stop. On the wire a reason is one string, the code
 * alone or `CODE: free text`; OTHER says nothing without its text.
 */
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

export function isReasonCode(value: unknown): value is ReasonCode {
  return (REASON_CODES as readonly unknown[]).includes(value);
}

/** What is still missing before a reason can be sent. */
export function missingOfReason(code: ReasonCode | null, text: string): 'code' | 'text' | null {
  if (code === null) return 'code';
  return code === 'OTHER' && text.trim() === '' ? 'text' : null;
}

export function writeReason(code: ReasonCode, text: string): string {
  const trimmed = text.trim();
  return trimmed === '' ? code : `${code}: ${trimmed}`;
}

/** The reason as it was written; one that does not begin with a code of ours is all free text. */
export function readReason(reason: string): { code: ReasonCode | null; text: string } {
  const [, code, text] = /^([A-Z_]+)(?::\s*([\s\S]*))?$/.exec(reason) ?? [];
  return isReasonCode(code) ? { code, text: text ?? '' } : { code: null, text: reason };
}
