/**
 * Reasons for reject, block and stop. On the wire a reason is one string: a code of the taxonomy alone or `CODE: free
 * text`; OTHER requires its text.
 */
import { REASON_CODES, type ReasonCode } from '../../../shared/wire/console/console.ts';

/** Reasons because of which customers must not go on reading a text. */
const OF_EXPOSED = [
  'NUMBER_MISMATCH',
  'WEAK_GROUNDS',
  'ASSERTIVE',
  'GUARANTEED_RETURN',
  'LOSS_COMPENSATION',
  'SOLICITATION',
  'RISK_NOTICE_MISSING',
  'AI_NOTICE_MISSING',
  'OTHER',
] as const satisfies readonly ReasonCode[];

/** The codes for an action, OTHER last; the form shows the others on demand. */
const REASONS_OF = {
  // Faults that another text could avoid.
  reject: [
    'WEAK_GROUNDS',
    'NUMBER_MISMATCH',
    'ONE_SIDED',
    'CHERRY_PICKED_PERIOD',
    'UNFAIR_COMPARISON',
    'EXAGGERATION',
    'RISK_NOTICE_MISSING',
    'AI_NOTICE_MISSING',
    'OTHER',
  ],
  // Words that an investor must never be told.
  block: [
    'ASSERTIVE',
    'GUARANTEED_RETURN',
    'LOSS_COMPENSATION',
    'SOLICITATION',
    'FORECAST',
    'EXAGGERATION',
    'UNFAIR_COMPARISON',
    'OTHER',
  ],
  stop: OF_EXPOSED,
  'move-to-review': OF_EXPOSED,
} as const satisfies Readonly<Record<string, readonly ReasonCode[]>>;

export type ReasonedAction = keyof typeof REASONS_OF;

export function isReasoned(action: string): action is ReasonedAction {
  return action in REASONS_OF;
}

/**
 * The reasons that a form offers for an action: those of the firm or else its own, and the chosen one, or all. `more`
 * counts the hidden ones. Showing them moves none of the others: each keeps its digit.
 *
 * @param ofFirm the reasons to which the firm gives a digit in every form (D237)
 */
export function reasonsOffered(
  action: ReasonedAction,
  chosen: readonly (ReasonCode | null)[],
  hasAll: boolean,
  ofFirm: readonly ReasonCode[] | null = null,
): { offered: readonly ReasonCode[]; more: number } {
  const fitting: readonly ReasonCode[] = ofFirm ?? REASONS_OF[action];
  const others = REASON_CODES.filter((code) => !fitting.includes(code));
  const added = others.filter((code) => chosen.includes(code));
  const kept = others.filter((code) => !chosen.includes(code));
  return { offered: [...fitting, ...added, ...(hasAll ? kept : [])], more: hasAll ? 0 : kept.length };
}

export function isReasonCode(value: unknown): value is ReasonCode {
  return (REASON_CODES as readonly unknown[]).includes(value);
}

/** The fields missing from a reason before it can be sent. */
export function missingOfReason(code: ReasonCode | null, text: string): 'code' | 'text' | null {
  if (code === null) return 'code';
  return code === 'OTHER' && text.trim() === '' ? 'text' : null;
}

export function writeReason(code: ReasonCode, text: string): string {
  const trimmed = text.trim();
  return trimmed === '' ? code : `${code}: ${trimmed}`;
}

/** Parses a reason; one that does not begin with a code of ours is all free text. */
export function readReason(reason: string): { code: ReasonCode | null; text: string } {
  const [, code, text] = /^([A-Z_]+)(?::\s*([\s\S]*))?$/.exec(reason) ?? [];
  return isReasonCode(code) ? { code, text: text ?? '' } : { code: null, text: reason };
}
