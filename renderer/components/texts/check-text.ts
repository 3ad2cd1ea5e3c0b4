/** The screening's findings in the screen's language: from codes and parameters, not from the server's sentence. */
import type { Text } from '../../../shared/ui/i18n/use-text.ts';
import {
  CONFIDENCE_LEVELS,
  type CheckResult,
  type ConfidenceLevel,
  type WordHit,
} from '../../../shared/wire/console/console.ts';
import { UNFIT_KINDS } from '../../../shared/wire/unfit-kinds.ts';
import { typeText } from '../domain/type-text.ts';
import { useText, type MessageId } from '../../i18n/use-text.ts';

/** Most words or notices that the server names; the rest is a count. */
const NAMED = 5;
const SCOPES = ['market', 'instrument', 'sector'] as const;

/** A finding as a sentence. */
export function checkText(text: Text<MessageId>, check: Pick<CheckResult, 'code' | 'parameters' | 'message'>): string {
  const { code, parameters } = check;
  switch (code) {
    case 'WORDS_BLOCK':
    case 'WORDS_REVIEW': {
      const more = Math.max(0, Number(parameters['count']) - NAMED);
      const found = text(`check.${code}`, { ...parameters, more });
      const isCut = Number(parameters['kept']) < Number(parameters['hits']);
      return sentences(found, isCut ? text('check.words.cut', parameters) : '', unfitText(text, parameters));
    }
    case 'TEXT_REORDERED':
    case 'TEXT_UNFIT':
      return sentences(text(`check.${code}`), unfitText(text, parameters));
    case 'NOTICES_BLOCK':
    case 'NOTICES_REVIEW':
      return text(`check.${code}`, {
        notices: parameters['notices'] ?? '',
        more: Math.max(0, Number(parameters['count']) - NAMED),
      });
    case 'CONFIDENCE_ENOUGH':
    case 'CONFIDENCE_LOW':
      return text(`check.${code}`, {
        level: levelText(text, parameters['level']),
        least: levelText(text, parameters['least']),
      });
    case 'SCOPE_OUTSIDE':
      return SCOPES.flatMap((scope) => {
        const key = parameters[scope];
        if (key === undefined) return [];
        return [text(`check.scope.${scope}`, { key: key === '?' ? text('check.scope.unknown') : key })];
      }).join(' ');
    case 'RETURN_SUSPECT':
      return text('check.RETURN_SUSPECT', {
        percent: (Number(parameters['ratio']) * 100).toLocaleString('en-US', { maximumFractionDigits: 2 }),
      });
    case 'TYPE_KNOWN':
      return text('check.TYPE_KNOWN', {
        type: typeText(text, String(parameters['type'])) ?? String(parameters['type']),
      });
    default:
      return text(`check.${code}`, parameters);
  }
}

/** What makes the text unfit for readers, and where. */
function unfitText(text: Text<MessageId>, parameters: CheckResult['parameters']): string {
  return UNFIT_KINDS.flatMap((kind) => {
    const found = parameters[kind];
    return found === undefined ? [] : [text(`check.unfit.${kind}`, { found })];
  }).join(' · ');
}

const sentences = (...said: readonly string[]): string => said.filter((one) => one !== '').join(' ');

function levelText(text: Text<MessageId>, level: unknown): string {
  const known: ConfidenceLevel | undefined = CONFIDENCE_LEVELS.find((one) => one === level);
  return known === undefined ? String(level) : text(`confidence.${known}`);
}

/** Why a hit counts. */
export function hitText(text: Text<MessageId>, hit: WordHit): string {
  const what =
    hit.exception === null
      ? text('hit.why.word', { word: hit.word })
      : text('hit.why.exception', { word: hit.word, exception: hit.exception });
  const read = hit.reading === undefined ? '' : text(`hit.why.read.${hit.reading}`);
  const grammar =
    hit.grammar === undefined ? '' : text(`hit.why.grammar.${hit.grammar}`, { turnedBy: hit.turnedBy ?? '' });
  if (hit.pass !== 'strict') return sentences(what, text(`hit.why.${hit.pass}`), grammar, read);
  const isAsRead = hit.isExact || hit.reading === 'HANJA' || hit.reading === 'PAGE';
  return sentences(what, isAsRead ? '' : text('hit.why.folded'), grammar, read);
}

export function useCheckText(): (check: Pick<CheckResult, 'code' | 'parameters' | 'message'>) => string {
  const text = useText();
  return (check) => checkText(text, check);
}

export function useHitText(): (hit: WordHit) => string {
  const text = useText();
  return (hit) => hitText(text, hit);
}
