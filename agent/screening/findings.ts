/** What a check of the screening finds (D14): pure functions of what the check reads. Its words: `sentences.ts`. */
import {
  CONFIDENCE_LEVELS,
  type CheckCode,
  type ConfidenceLevel,
  type Verdict,
} from '../../shared/wire/console/console.ts';
import { isBlank } from '../../shared/wire/invisible.ts';
import { isSuspectReturn } from '../../shared/wire/suspect-return.ts';
import { quoteOf, unfitnessOf } from '../../shared/wire/unfit.ts';
import { isReordered } from './letters/fold.ts';
import type { FoundNotices } from './notices.ts';
import type { RecordedCheck, RecordedHit } from './recorded.ts';

/** A key of the serving scope that is switched off. */
export interface ScopeObjection {
  type: 'MARKET' | 'INSTRUMENT' | 'SECTOR';
  key: string;
}

/** Most hits that one screening keeps: enough for a decision. */
const MOST_HITS_KEPT = 100;

/** Most words or notices that a finding names. */
export const MOST_NAMED = 5;

/** Represents an unknown market (D64); no market has this code. */
export const UNKNOWN_MARKET = '?';

export interface Finding {
  verdict: Verdict;
  code: CheckCode;
  parameters?: RecordedCheck['parameters'];
  hits?: RecordedHit[];
}

/** The words of a text; and whatever makes it unfit for readers, which no policy is asked about (D210). */
export function wordsIn(text: string, hits: RecordedHit[]): Finding {
  const unfit = unfitnessOf(text).map((one): [string, string] => [one.kind, quoteOf(text, one)]);
  const found = hits.length > 0 ? forbiddenWords(hits) : (unreadable(text, unfit.length > 0) ?? forbiddenWords(hits));
  if (unfit.length === 0 || found.code === 'TEXT_BLANK') return found;
  return { ...found, parameters: { ...found.parameters, ...Object.fromEntries(unfit) } };
}

/** The finding for a blank text, or one that readers cannot be given as it is; null for others. */
function unreadable(text: string, isUnfit: boolean): Finding | null {
  if (isBlank(text)) return { verdict: 'REVIEW', code: 'TEXT_BLANK' };
  if (isReordered(text)) return { verdict: 'REVIEW', code: 'TEXT_REORDERED' };
  return isUnfit ? { verdict: 'REVIEW', code: 'TEXT_UNFIT' } : null;
}

function forbiddenWords(hits: RecordedHit[]): Finding {
  if (hits.length === 0) return { verdict: 'PASS', code: 'WORDS_NONE' };
  const blocking = hits.filter((hit) => hit.severity === 'BLOCK');
  const words = [...new Set((blocking.length > 0 ? blocking : hits).map((hit) => `“${hit.word}”`))];
  const kept =
    hits.length <= MOST_HITS_KEPT
      ? hits
      : [...blocking, ...hits.filter((hit) => hit.severity !== 'BLOCK')].slice(0, MOST_HITS_KEPT);
  const parameters = {
    words: words.slice(0, MOST_NAMED).join(', '),
    count: words.length,
    hits: hits.length,
    kept: kept.length,
  };
  return blocking.length > 0
    ? { verdict: 'BLOCK', code: 'WORDS_BLOCK', parameters, hits: kept }
    : { verdict: 'REVIEW', code: 'WORDS_REVIEW', parameters, hits: kept };
}

export function sourceCount(count: number, least: number): Finding {
  const parameters = { count, least };
  return count >= least
    ? { verdict: 'PASS', code: 'SOURCES_ENOUGH', parameters }
    : { verdict: 'REVIEW', code: 'SOURCES_FEW', parameters };
}

export function confidence(level: ConfidenceLevel | null, least: ConfidenceLevel): Finding {
  if (level === null) return { verdict: 'REVIEW', code: 'CONFIDENCE_MISSING' };
  const parameters = { level, least };
  // The levels stand from the highest to the lowest.
  return CONFIDENCE_LEVELS.indexOf(level) <= CONFIDENCE_LEVELS.indexOf(least)
    ? { verdict: 'PASS', code: 'CONFIDENCE_ENOUGH', parameters }
    : { verdict: 'REVIEW', code: 'CONFIDENCE_LOW', parameters };
}

export function explanationType(type: string | null, uncertainToReview: boolean): Finding {
  if (type === null) return { verdict: 'REVIEW', code: 'TYPE_MISSING' };
  if (type !== 'UNCERTAIN') return { verdict: 'PASS', code: 'TYPE_KNOWN', parameters: { type } };
  return uncertainToReview
    ? { verdict: 'REVIEW', code: 'TYPE_UNCERTAIN_REVIEW' }
    : { verdict: 'PASS', code: 'TYPE_UNCERTAIN_ALLOWED' };
}

export function servingScope(outOfScope: readonly ScopeObjection[]): Finding {
  if (outOfScope.length === 0) return { verdict: 'PASS', code: 'SCOPE_INSIDE' };
  const parameters = Object.fromEntries(outOfScope.map(({ type, key }) => [type.toLowerCase(), key]));
  return { verdict: 'REVIEW', code: 'SCOPE_OUTSIDE', parameters };
}

export function requiredNotice({ needed, missing }: FoundNotices): Finding {
  if (needed === 0) return { verdict: 'PASS', code: 'NOTICES_NOT_NEEDED' };
  if (missing.length === 0) return { verdict: 'PASS', code: 'NOTICES_PRESENT' };
  const blocking = missing.filter(({ severity }) => severity === 'BLOCK');
  const names = (blocking.length > 0 ? blocking : missing).map(({ notice }) => `“${notice.name}”`);
  const parameters = {
    notices: names.slice(0, MOST_NAMED).join(', '),
    count: names.length,
    ids: missing.map(({ notice }) => notice.id).join(' '),
  };
  return blocking.length > 0
    ? { verdict: 'BLOCK', code: 'NOTICES_BLOCK', parameters }
    : { verdict: 'REVIEW', code: 'NOTICES_REVIEW', parameters };
}

/** A wrong unit is more likely than such a movement (D226). */
export function observedReturn(ratio: number | null): Finding {
  if (ratio === null || !isSuspectReturn(ratio)) return { verdict: 'PASS', code: 'RETURN_USUAL' };
  return { verdict: 'REVIEW', code: 'RETURN_SUSPECT', parameters: { ratio } };
}
