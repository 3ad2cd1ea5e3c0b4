/**
 * Screens a candidate text before any customer can see it (D14): five checks in a fixed order, and further ones while the
 * policy has a required notice in use or sends suspect returns to review. Each check records its verdict, the code of
 * its finding (`findings.ts`), the policy version and the matcher version, so that a decision can be shown later with its
 * reasons.
 *
 * Fail closed: without a policy, or when a check throws, the text waits for a reviewer and the check is recorded as not
 * passed.
 *
 * Callers screen results of engine v1 alone. An explanation of v2 (`analysis_engine` is `v2`) is exposed without any
 * check, and no check may be recorded for it. The Intake calls this from `agent/intake/apply/screening.ts`.
 */
import { CHECKS, type CheckName, type ConfidenceLevel } from '../../shared/wire/console/console.ts';
import {
  confidence,
  explanationType,
  observedReturn,
  requiredNotice,
  servingScope,
  sourceCount,
  wordsIn,
  type Finding,
  type ScopeObjection,
} from './findings.ts';
import { createMatcher, MATCHER_VERSION, type Matcher } from './matcher.ts';
import { createNoticeCheck, outsideNotices, type FoundNotices, type MissingNotice } from './notices.ts';
import type { PolicySnapshot, PolicyVersion } from './policy.ts';
import type { RecordedCheck, RecordedHit } from './recorded.ts';

/** The fields of a v1 explanation that the checks read. */
export interface ScreeningInput {
  /** The customer-facing candidate text. */
  summary: string;
  explanation_type: string | null;
  confidence_level: ConfidenceLevel | null;
  /** `source_event_id` of every source event; the same id counts once. */
  sourceEventIds: readonly string[];
  /** A ratio, 0.0123 is 1.23 %; null: not measured. */
  observed_return: number | null;
  /** Everything that keeps it out of the serving scope; empty when it is inside. */
  outOfScope: readonly ScopeObjection[];
}

export interface Screening {
  outcome: 'AUTO_PUBLISHED' | 'PENDING_REVIEW' | 'BLOCKED';
  /** One result per check, in the order of D14; the check for notices only where the policy has one in use. */
  checks: RecordedCheck[];
  /** The error inside the screening, for the log; empty without one. */
  failures: Error[];
}

export interface Screener {
  /** Null where no policy is active. */
  readonly policyVersion: number | null;
  screen(input: ScreeningInput): Screening;
  /** Every hit in any text, for example an edited one. Empty without a policy. */
  findWords(text: string): RecordedHit[];
  /** Every hit in a notice of the firm itself, which `findWords` passes over. Empty without a policy. */
  findWordsOfNotice(text: string): RecordedHit[];
  /** Every notice that the policy requires in any text and that is missing there. Empty without a policy. */
  missingNotices(text: string): MissingNotice[];
}

/** Makes the screener of a policy version. Building is costly, so callers keep one per version. */
export function createScreener(policy: PolicyVersion | null): Screener {
  if (policy === null) {
    const none = () => [];
    return {
      policyVersion: null,
      screen: screenWithoutPolicy,
      findWords: none,
      findWordsOfNotice: none,
      missingNotices: none,
    };
  }
  const { version, snapshot } = policy;
  const matcher = lazily(() => createMatcher(snapshot.words, snapshot.criteria.insidePasses));
  const own = ownNotices(snapshot);
  const setUp: SetUp = {
    criteria: snapshot.criteria,
    matcher,
    find: (text) => outsideNotices(matcher().find(text), text, own),
    notices: lazily(() => createNoticeCheck(snapshot.notices)),
  };
  const made = checksOf(snapshot);
  const results = new Results();

  function screen(input: ScreeningInput): Screening {
    const failures: Error[] = [];
    const checks = made.map((check): RecordedCheck => {
      try {
        return results.same(record(check, run(check, input, setUp), version));
      } catch (error) {
        failures.push(error instanceof Error ? error : new Error(String(error)));
        return record(check, { verdict: 'REVIEW', code: 'CHECK_FAILED' }, version);
      }
    });
    return { outcome: outcomeOf(checks, snapshot.criteria.autoProvision), checks, failures };
  }

  return {
    policyVersion: version,
    screen,
    findWords: setUp.find,
    findWordsOfNotice: (text) => setUp.matcher().find(text),
    missingNotices: (text) => setUp.notices()(text).missing,
  };
}

