/**
 * A rule is a pure function from facts to verdicts (D27). Every rule gives a verdict in every case, so that a check that
 * could not be made never looks like a good one.
 */
import type { Facts } from '../../../shared/wire/facts.ts';
import type { Failures, Withdrawals } from '../../../shared/wire/operator/operator.ts';
import type { VerdictMessageId } from '../i18n/ko-verdicts.ts';

/** Answers of other routes: about the same day (D132), and current ones for any day (D133). */
interface RelatedAnswers {
  failures: Failures;
  withdrawals: Withdrawals;
}

/**
 * Facts as they may come: from a newer server, an older one, or a file. Every axis but `meta` may be absent (operator
 * API 9), and an absent one is not measured.
 */
export type ReadFacts = Pick<Facts, 'meta'> & Partial<Omit<Facts, 'meta'> & RelatedAnswers>;

/** Worst first. UNKNOWN: the value could not be read. NOT_MEASURED: nothing was read. Neither is good. */
export const SEVERITIES = ['BAD', 'WARNING', 'UNKNOWN', 'NOT_MEASURED', 'GOOD'] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface Sentence {
  id: VerdictMessageId;
  values: Readonly<Record<string, string | number>>;
}

export interface Verdict {
  rule: string;
  version: number;
  severity: Severity;
  sentence: Sentence;
  /**
   * JSON pointers into the facts that were judged; a pointer that begins with `previous` refers to the earlier ones.
   */
  facts: readonly string[];
}

export interface Rule {
  id: string;
  /** Increased when the rule would judge the same facts differently. */
  version: number;
  /** The subject of its verdicts, in two or three words. */
  name: VerdictMessageId;
  /** One sentence about the rule's check. */
  meaning: VerdictMessageId;
  judge(facts: ReadFacts, previous: ReadFacts | null): Found | NotMeasured;
}

/** The axis is absent, or there are no earlier facts for a comparison. */
export interface NotMeasured {
  /** JSON pointer of the absent axis or of the empty value. */
  absent: string;
  /** The sentence for an axis that is present and has nothing to judge; without it the verdict says "absent". */
  sentence?: Sentence;
}

export interface Finding {
  severity: 'BAD' | 'WARNING';
  sentence: Sentence;
  facts: readonly string[];
}

export interface Found {
  /** The subject of the rule as a whole. */
  read: readonly string[];
  /** The number of values to judge; 0 is neither good nor unreadable (D68). */
  judged: number;
  findings: readonly Finding[];
  /** Facts that are null, or that cannot be judged. */
  unseen: readonly string[];
  /** The reason why they cannot be judged, where it is known: a sentence with `count`. */
  unseenSays?: VerdictMessageId;
  /** The reason why there was nothing to judge, where it is known. */
  nothingSays?: VerdictMessageId;
}

export function finding(
  severity: Finding['severity'],
  id: VerdictMessageId,
  values: Sentence['values'],
  ...facts: string[]
): Finding {
  return { severity, sentence: { id, values }, facts };
}
