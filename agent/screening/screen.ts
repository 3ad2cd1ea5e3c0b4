/**
 * Screens a candidate text before any customer can see it (D14): five checks in a fixed order, and a sixth while the
 * policy has a required notice in use. Each check records its verdict, a sentence for the reviewer, the policy version
 * and the matcher version, so that a decision can be shown later with its reasons.
 *
 * Fail closed: without a policy, or when a check throws, the text waits for a reviewer and the check is recorded as not
 * passed.
 *
 * Callers screen results of engine v1 alone. An explanation of v2 (`analysis_engine` is `v2`) is provided without any
 * check, and no check may be recorded for it. The Intake calls this from `agent/intake/apply/screening.ts`.
 */
import {
  CHECKS,
  CONFIDENCE_LEVELS,
  type CheckCode,
  type CheckName,
  type CheckResult,
  type ConfidenceLevel,
  type Verdict,
  type WordHit,
} from '../../shared/wire/console/console.ts';
import { isBlank } from '../../shared/wire/invisible.ts';
import type { UnfitKind } from '../../shared/wire/unfit-kinds.ts';
import { quoteOf, unfitnessOf } from '../../shared/wire/unfit.ts';
import { isReordered } from './letters/fold.ts';
import { createMatcher, MATCHER_VERSION, type Matcher } from './matcher.ts';
import { createNoticeCheck, outsideNotices, type FoundNotices, type MissingNotice } from './notices.ts';
import type { PolicySnapshot, PolicyVersion } from './policy.ts';

/** The fields of a v1 explanation that the checks read. */
export interface ScreeningInput {
  /** The customer-facing candidate text. */
  summary: string;
  explanation_type: string | null;
  confidence_level: ConfidenceLevel | null;
  /** `source_event_id` of every source event; the same id counts once. */
  sourceEventIds: readonly string[];
  /** Everything that keeps it out of the serving scope; empty when it is inside. */
  outOfScope: readonly ScopeObjection[];
}

/** A key of the serving scope that is switched off. */
export interface ScopeObjection {
  type: 'MARKET' | 'INSTRUMENT' | 'SECTOR';
  key: string;
}

export interface Screening {
  outcome: 'AUTO_PUBLISHED' | 'PENDING_REVIEW' | 'BLOCKED';
  /** One result per check, in the order of D14; the check for notices only where the policy has one in use. */
  checks: CheckResult[];
  /** The error inside the screening, for the log; empty without one. */
  failures: Error[];
}

export interface Screener {
  /** Null where no policy is active. */
  readonly policyVersion: number | null;
  screen(input: ScreeningInput): Screening;
  /** Every hit in any text, for example an edited one. Empty without a policy. */
  findWords(text: string): WordHit[];
  /** Every hit in a notice of the firm itself, which `findWords` passes over. Empty without a policy. */
  findWordsOfNotice(text: string): WordHit[];
  /** Every notice that the policy requires in any text and that is missing there. Empty without a policy. */
  missingNotices(text: string): MissingNotice[];
}

/** Most hits that one screening keeps: enough for a decision. */
const MOST_HITS_KEPT = 100;

