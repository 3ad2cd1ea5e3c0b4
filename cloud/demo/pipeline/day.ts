/**
 * One day of the demo's pipeline, up to the present moment. Seed and date alone determine all values: the day at a
 * later moment repeats them and continues. Ids are numbers of the day, so that a repetition finds its own rows.
 */
import { type Random, seededRandom } from '../generation/random.ts';
import type { Instrument } from '../generation/reader.ts';
import { addDays, daysBetween, isTradingDay } from '../generation/calendar.ts';
import type { LedgerRow, LedgerTable } from './rows.ts';

export interface World {
  seed: string;
  /** The ETFs that the pipeline knows. */
  etfs: readonly Instrument[];
}

/** One of long ago. */
export const MONDAY = '1970-01-05';
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** A number that no table's rows reach on one day. */
const IDS_PER_DAY = 100_000;

export class Day {
  readonly date: string;
  readonly trading: boolean;
  readonly now: Date;
  readonly world: World;
  readonly rows = new Map<LedgerTable, LedgerRow[]>();
  readonly #ids = new Map<LedgerTable, number>();

  constructor(date: string, world: World, now: Date) {
    this.date = date;
    this.world = world;
    this.now = now;
    this.trading = isTradingDay(date);
  }

  /** Randomness for one subject: further draws of another subject change nothing here. */
  random(subject: string): Random {
    return seededRandom(`${this.world.seed} ${this.date} ${subject}`);
  }

  /** The same chance on all days of a week, Monday to Sunday. */
  randomOfWeek(subject: string): Random {
    const monday = addDays(this.date, -(daysBetween(MONDAY, this.date) % 7));
    return seededRandom(`${this.world.seed} ${monday} ${subject}`);
  }

  /** `HHMM` in Korea on this day, and so many minutes later. */
  at(clock: string, minutes = 0): Date {
    return later(new Date(`${this.date}T${clock.slice(0, 2)}:${clock.slice(2)}:00+09:00`), minutes);
  }

  /** The next id of a table, taken also for a row that does not exist yet. */
  id(table: LedgerTable): number {
    const count = (this.#ids.get(table) ?? 0) + 1;
    this.#ids.set(table, count);
    return (Date.parse(`${this.date}T00:00:00Z`) / DAY_MS) * IDS_PER_DAY + count;
  }

  /** Whether the moment has come. */
  reached(moment: Date): boolean {
    return moment <= this.now;
  }

  /** A row that exists from a moment on. */
  add(table: LedgerTable, since: Date, row: LedgerRow): void {
    if (!this.reached(since)) return;
    const rows = this.rows.get(table);
    if (rows === undefined) this.rows.set(table, [row]);
    else rows.push(row);
  }

  /** The instant when it has come, else null. */
  told(moment: Date): string | null {
    return this.reached(moment) ? moment.toISOString() : null;
  }
}

export function later(moment: Date, minutes: number): Date {
  return new Date(moment.getTime() + Math.round(minutes * MINUTE_MS));
}

export function pick<T>(random: Random, from: readonly T[]): T {
  const one = from[Math.floor(random.next() * from.length)];
  if (one === undefined) throw new RangeError('the list to choose from is empty');
  return one;
}

/** A whole number from `low` to `high`. */
export function between(random: Random, low: number, high: number): number {
  return low + Math.floor(random.next() * (high - low + 1));
}
