/** What a check of the screening finds, with its sentence for the reviewer (D14): pure functions of what the check reads. */
import {
  CONFIDENCE_LEVELS,
  type CheckCode,
  type CheckResult,
  type ConfidenceLevel,
  type Verdict,
  type WordHit,
} from '../../shared/wire/console/console.ts';
import { isBlank } from '../../shared/wire/invisible.ts';
import { isSuspectReturn } from '../../shared/wire/suspect-return.ts';
import type { UnfitKind } from '../../shared/wire/unfit-kinds.ts';
import { quoteOf, unfitnessOf } from '../../shared/wire/unfit.ts';
import { isReordered } from './letters/fold.ts';
import type { FoundNotices } from './notices.ts';

/** A key of the serving scope that is switched off. */
export interface ScopeObjection {
  type: 'MARKET' | 'INSTRUMENT' | 'SECTOR';
  key: string;
}

/** Most hits that one screening keeps: enough for a decision. */
const MOST_HITS_KEPT = 100;

export interface Finding {
  verdict: Verdict;
  code: CheckCode;
  parameters?: CheckResult['parameters'];
  message: string;
  hits?: WordHit[];
}

const LEVEL_NAMES: Record<ConfidenceLevel, string> = { HIGH: '높음', MEDIUM: '보통', LOW: '낮음' };

/** The words of a text; and whatever makes it unfit for readers, which no policy is asked about (D210). */
export function wordsIn(text: string, hits: WordHit[]): Finding {
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

export function sourceCount(count: number, least: number): Finding {
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

export function confidence(level: ConfidenceLevel | null, least: ConfidenceLevel): Finding {
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

export function explanationType(type: string | null, uncertainToReview: boolean): Finding {
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

export function servingScope(outOfScope: readonly ScopeObjection[]): Finding {
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

export function requiredNotice({ needed, missing }: FoundNotices): Finding {
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

/** A wrong unit is more likely than such a movement (D226). */
export function observedReturn(ratio: number | null): Finding {
  if (ratio === null || !isSuspectReturn(ratio))
    return {
      verdict: 'PASS',
      code: 'RETURN_USUAL',
      message: '관측 수익률이 ±100% 안에 있거나 측정되지 않았습니다.',
    };
  return {
    verdict: 'REVIEW',
    code: 'RETURN_SUSPECT',
    parameters: { ratio },
    message: `관측 수익률 ${ratio}(비율)이 ±100%를 넘어 단위 오류가 의심되므로 심사가 필요합니다.`,
  };
}

/** Most names that a message lists. */
const MOST_NAMED = 5;

function listed(names: readonly string[]): string {
  return names.length > MOST_NAMED ? `${names.slice(0, MOST_NAMED).join(', ')} 등 ${names.length}개` : names.join(', ');
}
