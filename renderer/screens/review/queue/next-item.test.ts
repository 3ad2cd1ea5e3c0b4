import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { neighbour } from './neighbours.ts';
import { nextToDecide, type Waiting } from './next-item.ts';
import { groupByTicker, placesOf } from './ticker-groups.ts';

const item = (id: string, minute: number): Waiting => ({
  id,
  etf_ticker: id.slice(0, 1),
  waitingSince: new Date(Date.UTC(2026, 0, 5, 0, minute)).toISOString(),
});
const OLDEST = { opened: new Set<string>(), oldestFirst: true };
const at = (id: string): { id: string; index: number; ticker: string } => ({ id, index: 0, ticker: id.slice(0, 1) });

describe('after a decision comes', () => {
  const [a1, a2, b1, c1] = [item('A1', 0), item('A2', 9), item('B1', 1), item('C1', 2)];
  const items = [a1, a2, b1, c1];

  test('the first item of the same ticker, then the one that waits longest', () => {
    expect(nextToDecide(items, at('A1'), OLDEST)).toBe('A2');
    expect(nextToDecide(items, at('C1'), OLDEST)).toBe('A1');
    expect(nextToDecide([a2, b1], at('C1'), OLDEST)).toBe('B1');
    expect(nextToDecide([item('A1', 0)], at('A1'), OLDEST)).toBeNull();
  });

  test('an item above that was opened and left undecided only after all others', () => {
    const opened = new Set(['A1', 'B1']);
    const passed = (index: number) => ({ ...at('B1'), index });
    expect(nextToDecide(items, passed(2), { ...OLDEST, opened })).toBe('C1');
    expect(nextToDecide([a1, b1], passed(1), { ...OLDEST, opened })).toBe('A1');
    // Looked at ahead, it is not passed.
    expect(nextToDecide([b1, a1, c1], passed(0), { ...OLDEST, opened })).toBe('A1');
  });

  test('in another order the next ticker of the list', () => {
    const place = { ...at('B1'), index: 2 };
    expect(nextToDecide(items, place, { ...OLDEST, oldestFirst: false })).toBe('C1');
    expect(nextToDecide([a1, c1], { ...place, index: 1 }, { ...OLDEST, oldestFirst: false })).toBe('C1');
  });
});

/** A queue under the eyes of one reviewer, without a server: the newest item waits for the shortest time. */
class Queue {
  #minute = 0;
  #waiting: Waiting[] = [];
  #places: readonly string[] = [];
  #tickers = 'ABCDEF';
  #opened = new Set<string>();
  open: Waiting | null = null;
  /** Whether the program chose the open item and all before it in its ticker. */
  isLed = true;
  /** Tickers keep their places, also when a colleague takes the oldest item of one or the reviewer leaves it for another. */
  #isDisturbed = false;

  rows(): Waiting[] {
    const listed = this.#waiting.filter(({ etf_ticker: ticker }) => this.#tickers.includes(ticker));
    this.#places = placesOf(this.#places, listed);
    return groupByTicker(this.#places, listed);
  }

  arrive(ticker: string): void {
    this.#waiting.push(item(`${ticker}${this.#minute}`, this.#minute));
    this.#minute += 1;
    if (this.open === null) this.#show(this.rows()[0]?.id ?? null);
  }

  filter(tickers: string): void {
    this.#tickers = tickers;
    this.#places = [];
    this.#opened.clear();
    this.#isDisturbed = false;
    this.isLed = true;
    this.open = null;
    this.#show(this.rows()[0]?.id ?? null);
  }

  /** Opens another item without a decision. */
  pass(step: 1 | -1): void {
    if (this.open !== null) this.#opened.add(this.open.id);
    this.#choose(neighbour(this.#ids(), { id: this.open?.id ?? null, index: 0 }, step));
  }

  click(row: number): void {
    const ids = this.#ids();
    this.#choose(ids[row % Math.max(1, ids.length)] ?? null);
  }

  /** A colleague decides another item. */
  lose(row: number): void {
    const others = this.rows().filter(({ id }) => id !== this.open?.id);
    const lost = others[row % Math.max(1, others.length)];
    this.#waiting = this.#waiting.filter(({ id }) => id !== lost?.id);
    this.#isDisturbed = true;
    this.isLed = false;
  }

  decide(): { decided: Waiting; next: Waiting; above: Waiting[]; rest: Waiting[] } | null {
    const decided = this.open;
    if (decided === null) return null;
    const before = this.rows();
    const place = { ...at(decided.id), index: before.indexOf(decided) };
    const id = nextToDecide(before, place, { opened: this.#opened, oldestFirst: true });
    this.#waiting = this.#waiting.filter((one) => one.id !== decided.id);
    const rows = this.rows();
    const next = rows.find((one) => one.id === id) ?? null;
    if (next === null) expect(rows).toEqual([]);
    const unopened = (some: Waiting[]): Waiting[] => some.filter((one) => !this.#opened.has(one.id));
    const found = next && { decided, next, above: unopened(rows.slice(0, rows.indexOf(next))), rest: unopened(rows) };
    if (next?.etf_ticker !== decided.etf_ticker) this.isLed = !this.#isDisturbed;
    this.#show(id);
    return found;
  }

  #ids(): string[] {
    return this.rows().map(({ id }) => id);
  }

  #choose(id: string | null): void {
    if (id === null || id === this.open?.id) return;
    this.isLed = false;
    this.#isDisturbed = true;
    this.#show(id);
  }

  #show(id: string | null): void {
    const isFirst = this.open === null;
    this.open = this.rows().find((one) => one.id === id) ?? null;
    if (id !== null && !isFirst) this.#opened.add(id);
  }
}

const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('decide' as const) }) },
    {
      weight: 6,
      arbitrary: fc.record({ do: fc.constant('arrive' as const), ticker: fc.constantFrom(...'ABCDEF') }),
    },
    fc.record({ do: fc.constantFrom('click' as const, 'lose' as const), row: fc.nat(20) }),
    fc.record({ do: fc.constant('pass' as const), step: fc.constantFrom(1 as const, -1 as const) }),
    fc.record({ do: fc.constant('filter' as const), tickers: fc.constantFrom('ABCDEF', 'ACE', 'BD') }),
  ),
  { maxLength: 80 },
);

test('the oldest is never skipped, in random decisions, arrivals, filters and steps aside', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...'ABCDEF'), { maxLength: 30 }), steps, (begun, taken) => {
      const queue = new Queue();
      for (const ticker of begun) queue.arrive(ticker);
      for (const step of taken) {
        if (step.do === 'arrive') queue.arrive(step.ticker);
        else if (step.do === 'filter') queue.filter(step.tickers);
        else if (step.do === 'pass') queue.pass(step.step);
        else if (step.do === 'click') queue.click(step.row);
        else if (step.do === 'lose') queue.lose(step.row);
        else {
          const isLed = queue.isLed;
          const found = queue.decide();
          if (found === null) continue;
          const { decided, next, above, rest } = found;
          const longer = (one: Waiting): boolean => one.waitingSince < next.waitingSince;
          // A reviewer who chose a ticker himself stays in it to its last item.
          const isOfSame = next.etf_ticker === decided.etf_ticker;
          if (isLed || !isOfSame) expect(above.filter(longer)).toEqual([]);
          expect(rest.filter((one) => longer(one) && (!isOfSame || one.etf_ticker === next.etf_ticker))).toEqual([]);
        }
      }
    }),
    { numRuns: runs(200, 5_000) },
  );
});
