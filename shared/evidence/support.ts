/** Whether the evidence supports a figure of the text. */
import type { EvidenceView } from './evidence.ts';
import { FactIndex, factorsOf, isOtherPercentage } from './fact-index.ts';
import { factsOf, type Fact, type Measured } from './facts.ts';
import { readFigures, type CalendarFigure, type Figure, type Quantity } from './read-figures.ts';

/**
 * `supported`: a fact has the same value. `opposite`: the same amount in the opposite direction. `unit`: the same
 * number with % instead of %p, or the reverse. `headline`: only the title of a news item or a disclosure has the value,
 * without a measurement or calculation. `unsupported`: no fact has it.
 */
export type Support =
  | { state: 'supported' | 'opposite' | 'unit' | 'headline'; by: Fact }
  | { state: 'unsupported'; by: null };

export type CheckedFigure = Figure & { support: Support };

/**
 * Most comparisons of figures with facts for one text, some tens of milliseconds. The index leaves few; only hundreds of
 * vague figures about hundreds of equal facts come near it.
 */
export const MOST_COMPARISONS = 200_000;

/**
 * Every figure of a text with its verdict. Forms and limits: `read-figures.ts`. With more evidence than can be compared
 * a figure may be unsupported by mistake, never supported by mistake.
 *
 * @param compare judges one figure by one fact; replaced where comparisons are counted
 */
export function checkFigures(
  text: string,
  names: readonly string[],
  facts: readonly Fact[],
  compare: typeof judge = judge,
): CheckedFigure[] {
  const index = new FactIndex(facts);
  // The same figure twice has one verdict.
  const known = new Map<string, Support>();
  let left = MOST_COMPARISONS;
  return readFigures(text, names).map((figure) => {
    const key = JSON.stringify({ ...figure, start: 0, end: 0, text: '' });
    const support = known.get(key) ?? supportOf(figure, spent(index.near(figure)), compare);
    known.set(key, support);
    return { ...figure, support };
  });

  function spent(near: Fact[]): Fact[] {
    const compared = near.slice(0, left);
    left -= compared.length;
    return compared;
  }
}

/**
 * The figures that no measured or stored value proves: a person who exposes the text must acknowledge each by its
 * written form (D221).
 */
export function openFigures<T extends Pick<CheckedFigure, 'support'>>(figures: readonly T[]): T[] {
  return figures.filter(({ support }) => support.state !== 'supported');
}

/** The open figures of one text of an explanation. */
export function openFiguresIn(
  text: string,
  item: Measured & { etf_name: string },
  evidences: readonly EvidenceView[],
): CheckedFigure[] {
  return openFigures(checkFigures(text, [item.etf_name], factsOf(item, evidences)));
}

function supportOf(figure: Figure, facts: readonly Fact[], compare: typeof judge): Support {
  let weaker: Support | null = null;
  for (const by of facts) {
    const judged = compare(figure, by);
    if (judged === null) continue;
    const state = judged === 'supported' && by.isHeadline ? 'headline' : judged;
    if (state === 'supported') return { state, by };
    if (weaker === null || GRAVEST.indexOf(state) < GRAVEST.indexOf(weaker.state)) weaker = { state, by };
  }
  return weaker ?? { state: 'unsupported', by: null };
}

/** The verdict on a figure that several facts mention and none proves: a contradiction outranks a mention. */
const GRAVEST: readonly Support['state'][] = ['opposite', 'unit', 'headline'];

type Judgement = 'supported' | 'opposite' | 'unit' | null;

export function judge(figure: Figure, fact: Fact): Judgement {
  switch (figure.form) {
    case 'quantity':
      return judgeQuantity(figure, fact);
    case 'calendar':
      return sameDay(figure, fact) ? 'supported' : null;
    case 'quarter':
      return fact.form === 'written' && fact.figure.form === 'quarter' && fact.figure.quarter === figure.quarter
        ? 'supported'
        : null;
    case 'clock':
      return fact.form === 'clock' &&
        figure.hours.includes(fact.hour) &&
        (figure.minute === null || figure.minute === fact.minute)
        ? 'supported'
        : null;
  }
}

function sameDay(figure: CalendarFigure, fact: Fact): boolean {
  const date =
    fact.form === 'day' ? fact : fact.form === 'written' && fact.figure.form === 'calendar' ? fact.figure : null;
  return (
    date !== null &&
    (['year', 'month', 'day'] as const).every((part) => figure[part] === null || figure[part] === date[part])
  );
}

function judgeQuantity(figure: Quantity, fact: Fact): Judgement {
  switch (fact.form) {
    case 'number': {
      const judged = judgeAny(
        figure,
        factorsOf(figure.kind, fact).map((factor) => fact.value * factor),
        fact.unit === 'ratio',
      );
      if (judged !== null) return judged;
      return isOtherPercentage(figure, fact) && judgeAny(figure, [fact.value], false) !== null ? 'unit' : null;
    }
    case 'tally':
      return figure.kind === 'count' && fact.value === figure.value ? 'supported' : null;
    case 'written':
      return fact.figure.form === 'quantity' && fact.figure.kind === figure.kind && sameThing(figure, fact.figure)
        ? judgeAny(figure, [fact.figure.value], false)
        : null;
    case 'day':
    case 'clock':
      return null;
  }
}

/** A count in a title supports only a count of the same things. */
function sameThing(figure: Quantity, other: Quantity): boolean {
  return (figure.kind !== 'count' && figure.kind !== 'money') || figure.unit === other.unit;
}

function judgeAny(figure: Quantity, values: readonly number[], hasTrueSign: boolean): Judgement {
  const near = values.filter((value) => isNear(figure, value));
  if (near.length === 0) return null;
  return near.some((value) => !isOpposite(figure, value, hasTrueSign)) ? 'supported' : 'opposite';
}

/** Equal in size after rounding to the text's precision, or within the margin of its 약 or 이상. */
function isNear(figure: Quantity, value: number): boolean {
  const difference = Math.abs(value) - Math.abs(figure.value);
  // Doubles cannot hold 1.005 × 100 exactly: a billionth of a step does not count.
  const slack = 1e-9 * Math.max(figure.step, Math.abs(value));
  switch (figure.vague) {
    case null:
      return Math.abs(difference) <= figure.step / 2 + slack;
    case 'about':
      return Math.abs(difference) <= figure.coarseStep / 2 + slack;
    case 'at-least':
      return difference >= -slack && difference < figure.coarseStep;
  }
}

/**
 * A stored change may lack its sign, so that a fall of 2 % stored as 2 is no contradiction; only the measured return,
 * which has a true sign, contradicts a fall by being positive.
 */
function isOpposite({ value: stated, isSigned, direction }: Quantity, value: number, hasTrueSign: boolean): boolean {
  if (value === 0) return false;
  if (isSigned) return stated < 0 !== value < 0;
  if (direction === 'up') return value < 0;
  return direction === 'down' && hasTrueSign && value > 0;
}
