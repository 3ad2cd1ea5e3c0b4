/** A fact of the evidence in the words of the screen: 측정 수익률 +3.05%, 구성 종목 기여도: SK하이닉스 기여도 0.9%p. */
import type { Text } from '../../../shared/ui/i18n/use-text.ts';
import { percentText, withMinus } from '../../../shared/ui/parts/percent.ts';
import { kstText } from '../../../shared/ui/time/format.ts';
import { useText, type MessageId } from '../../i18n/use-text.ts';
import { isWon, wordsOfName, type Fact } from '../../../shared/evidence/facts.ts';

/** Parts of stored names that the screen translates; other parts stay as stored. */
export const FACT_WORDS = [
  'asset',
  'average',
  'benchmark',
  'buy',
  'change',
  'close',
  'contribution',
  'contributions',
  'constituents',
  'count',
  'distribution',
  'duration',
  'effect',
  'excess',
  'expected',
  'flow',
  'foreign',
  'fund',
  'fx',
  'gap',
  'high',
  'index',
  'individual',
  'institution',
  'krw',
  'low',
  'multiple',
  'net',
  'open',
  'premium',
  'previous',
  'price',
  'rate',
  'return',
  'sell',
  'share',
  'sum',
  'turnover',
  'underlying',
  'usd',
  'value',
  'volume',
  'weight',
  'window',
  'years',
  'yield',
] as const;

const ABBREVIATIONS = new Set(['etf', 'nav']);

/** A unit in the name already follows the value. */
const UNIT_WORDS = new Set(['pct', 'percent', 'percentage', 'pp', 'pctp', 'bp', 'bps', 'ratio', 'krw', 'won', 'usd']);
const SCALE_WORDS = new Set(['100m', '1m', 'mn', 'million', 'bn', 'billion', 'tn', 'trillion', 'eok']);

export function factText(text: Text<MessageId>, fact: Fact): string {
  const value = valueText(text, fact);
  if (fact.evidence === null) {
    const name = HEAD.find((one) => one === fact.path);
    return name === undefined ? `${fact.path} ${value}` : `${text(`figure.head.${name}`)} ${value}`;
  }
  if (fact.isHeadline) return text('figure.headlineOf', { title: fact.evidence });
  const name = fact.name === null ? null : nameText(text, fact.name);
  return `${fact.evidence}: ${[fact.subject, name, value].filter((part) => part !== null && part !== '').join(' ')}`;
}

const HEAD = ['observed_return', 'trade_date', 'content_as_of', 'explanation_as_of'] as const;

/** The words of a stored name, and its trailing unit words. */
function partsOf(name: string): { words: string[]; unit: string[] } {
  const words = wordsOfName(name);
  const unit: string[] = [];
  for (let last = words.at(-1) ?? ''; words.length > 1 && (UNIT_WORDS.has(last) || SCALE_WORDS.has(last));) {
    unit.unshift(last);
    words.pop();
    last = words.at(-1) ?? '';
  }
  return { words, unit };
}

const UNIT_SIGNS: Readonly<Record<string, string>> = {
  pp: '%p',
  pctp: '%p',
  pct: '%',
  percent: '%',
  percentage: '%',
  bp: 'bp',
  bps: 'bp',
  ratio: 'ratio',
  won: 'KRW',
};

/** The stored name of a value, in words and with its unit, which a bare value lacks. */
export function labelText(text: Text<MessageId>, name: string): string {
  // A name that is not a stored key, such as a ticker or a Korean title, stays as it is.
  if (!/^[a-z][\w.-]*$/.test(name)) return name;
  const { unit } = partsOf(name);
  const words = nameText(text, name);
  return unit.length === 0
    ? words
    : `${words} (${unit.map((word) => UNIT_SIGNS[word] ?? word.toUpperCase()).join(' ')})`;
}

/** `average_20d_100m_krw` is 20일 평균: the span first, without the unit. */
function nameText(text: Text<MessageId>, name: string): string {
  const { words } = partsOf(name);
  const spans = words.filter((word) => /^\d+d$/.test(word));
  const others = words.filter((word) => !spans.includes(word));
  return [
    ...spans.map((span) => text('factWord.days', { count: Number.parseInt(span, 10) })),
    ...others.map((word) => {
      const known = FACT_WORDS.find((one) => one === word);
      if (known !== undefined) return text(`factWord.${known}`);
      return ABBREVIATIONS.has(word) ? word.toUpperCase() : word;
    }),
  ].join(' ');
}

function valueText(text: Text<MessageId>, fact: Fact): string {
  switch (fact.form) {
    case 'number':
      return numberText(text, fact);
    case 'tally':
      return fact.shown.startsWith('[') ? text('figure.value.items', { count: fact.value }) : '';
    case 'day':
    case 'clock':
      return kstText(fact.shown) === null || /^\d{4}-\d{2}-\d{2}$/.test(fact.shown)
        ? fact.shown
        : `${kstText(fact.shown)} KST`;
    case 'written':
      return `“${fact.shown}”`;
  }
}

function numberText(text: Text<MessageId>, fact: Extract<Fact, { form: 'number' }>): string {
  const { value, unit, factor, name } = fact;
  const plain = withMinus(value.toLocaleString('en-US', { maximumFractionDigits: 10 }));
  switch (unit) {
    case 'ratio':
      return percentText(value);
    case 'percent':
      return `${plain}%`;
    case 'point':
      return `${plain}%p`;
    case 'basis':
      return `${plain}bp`;
    case 'money': {
      if (!isWon(name ?? '') || (factor !== 1 && factor !== 1e8)) return plain;
      return text(factor === 1 ? 'figure.value.won' : 'figure.value.won100m', { amount: plain });
    }
    case 'none':
      return plain;
  }
}

export function useNameText(): (name: string) => string {
  const text = useText();
  return (name) => labelText(text, name);
}

export function useFactText(): (fact: Fact) => string {
  const text = useText();
  return (fact) => factText(text, fact);
}
