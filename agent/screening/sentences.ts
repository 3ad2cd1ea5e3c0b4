/**
 * The Korean sentences of a screening's findings, for callers of the console API and readers of a dossier: made of the codes
 * that are on record. Screens have words of their own, in the reader's language.
 */
import type { CheckCode, CheckName, CheckResult, ConfidenceLevel, WordHit } from '../../shared/wire/console/console.ts';
import { UNFIT_KINDS, type UnfitKind } from '../../shared/wire/unfit-kinds.ts';
import { MOST_NAMED, UNKNOWN_MARKET } from './findings.ts';
import type { RecordedCheck, RecordedHit } from './recorded.ts';

/** The check with its sentences. */
export function withMessage(found: RecordedCheck): CheckResult {
  const { check, verdict, code, parameters, policyVersion, matcherVersion } = found;
  const hits = found.hits.map(withWhy);
  return { check, verdict, code, parameters, message: messageOf(found), hits, policyVersion, matcherVersion };
}

export const withWhy = (hit: RecordedHit): WordHit => ({ ...hit, why: whyOf(hit) });

type Parameters = CheckResult['parameters'];

/** Why the check has its verdict. */
export function messageOf({ check, code, parameters }: Pick<RecordedCheck, 'check' | 'code' | 'parameters'>): string {
  const unfit = UNFIT_KINDS.filter((kind) => parameters[kind] !== undefined);
  const said = SENTENCES[code](parameters, NAMES[check]);
  return unfit.length === 0
    ? said
    : `${said} ${unfit.map((kind) => `${UNFIT_NAMES[kind]} ${parameters[kind]}`).join(' · ')}`;
}

const SENTENCES: Readonly<Record<CheckCode, (parameters: Parameters, name: string) => string>> = {
  NO_POLICY: (_, name) => `적용 중인 정책이 없어 ${name} 검사를 하지 못했습니다.`,
  CHECK_FAILED: (_, name) => `${name} 검사 중 오류가 발생하여 심사로 보냅니다.`,
  WORDS_NONE: () => '금지어가 없습니다.',
  WORDS_BLOCK: (found) =>
    `차단 금지어 ${listed(found['words'], found)}에 해당하는 표현이 있어 차단합니다.${cutOf(found)}`,
  WORDS_REVIEW: (found) =>
    `심사 금지어 ${listed(found['words'], found)}에 해당하는 표현이 있어 심사가 필요합니다.${cutOf(found)}`,
  TEXT_REORDERED: () => '글자 표시 순서를 바꾸는 제어 문자가 있어 심사가 필요합니다.',
  TEXT_BLANK: () => '본문이 비어 있어 심사가 필요합니다.',
  TEXT_UNFIT: () => '본문을 그대로 제공할 수 없어 심사가 필요합니다.',
  SOURCES_ENOUGH: ({ count, least }) => `서로 다른 출처가 ${count}건으로, 기준 ${least}건을 충족합니다.`,
  SOURCES_FEW: ({ count, least }) => `서로 다른 출처가 ${count}건으로, 기준 ${least}건에 미치지 못합니다.`,
  CONFIDENCE_MISSING: () => '신뢰도가 표시되어 있지 않아 심사가 필요합니다.',
  CONFIDENCE_ENOUGH: ({ level, least }) => `신뢰도 ${levelName(level)}: 기준 ${levelName(least)} 이상을 충족합니다.`,
  CONFIDENCE_LOW: ({ level, least }) =>
    `신뢰도 ${levelName(level)}: 기준 ${levelName(least)} 이상을 충족하지 못합니다.`,
  TYPE_MISSING: () => '설명 유형이 표시되어 있지 않아 심사가 필요합니다.',
  TYPE_KNOWN: ({ type }) => `설명 유형이 ${type}로, 원인이 확인된 설명입니다.`,
  TYPE_UNCERTAIN_REVIEW: () => '원인이 확인되지 않은 설명(UNCERTAIN)이어서 심사가 필요합니다.',
  TYPE_UNCERTAIN_ALLOWED: () => '원인이 확인되지 않은 설명(UNCERTAIN)이지만 정책이 심사를 요구하지 않습니다.',
  SCOPE_INSIDE: () => '제공 범위 안에 있습니다.',
  SCOPE_OUTSIDE: (keys) =>
    SCOPES.flatMap(([scope, name]) => {
      const key = keys[scope];
      return key === undefined ? [] : [`제공 범위 제외: ${name} ${key === UNKNOWN_MARKET ? '미상' : key}`];
    }).join(' · '),
  NOTICES_PRESENT: () => '필수 문구가 모두 있습니다.',
  NOTICES_NOT_NEEDED: () => '필수 문구가 필요한 설명이 아닙니다.',
  NOTICES_BLOCK: (missing) => `필수 문구 ${listed(missing['notices'], missing)}에 해당하는 표현이 없어 차단합니다.`,
  NOTICES_REVIEW: (missing) =>
    `필수 문구 ${listed(missing['notices'], missing)}에 해당하는 표현이 없어 심사가 필요합니다.`,
  RETURN_USUAL: () => '관측 수익률이 ±100% 안에 있거나 측정되지 않았습니다.',
  RETURN_SUSPECT: ({ ratio }) => `관측 수익률 ${ratio}(비율)이 ±100%를 넘어 단위 오류가 의심되므로 심사가 필요합니다.`,
};