interface Finding {
  verdict: Verdict;
  code: CheckCode;
  parameters?: CheckResult['parameters'];
  message: string;
  hits?: WordHit[];
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
    const checks = made.map((check): CheckResult => {
      try {
        return results.same(record(check, run(check, input, setUp), version));
      } catch (error) {
        failures.push(error instanceof Error ? error : new Error(String(error)));
        return record(
          check,
          {
            verdict: 'REVIEW',
            code: 'CHECK_FAILED',
            message: `${NAMES[check]} 검사 중 오류가 발생하여 심사로 보냅니다.`,
          },
          version,
        );
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
  find: (text: string) => WordHit[];
  notices: () => (text: string) => FoundNotices;
}

/** The checks of a policy version: those of D14, and the one for notices while it has one in use. */
function checksOf(snapshot: PolicySnapshot | null): CheckName[] {
  const wantsNotices = snapshot?.notices.some(({ active }) => active) === true;
  return CHECKS.filter((check) => check !== 'REQUIRED_NOTICE' || wantsNotices);
}

function screenWithoutPolicy(): Screening {
  const checks = checksOf(null).map((check) =>
    record(
      check,
      {
        verdict: 'REVIEW',
        code: 'NO_POLICY',
        message: `적용 중인 정책이 없어 ${NAMES[check]} 검사를 하지 못했습니다.`,
      },
      null,
    ),
  );
  return { outcome: 'PENDING_REVIEW', checks, failures: [] };
}

function outcomeOf(checks: readonly CheckResult[], autoProvision: boolean): Screening['outcome'] {
  if (checks.some((check) => check.verdict === 'BLOCK')) return 'BLOCKED';
  return autoProvision && checks.every((check) => check.verdict === 'PASS') ? 'AUTO_PUBLISHED' : 'PENDING_REVIEW';
}

const NAMES: Record<CheckName, string> = {
  FORBIDDEN_WORDS: '금지어',
  SOURCE_COUNT: '출처 수',
  CONFIDENCE: '신뢰도',
  EXPLANATION_TYPE: '설명 유형',
  SERVING_SCOPE: '제공 범위',
  REQUIRED_NOTICE: '필수 문구',
};

const LEVEL_NAMES: Record<ConfidenceLevel, string> = { HIGH: '높음', MEDIUM: '보통', LOW: '낮음' };

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
    default:
      return unknownCheck(check);
  }
}

function unknownCheck(check: never): never {
  throw new Error(`there is no check ${String(check)}`);
}

/** The words of a text; and whatever makes it unfit for readers, which no policy is asked about (D210). */
function wordsIn(text: string, hits: WordHit[]): Finding {
  const unfit = unfitnessOf(text).map((one): [UnfitKind, string] => [one.kind, quoteOf(text, one)]);
  const found = hits.length > 0 ? forbiddenWords(hits) : (unreadable(text, unfit.length > 0) ?? forbiddenWords(hits));
  if (unfit.length === 0 || found.code === 'TEXT_BLANK') return found;
  const said = unfit.map(([kind, quoted]) => `${UNFIT_NAMES[kind]} ${quoted}`).join(' · ');
  return {
    ...found,
    parameters: { ...found.parameters, ...Object.fromEntries(unfit) },
    message: `${found.message} ${said}`,
  };
}

const UNFIT_NAMES: Record<UnfitKind, string> = {
  CHARACTERS: '보이지 않거나 읽을 수 없는 문자',
  MARKUP: '마크업',
  PLACEHOLDER: '채워지지 않은 자리 표시',
  GARBLED: '깨진 글자',
  FOREIGN: '외국어 문장',
  ASSISTANT: 'AI 대화 문구',
};

/** The finding for a blank text, or one that readers cannot be given as it is; null for others. */
function unreadable(text: string, isUnfit: boolean): Finding | null {
  if (isBlank(text)) return { verdict: 'REVIEW', code: 'TEXT_BLANK', message: '본문이 비어 있어 심사가 필요합니다.' };
  if (isReordered(text))
    return {
      verdict: 'REVIEW',
      code: 'TEXT_REORDERED',
      message: '글자 표시 순서를 바꾸는 제어 문자가 있어 심사가 필요합니다.',
    };
  if (!isUnfit) return null;
  return { verdict: 'REVIEW', code: 'TEXT_UNFIT', message: '본문을 그대로 제공할 수 없어 심사가 필요합니다.' };
}

function forbiddenWords(hits: WordHit[]): Finding {
  if (hits.length === 0) return { verdict: 'PASS', code: 'WORDS_NONE', message: '금지어가 없습니다.' };
  const blocking = hits.filter((hit) => hit.severity === 'BLOCK');
  const words = [...new Set((blocking.length > 0 ? blocking : hits).map((hit) => `“${hit.word}”`))];
  const shown = listed(words);
  const kept =
    hits.length <= MOST_HITS_KEPT
      ? hits
      : [...blocking, ...hits.filter((hit) => hit.severity !== 'BLOCK')].slice(0, MOST_HITS_KEPT);
  const cut = hits.length > kept.length ? ` 모두 ${hits.length}곳 가운데 ${kept.length}곳만 기록합니다.` : '';
  const parameters = {
    words: words.slice(0, MOST_NAMED).join(', '),
    count: words.length,
    hits: hits.length,
    kept: kept.length,
  };
  return blocking.length > 0
    ? {
        verdict: 'BLOCK',
        code: 'WORDS_BLOCK',
        parameters,
        message: `차단 금지어 ${shown}에 해당하는 표현이 있어 차단합니다.${cut}`,
        hits: kept,
      }
    : {
        verdict: 'REVIEW',
        code: 'WORDS_REVIEW',
        parameters,
        message: `심사 금지어 ${shown}에 해당하는 표현이 있어 심사가 필요합니다.${cut}`,
        hits: kept,
      };
}

function sourceCount(count: number, least: number): Finding {
  const parameters = { count, least };
  return count >= least
    ? {
        verdict: 'PASS',
        code: 'SOURCES_ENOUGH',
        parameters,
        message: `서로 다른 출처가 ${count}건으로, 기준 ${least}건을 충족합니다.`,
      }
    : {
        verdict: 'REVIEW',
        code: 'SOURCES_FEW',
        parameters,
        message: `서로 다른 출처가 ${count}건으로, 기준 ${least}건에 미치지 못합니다.`,
      };
}

function confidence(level: ConfidenceLevel | null, least: ConfidenceLevel): Finding {
  if (level === null)
    return {
      verdict: 'REVIEW',
      code: 'CONFIDENCE_MISSING',
      message: '신뢰도가 표시되어 있지 않아 심사가 필요합니다.',
    };
  const parameters = { level, least };
  // The levels stand from the highest to the lowest.
  return CONFIDENCE_LEVELS.indexOf(level) <= CONFIDENCE_LEVELS.indexOf(least)
    ? {
        verdict: 'PASS',
        code: 'CONFIDENCE_ENOUGH',
        parameters,
        message: `신뢰도 ${LEVEL_NAMES[level]}: 기준 ${LEVEL_NAMES[least]} 이상을 충족합니다.`,
      }
    : {
        verdict: 'REVIEW',
        code: 'CONFIDENCE_LOW',
        parameters,
        message: `신뢰도 ${LEVEL_NAMES[level]}: 기준 ${LEVEL_NAMES[least]} 이상을 충족하지 못합니다.`,
      };
}

function explanationType(type: string | null, uncertainToReview: boolean): Finding {
  if (type === null)
    return {
      verdict: 'REVIEW',
      code: 'TYPE_MISSING',
      message: '설명 유형이 표시되어 있지 않아 심사가 필요합니다.',
    };
  if (type !== 'UNCERTAIN')
    return {
      verdict: 'PASS',
      code: 'TYPE_KNOWN',
      parameters: { type },
      message: `설명 유형이 ${type}로, 원인이 확인된 설명입니다.`,
    };
  return uncertainToReview
    ? {
        verdict: 'REVIEW',
        code: 'TYPE_UNCERTAIN_REVIEW',
        message: '원인이 확인되지 않은 설명(UNCERTAIN)이어서 심사가 필요합니다.',
      }
    : {
        verdict: 'PASS',
        code: 'TYPE_UNCERTAIN_ALLOWED',
        message: '원인이 확인되지 않은 설명(UNCERTAIN)이지만 정책이 심사를 요구하지 않습니다.',
      };
}

/** Represents an unknown market (D64); no market has this code. */
export const UNKNOWN_MARKET = '?';

const SCOPE_NAMES: Record<ScopeObjection['type'], string> = { MARKET: '시장', INSTRUMENT: '종목', SECTOR: '업종' };

function servingScope(outOfScope: readonly ScopeObjection[]): Finding {
  if (outOfScope.length === 0) return { verdict: 'PASS', code: 'SCOPE_INSIDE', message: '제공 범위 안에 있습니다.' };
  return {
    verdict: 'REVIEW',
    code: 'SCOPE_OUTSIDE',
    parameters: Object.fromEntries(outOfScope.map(({ type, key }) => [type.toLowerCase(), key])),
    message: outOfScope
      .map(({ type, key }) => `제공 범위 제외: ${SCOPE_NAMES[type]} ${key === UNKNOWN_MARKET ? '미상' : key}`)
      .join(' · '),
  };
}

function requiredNotice({ needed, missing }: FoundNotices): Finding {
  if (needed === 0)
    return { verdict: 'PASS', code: 'NOTICES_NOT_NEEDED', message: '필수 문구가 필요한 설명이 아닙니다.' };
  if (missing.length === 0) return { verdict: 'PASS', code: 'NOTICES_PRESENT', message: '필수 문구가 모두 있습니다.' };
  const blocking = missing.filter(({ severity }) => severity === 'BLOCK');
  const names = (blocking.length > 0 ? blocking : missing).map(({ notice }) => `“${notice.name}”`);
  const parameters = {
    notices: names.slice(0, MOST_NAMED).join(', '),
    count: names.length,
    ids: missing.map(({ notice }) => notice.id).join(' '),
  };
  return blocking.length > 0
    ? {
        verdict: 'BLOCK',
        code: 'NOTICES_BLOCK',
        parameters,
        message: `필수 문구 ${listed(names)}에 해당하는 표현이 없어 차단합니다.`,
      }
    : {
        verdict: 'REVIEW',
        code: 'NOTICES_REVIEW',
        parameters,
        message: `필수 문구 ${listed(names)}에 해당하는 표현이 없어 심사가 필요합니다.`,
      };
}

/** Most names that a message lists. */
const MOST_NAMED = 5;

function listed(names: readonly string[]): string {
  return names.length > MOST_NAMED ? `${names.slice(0, MOST_NAMED).join(', ')} 등 ${names.length}개` : names.join(', ');
}

function record(check: CheckName, finding: Finding, policyVersion: number | null): CheckResult {
  const { verdict, code, parameters = {}, message, hits = [] } = finding;
  return { check, verdict, code, parameters, message, hits, policyVersion, matcherVersion: MATCHER_VERSION };
}

/**
 * Gives the same object for the same result: most texts pass all checks in the same words, and a record of a result
 * is written once (`screenings.ts`).
 */
class Results {
  readonly #made = new Map<string, CheckResult>();

  same(result: CheckResult): CheckResult {
    if (result.hits.length > 0) return result;
    const known = this.#made.get(result.message);
    if (known !== undefined && isSame(known, result)) return known;
    if (this.#made.size >= MOST_RESULTS) this.#made.clear();
    this.#made.set(result.message, result);
    return result;
  }
}

const MOST_RESULTS = 1_000;

function isSame(a: CheckResult, b: CheckResult): boolean {
  if (a.check !== b.check || a.code !== b.code || a.verdict !== b.verdict) return false;
  const names = Object.keys(a.parameters);
  return (
    names.length === Object.keys(b.parameters).length &&
    names.every((name) => a.parameters[name] === b.parameters[name])
  );
}

/** Makes a value at its first use, so that an error in making it is thrown inside a check. */
function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
