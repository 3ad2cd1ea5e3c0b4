/** Ids of the contract that have a name of their own here; another one stands under itself. */
import { useText } from '../../../i18n/use-text.ts';
import type { Sentence } from '../../../rules/rule.ts';

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

/** The name of an id; null where it has none. */
export function useFactName(): (id: unknown) => string | null {
  const text = useText();
  return (id) => {
    const named = NAMED.find((one) => one === id);
    return named === undefined ? null : text(`factName.${named}`);
  };
}

/** The values of a sentence that are ids of the contract. */
const IDS: ReadonlySet<string> = new Set(['output', 'feed', 'from', 'to']);

/** The sentence of a verdict, with names in place of the contract's ids. */
export function useSentence(): (sentence: Sentence) => string {
  const text = useText();
  const nameOf = useFactName();
  return ({ id, values }) =>
    text(
      id,
      Object.fromEntries(Object.entries(values).map(([key, value]) => [key, (IDS.has(key) && nameOf(value)) || value])),
    );
}
