/** The reasons that a firm gives a digit (D237): up to nine codes in the order of their digits, apart by one space. */
import { REASON_CODES, type ReasonCode } from './constants.ts';

export const MOST_REASON_DIGITS = 9;

/** Null where the value is no such list. */
export function readReasonDigits(value: string): ReasonCode[] | null {
  const codes = value.split(' ').map((written) => REASON_CODES.find((code) => code === written));
  const known = codes.filter((code) => code !== undefined);
  const isList = known.length === codes.length && new Set(known).size === known.length;
  return isList && known.length <= MOST_REASON_DIGITS ? known : null;
}
