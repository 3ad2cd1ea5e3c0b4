/** The code that the vendor is told of a rejected entry (D230): its reason may hold words of the text. */
import type { RejectionCode } from '../../../shared/wire/applied.ts';
import { NOT_APPLIED } from './apply.ts';
import { DOES_NOT_FIT, TOO_LARGE, TOO_MANY_VALUES, UNKNOWN_TYPE } from './entry.ts';
import { POISON_REASON } from './in-hand.ts';

/** In the order in which they are tried. */
const BEGINNINGS: readonly (readonly [string, RejectionCode])[] = [
  [TOO_LARGE, 'TOO_LARGE'],
  [TOO_MANY_VALUES, 'TOO_LARGE'],
  [DOES_NOT_FIT, 'FORM'],
  [UNKNOWN_TYPE, 'UNKNOWN_TYPE'],
  [NOT_APPLIED, 'FAILED'],
  [POISON_REASON, 'CRASHED'],
];

export const rejectionCode = (reason: string): RejectionCode =>
  BEGINNINGS.find(([beginning]) => reason.startsWith(beginning))?.[1] ?? 'OTHER';
