/**
 * The facts that may prove or contradict a figure, found by form, unit and size: a text with a thousand figures is held
 * against thousands of facts inside a write transaction, and at each key press of an editor. A superset: `judge` decides.
 */
import type { Fact, Unit } from './facts.ts';
import type { CalendarFigure, Figure, Quantity, QuantityKind } from './read-figures.ts';

type Numbered = Extract<Fact, { form: 'number' }>;

/** The factors by which the text may write a stored number; none for another unit. */
export function factorsOf(kind: QuantityKind, { unit, factor }: Pick<Numbered, 'unit' | 'factor'>): readonly number[] {
  switch (kind) {
    case 'percent':
      return unit === 'percent' ? [1] : unit === 'ratio' ? [100] : unit === 'none' ? [1, 100] : [];
    case 'point':
      return unit === 'point' ? [1] : unit === 'none' ? [1, 100] : [];
    case 'basis':
      return unit === 'basis'
        ? [1]
        : unit === 'point' || unit === 'percent'
          ? [100]
          : unit === 'none'
            ? [1, 10_000]
            : [];
    case 'money':
      // A stored amount whose name has no unit may be in won, millions or hundred millions.
      return unit === 'money' ? [factor] : unit === 'none' ? [1, 1e6, 1e8] : [];
    case 'index':
    case 'multiple':
    case 'count':
      return unit === 'none' ? [1] : [];
  }
}

/** The same number with % instead of %p, or the reverse. */
export function isOtherPercentage({ kind }: Pick<Quantity, 'kind'>, { unit }: Pick<Numbered, 'unit'>): boolean {
  return (kind === 'percent' && unit === 'point') || (kind === 'point' && unit === 'percent');
}

interface Sized {
  size: number;
  /** The place in the list of facts. */
  order: number;
}

/** Facts by their size without a sign, the smallest first. */
class BySize {
  readonly #facts: Sized[] = [];
  #isSorted = true;

  /** No figure is near a value that a double cannot hold. */
  add(size: number, order: number): void {
    if (!Number.isFinite(size)) return;
    this.#facts.push({ size, order });
    this.#isSorted = false;
  }

  within(least: number, most: number): number[] {
    if (!this.#isSorted) this.#facts.sort((one, other) => one.size - other.size);
    this.#isSorted = true;
    const orders: number[] = [];
    for (let at = this.#first(least); at < this.#facts.length; at += 1) {
      const fact = this.#facts[at];
      if (fact === undefined || fact.size > most) break;
      orders.push(fact.order);
    }
    return orders;
  }

  #first(least: number): number {
    let [from, to] = [0, this.#facts.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#facts[middle]?.size ?? 0) < least) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

const UNITS: readonly Unit[] = ['percent', 'point', 'basis', 'money', 'ratio', 'none'];
const PARTS = ['year', 'month', 'day'] as const;

type Day = Pick<CalendarFigure, (typeof PARTS)[number]>;

/** Those parts of a day that the figure names; a fact fits it where all of them are the same. */
const dayKey = (named: Day, { year, month, day }: Day): string =>
  [named.year === null ? '' : year, named.month === null ? '' : month, named.day === null ? '' : day].join('-');

export class FactIndex {
  readonly #facts: readonly Fact[];
  readonly #numbers = new Map<Unit, BySize>();
  readonly #written = new Map<QuantityKind, BySize>();
  readonly #tallies = new BySize();
  readonly #quarters = new Map<number, number[]>();
  readonly #hours = new Map<number, number[]>();
  readonly #days: { day: Day; order: number }[] = [];
  /** By the parts that a figure names. */
  readonly #byDay = new Map<string, ReadonlyMap<string, number[]>>();

  constructor(facts: readonly Fact[]) {
    this.#facts = facts;
    for (const [order, fact] of facts.entries()) this.#add(fact, order);
  }

  /** In the order of the facts. */
  near(figure: Figure): Fact[] {
    const orders = [...new Set(this.#near(figure))].sort((one, other) => one - other);
    return orders.flatMap((order) => this.#facts[order] ?? []);
  }

  #add(fact: Fact, order: number): void {
    switch (fact.form) {
      case 'number':
        // An amount counts in whole won, as the text states it.
        sized(this.#numbers, fact.unit).add(Math.abs(fact.value * (fact.unit === 'money' ? fact.factor : 1)), order);
        return;
      case 'tally':
        this.#tallies.add(Math.abs(fact.value), order);
        return;
      case 'day':
        this.#days.push({ day: fact, order });
        return;
      case 'clock':
        listed(this.#hours, fact.hour).push(order);
        return;
      case 'written':
        if (fact.figure.form === 'quantity')
          sized(this.#written, fact.figure.kind).add(Math.abs(fact.figure.value), order);
        else if (fact.figure.form === 'calendar') this.#days.push({ day: fact.figure, order });
        else if (fact.figure.form === 'quarter') listed(this.#quarters, fact.figure.quarter).push(order);
    }
  }

  #near(figure: Figure): number[] {
    switch (figure.form) {
      case 'quantity':
        return this.#nearQuantity(figure);
      case 'calendar':
        return this.#sameDay(figure);
      case 'quarter':
        return this.#quarters.get(figure.quarter) ?? [];
      case 'clock':
        return figure.hours.flatMap((hour) => this.#hours.get(hour) ?? []);
    }
  }

  #nearQuantity(figure: Quantity): number[] {
    const size = Math.abs(figure.value);
    // Wider than any margin of `isNear`, and than what doubles lose.
    const margin = Math.max(figure.step, figure.coarseStep) + 1e-6 * (size + figure.coarseStep);
    const within = (facts: BySize | undefined, factor: number): number[] =>
      facts?.within((size - margin) / factor, (size + margin) / factor) ?? [];
    return [
      ...UNITS.flatMap((unit) => {
        const facts = this.#numbers.get(unit);
        if (facts === undefined) return [];
        const factors = isOtherPercentage(figure, { unit }) ? [1] : factorsOf(figure.kind, { unit, factor: 1 });
        return factors.flatMap((factor) => within(facts, factor));
      }),
      ...(figure.kind === 'count' ? within(this.#tallies, 1) : []),
      ...within(this.#written.get(figure.kind), 1),
    ];
  }

  #sameDay(figure: CalendarFigure): number[] {
    const named = PARTS.filter((part) => figure[part] !== null).join();
    let days = this.#byDay.get(named);
    if (days === undefined) {
      const made = new Map<string, number[]>();
      for (const { day, order } of this.#days) listed(made, dayKey(figure, day)).push(order);
      this.#byDay.set(named, made);
      days = made;
    }
    return days.get(dayKey(figure, figure)) ?? [];
  }
}

function sized<Key>(map: Map<Key, BySize>, key: Key): BySize {
  const found = map.get(key) ?? new BySize();
  map.set(key, found);
  return found;
}

function listed<Key>(map: Map<Key, number[]>, key: Key): number[] {
  const found = map.get(key) ?? [];
  map.set(key, found);
  return found;
}