const NAMES: Readonly<Record<CheckName, string>> = {
  FORBIDDEN_WORDS: '금지어',
  SOURCE_COUNT: '출처 수',
  CONFIDENCE: '신뢰도',
  EXPLANATION_TYPE: '설명 유형',
  SERVING_SCOPE: '제공 범위',
  REQUIRED_NOTICE: '필수 문구',
  OBSERVED_RETURN: '관측 수익률',
};

const LEVEL_NAMES: Readonly<Record<ConfidenceLevel, string>> = { HIGH: '높음', MEDIUM: '보통', LOW: '낮음' };
const levelName = (level: unknown): string => LEVEL_NAMES[level as ConfidenceLevel];

const SCOPES = [
  ['market', '시장'],
  ['instrument', '종목'],
  ['sector', '업종'],
] as const;

const UNFIT_NAMES: Readonly<Record<UnfitKind, string>> = {
  CHARACTERS: '보이지 않거나 읽을 수 없는 문자',
  MARKUP: '마크업',
  PLACEHOLDER: '채워지지 않은 자리 표시',
  GARBLED: '깨진 글자',
  FOREIGN: '외국어 문장',
  ASSISTANT: 'AI 대화 문구',
};

/** @param named the first names */
const listed = (named: Parameters[string] | undefined, { count }: Parameters): string =>
  Number(count) > MOST_NAMED ? `${named} 등 ${count}개` : `${named}`;

/** What of the hits is not on record. */
const cutOf = ({ hits, kept }: Parameters): string =>
  Number(hits) > Number(kept) ? ` 모두 ${hits}곳 가운데 ${kept}곳만 기록합니다.` : '';

/** Why a hit counts. */
function whyOf({ word, exception, pass, grammar, turnedBy = '', isExact, reading }: RecordedHit): string {
  const named = `금지어 “${word}”`;
  const what =
    exception === null
      ? `${named}에 해당합니다.`
      : `${named}의 예외 표현 “${exception}”에 해당하지만 담당자의 확인이 필요합니다.`;
  const said = [PASSES[pass].replace('{}', what)];
  if (pass === 'strict' && !isExact && reading !== 'HANJA' && reading !== 'PAGE')
    said.push('띄어쓰기, 대소문자, 보이지 않는 문자, 자모 분리, 백분율 표기의 차이는 무시하고 비교했습니다.');
  if (grammar !== undefined) said.push(GRAMMAR[grammar].replace('{}', turnedBy));
  if (reading !== undefined) said.push(READ[reading]);
  return said.join(' ');
}

const PASSES: Readonly<Record<WordHit['pass'], string>> = {
  strict: '{}',
  loose: '문장 부호와 기호를 빼고 읽으면 {} 우연일 수 있어 심사로 보냅니다.',
  morphemes: '형태소로 읽으면 {} 조사, 어미, 어순과 사이에 든 말은 무시하고 비교하여 심사로 보냅니다.',
};

const GRAMMAR: Readonly<Record<NonNullable<WordHit['grammar']>, string>> = {
  INSIDE: '다른 단어의 일부일 수 있어 심사로 보냅니다.',
  TURNED: '“{}”(으)로 뜻이 반대일 수 있어 심사로 보냅니다.',
  UNREAD: '문장이 너무 길어 형태소로 읽지 못하여 심사로 보냅니다.',
};

const READ: Readonly<Record<NonNullable<WordHit['reading']>, string>> = {
  HANJA: '한자를 한글로 읽어 비교했습니다.',
  PAGE: '마크업을 해석하여 화면에 표시되는 대로 비교했습니다.',
  SOURCE: '마크업을 해석하지 않은 원문에만 있어 심사로 보냅니다.',
};