/** Every text that the firm itself puts beside an explanation or wants in it. */
function ownNotices({ notices, disclaimer }: PolicySnapshot): string[] {
  return [
    disclaimer.aiNotice,
    disclaimer.text,
    ...notices.filter(({ active }) => active).flatMap(({ terms }) => terms),
  ];
}

/** The part of a policy version that the checks use. */
interface SetUp {
  criteria: PolicySnapshot['criteria'];
  matcher: () => Matcher;
  /** The hits outside of the firm's own notices. */
  find: (text: string) => RecordedHit[];
  notices: () => (text: string) => FoundNotices;
}

/** The checks of a policy version: those of D14, and those that it asks for. */
function checksOf(snapshot: PolicySnapshot | null): CheckName[] {
  const wantsNotices = snapshot?.notices.some(({ active }) => active) === true;
  const wantsReturns = snapshot?.criteria.suspectToReview === true;
  return CHECKS.filter(
    (check) => (check !== 'REQUIRED_NOTICE' || wantsNotices) && (check !== 'OBSERVED_RETURN' || wantsReturns),
  );
}

function screenWithoutPolicy(): Screening {
  const checks = checksOf(null).map((check) => record(check, { verdict: 'REVIEW', code: 'NO_POLICY' }, null));
  return { outcome: 'PENDING_REVIEW', checks, failures: [] };
}

function outcomeOf(checks: readonly RecordedCheck[], autoProvision: boolean): Screening['outcome'] {
  if (checks.some((check) => check.verdict === 'BLOCK')) return 'BLOCKED';
  return autoProvision && checks.every((check) => check.verdict === 'PASS') ? 'AUTO_PUBLISHED' : 'PENDING_REVIEW';
}

function run(check: CheckName, input: ScreeningInput, { criteria, find, notices }: SetUp): Finding {
  switch (check) {
    case 'FORBIDDEN_WORDS':
      return wordsIn(input.summary, find(input.summary));
    case 'SOURCE_COUNT':
      return sourceCount(new Set(input.sourceEventIds).size, criteria.minSources);
    case 'CONFIDENCE':
      return confidence(input.confidence_level, criteria.minConfidence);
    case 'EXPLANATION_TYPE':
      return explanationType(input.explanation_type, criteria.uncertainToReview);
    case 'SERVING_SCOPE':
      return servingScope(input.outOfScope);
    case 'REQUIRED_NOTICE':
      return requiredNotice(notices()(input.summary));
    case 'OBSERVED_RETURN':
      return observedReturn(input.observed_return);
    default:
      return unknownCheck(check);
  }
}

function unknownCheck(check: never): never {
  throw new Error(`there is no check ${String(check)}`);
}

function record(check: CheckName, finding: Finding, policyVersion: number | null): RecordedCheck {
  const { verdict, code, parameters = {}, hits = [] } = finding;
  return { check, verdict, code, parameters, hits, policyVersion, matcherVersion: MATCHER_VERSION };
}

/**
 * Gives the same object for the same result: most texts pass all checks alike, and a record of a result is written once
 * (`screenings.ts`).
 */
class Results {
  readonly #made = new Map<string, RecordedCheck>();

  same(result: RecordedCheck): RecordedCheck {
    if (result.hits.length > 0) return result;
    const { check, code, parameters } = result;
    const name = JSON.stringify([check, code, parameters]);
    const known = this.#made.get(name);
    if (known !== undefined) return known;
    if (this.#made.size >= MOST_RESULTS) this.#made.clear();
    this.#made.set(name, result);
    return result;
  }
}

const MOST_RESULTS = 1_000;

/** Makes a value at its first use, so that an error in making it is thrown inside a check. */
function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
