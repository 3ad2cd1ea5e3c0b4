/** Display names for ids of the contract; an id without one is shown itself. */
import { useText } from '../../../i18n/use-text.ts';
import { RULES } from '../../../rules/engine.ts';
import type { Sentence } from '../../../rules/rule.ts';
import { placeWords } from './fact-words.ts';

const NAMED = [
  'o.pub',
  'o.trig',
  'o.doc',
  'o.asr',
  'o.evt',
  'feed.batch',
  'feed.intraday',
  'batch',
  'intraday',
  'c.obs',
  'c.route',
  'c.run',
  'c.res',
  'c.pub',
  'publishedWithoutDelivery',
  'deliveryNowNonpublished',
  'deliveryRows',
] as const;

/** The name of an id; null without one. */
export function useFactName(): (id: unknown) => string | null {
  const text = useText();
  return (id) => {
    const named = NAMED.find((one) => one === id);
    return named === undefined ? null : text(`factName.${named}`);
  };
}

/** The values of a sentence that are ids of the contract. */
const IDS: ReadonlySet<string> = new Set(['output', 'feed', 'from', 'to']);
/** The values of a sentence that are words of the ledger and the control plane. */
const STATUSES: ReadonlySet<string> = new Set(['ledger', 'cloud', 'outcome', 'code']);

/** The sentence of a verdict, with names and words in place of ids, codes and paths of facts. */
export function useSentence(): (sentence: Sentence) => string {
  const text = useText();
  const nameOf = useFactName();
  const wordOf = (key: string, value: string | number): string | number => {
    if (IDS.has(key)) return nameOf(value) ?? value;
    if (key === 'fact') return placeWords(text, String(value));
    return STATUSES.has(key) ? text('ledger.word', { word: value }) : value;
  };
  return ({ id, values }) =>
    text(id, Object.fromEntries(Object.entries(values).map(([key, value]) => [key, wordOf(key, value)])));
}

/** The name of a rule; its id where a saved verdict names a removed rule. */
export function useRuleName(): (id: string) => string {
  const text = useText();
  return (id) => {
    const name = RULES.find((rule) => rule.id === id)?.name;
    return name === undefined ? id : text(name);
  };
}
