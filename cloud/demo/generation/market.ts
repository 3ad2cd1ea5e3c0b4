/**
 * The demo's invented market: what each group and name has gained or lost since the last close, at each minute of a
 * trading day. A pure function of the date, so that all texts about one minute agree.
 */
import { hash } from 'node:crypto';
import { kstDate, kstDateTime } from '../../../shared/time/kst.ts';
import type { Load } from '../../publication/load.ts';
import { round } from './calculations.ts';
import { addDays, daysBetween, finishedTradingDays, isTradingDay } from './calendar.ts';
import type { Group, Story } from './reader.ts';

/** Minutes from the opening to the close. */
export const SESSION = 390;

/** Points of a course: minute of the session, and the change in percent; a yield's in basis points. */
type Course = readonly (readonly [minute: number, change: number])[];

/** What the shipped week tells of a day. */
interface ShippedDay {
  tickers: ReadonlySet<string>;
  courses: ReadonlyMap<string, Course>;
  /** Net purchases of foreigners and institutions over the whole day; null where it names none. */
  bought: readonly [foreign: number, institution: number] | null;
}
const NO_DAY: ShippedDay = { tickers: new Set(), courses: new Map(), bought: null };

/** From 0 up to 1, the same for the same words. */
export const shareOf = (words: string): number => Number.parseInt(hash('sha256', words).slice(0, 12), 16) / 2 ** 48;

export interface MarketParts {
  groups: readonly Group[];
  stories: readonly Story[];
  /** The shipped week: its figures hold on the trading days that are told by it, the last five and later ones. */
  reference: readonly Load[];
  now: Date;
}

export class Market {
  readonly stories: readonly Story[];
  readonly #parts: MarketParts;
  readonly #toldFrom: string;
  readonly #groupOf = new Map<string, Group>();
  /** The changes of the latest moment. */
  readonly #changes = new Map<string, number>();
  readonly #levels = new Map<string, number>();
  #moment = '';
  readonly #toldOn = new Map<string, ShippedDay>();
  readonly #told: readonly (readonly [date: string, told: ShippedDay])[];
  /** The same of the backfills alone, which tell of a day before the week too. */
  readonly #backfilled: readonly (readonly [date: string, told: ShippedDay])[];

  constructor(parts: MarketParts) {
    this.#parts = parts;
    this.stories = parts.stories;
    this.#toldFrom = finishedTradingDays(parts.now, 5)[0] ?? '';
    for (const group of parts.groups) for (const name of [group.group, ...group.names]) this.#groupOf.set(name, group);
    const byDay = (loads: readonly Load[]): readonly (readonly [date: string, told: ShippedDay])[] =>
      [...Map.groupBy(loads, tradeDateOf)].map(([date, ofDay]) => [date, shippedDay(ofDay, parts.stories)] as const);
    this.#told = byDay(parts.reference);
    this.#backfilled = byDay(parts.reference.filter(({ mode }) => mode === 'BACKFILL'));
  }

  #group(name: string): Group {
    const group = this.#groupOf.get(name);
    if (group === undefined) throw new RangeError(`market.jsonl has no ${name}`);
    return group;
  }

  /** The change of a group or a name in percent, of two decimals. @throws RangeError for an unknown one */
  change(name: string, date: string, minute: number): number {
    const moment = `${date} ${minute}`;
    if (moment !== this.#moment) this.#changes.clear();
    this.#moment = moment;
    const change = this.#changes.get(name) ?? this.#changeAt(this.#group(name), name, date, minute);
    this.#changes.set(name, change);
    return change;
  }

  /** What 1 of the first told day was or is worth at the close before a date, so that prices of two days differ by the returns between. */
  level(name: string, date: string, share: number): number {
    const key = `${name} ${date} ${share}`;
    const known = this.#levels.get(key);
    if (known !== undefined) return known;
    const [from = date, until = date] = [this.#toldFrom, date].toSorted();
    let grown = 1;
    for (let day = from; day < until; day = addDays(day, 1))
      if (isTradingDay(day)) grown *= 1 + round(share * this.change(name, day, SESSION), 2) / 100;
    const level = date < this.#toldFrom ? 1 / grown : grown;
    this.#levels.set(key, level);
    return level;
  }

  #changeAt(group: Group, name: string, date: string, minute: number): number {
    const { courses } = this.toldOn(date);
    const coursesOf = (one: string): Course[] => {
      const course = courses.get(one);
      return course === undefined ? [] : [group.overnight === true ? course : wholeDay(course, `${date} ${one}`)];
    };
    const [own] = coursesOf(name);
    if (own !== undefined) return round(along(own, minute), 2);
    const told = group.names.flatMap(coursesOf);
    const whole =
      told.length > 0 ? mean(told.map((course) => along(course, minute))) : along(this.#course(group, date), minute);
    return round(name === group.group ? whole : whole * (0.75 + shareOf(`${date} ${name}`) / 2), 2);
  }

  /** What the shipped week tells of a date: nothing before its first day. A week earlier it has backfills. */
  toldOn(date: string): ShippedDay {
    const known = this.#toldOn.get(date) ?? this.#find(date);
    this.#toldOn.set(date, known);
    return known;
  }

  #find(date: string): ShippedDay {
    const ofWeekday = (days: readonly (readonly [date: string, told: ShippedDay])[]): ShippedDay[] =>
      days.filter(([known]) => daysBetween(known, date) % 7 === 0).map(([, one]) => one);
    const told = ofWeekday(this.#told);
    const last = told.at(-1);
    if (last === undefined || date < addDays(this.#toldFrom, -7)) return NO_DAY;
    const tickers = new Set(told.flatMap((one) => [...one.tickers]));
    const known = date < this.#toldFrom ? (ofWeekday(this.#backfilled).at(-1) ?? NO_DAY) : last;
    return { ...known, tickers };
  }

  /** The minute at which a group crosses its last close, on the days on which it turns; else null. */
  turnOf(name: string, date: string): number | null {
    const group = this.#group(name);
    const share = shareOf(`${date} turn ${group.group}`);
    return group.overnight === true || group.sign !== undefined || share >= 0.3 ? null : Math.round(150 + share * 300);
  }

  #course(group: Group, date: string): Course {
    const close = this.#signOf(group, date) * group.swing * (0.4 + 0.8 * shareOf(`${date} size ${group.group}`));
    const turn = this.turnOf(group.group, date);
    if (group.overnight === true) return [[0, close]];
    if (turn === null)
      return [
        [0, 0.4 * close],
        [100, 0.8 * close],
        [240, 0.7 * close],
        [SESSION, close],
      ];
    return [
      [0, -0.4 * close],
      [turn / 2, -0.6 * close],
      [turn, 0],
      [SESSION, close],
    ];
  }

  /** Most groups go with the whole market. */
  #signOf(group: Group, date: string): number {
    if (group.sign !== undefined) return group.sign;
    const whole = shareOf(`${date} whole`) < 0.5 ? -1 : 1;
    return group === this.#parts.groups[0] || shareOf(`${date} sign ${group.group}`) < 0.6 ? whole : -whole;
  }
}

/** A backfill explains an earlier day than its run's. */
function tradeDateOf(load: Load): string {
  const told = load.mode === 'V2' ? load.analysis : load.result;
  return told?.trade_date ?? kstDate(new Date(load.run.started_at));
}

/** What is told of some minutes, from the opening to the close: the move grows to the first of them, and goes on after the last. */
function wholeDay(told: Course, words: string): Course {
  const [first = [0, 0], last = first] = [told[0], told.at(-1)];
  const close = last[1] * (0.85 + 0.3 * shareOf(`${words} close`));
  return [[0, 0.4 * first[1]], ...told, ...(last[0] < SESSION ? [[SESSION, close] as const] : [])];
}

/** Linear between the points, flat before the first and after the last. */
function along(course: Course, minute: number): number {
  let [before] = course;
  for (const point of course) {
    if (before !== undefined && minute <= point[0] && point[0] > before[0])
      return before[1] + ((point[1] - before[1]) * Math.max(minute - before[0], 0)) / (point[0] - before[0]);
    before = point;
  }
  return before?.[1] ?? 0;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The tickers, the names' changes and the net purchases of a shipped day, from the arguments of its calculations. */
function shippedDay(loads: readonly Load[], stories: readonly Story[]): ShippedDay {
  const points = new Map<string, Map<number, number>>();
  const noteAt = (minute: number, name: unknown, change: unknown): void => {
    if (typeof name !== 'string' || typeof change !== 'number') return;
    const at = points.get(name) ?? new Map<number, number>();
    // A fund of a few shares out of an index comes after those that follow the whole of it.
    points.set(name, at.set(minute, at.get(minute) ?? change));
  };
  let bought: ShippedDay['bought'] = null;
  for (const { instrument, lineage } of loads) {
    const index = calcOf(instrument.ticker, stories);
    for (const { as_of, arguments: given } of lineage.calculations) {
      const minute = as_of?.includes('T') === true ? minuteOf(new Date(as_of)) : SESSION;
      const note = (name: unknown, change: unknown): void => noteAt(minute, name, change);
      const { foreign_100m_krw: foreign, institution_100m_krw: institution } = given;
      if (minute === SESSION && typeof foreign === 'number' && typeof institution === 'number')
        bought ??= [foreign, institution];
      const { constituents, name, return_pct, benchmark, benchmark_return_pct } = given;
      note(name, return_pct);
      for (const part of (constituents ?? []) as { name?: unknown; return_pct?: unknown }[])
        note(part.name, part.return_pct);
      note(benchmark, benchmark_return_pct);
      note(index.won?.[0], given['asset_return_pct']);
      note(index.won?.[1], given['fx_return_pct']);
      note(index.index, given['underlying_return_pct']);
    }
  }
  // Where no calculation names an index, the return at the close of a fund that goes along with it does.
  for (const { instrument, trigger } of loads) {
    const { index, excess, leverage, rate } = calcOf(instrument.ticker, stories);
    if (excess === undefined && leverage === undefined && rate === undefined && trigger.kind === 'BATCH')
      noteAt(SESSION, index, round((trigger.observed_return ?? 0) * 100, 2));
  }
  const courses = [...points].map(([name, at]) => [name, [...at].toSorted(([a], [b]) => a - b)] as const);
  return { tickers: new Set(loads.map(({ instrument }) => instrument.ticker)), courses: new Map(courses), bought };
}

const calcOf = (ticker: string, stories: readonly Story[]): Partial<Story['calc']> =>
  stories.find(({ tickers }) => tickers.includes(ticker))?.calc ?? {};

/** The minute of the session at an instant, from 0 to `SESSION`. */
export function minuteOf(at: Date): number {
  const [hour = 0, minute = 0] = kstDateTime(at).slice(11, 16).split(':').map(Number);
  return Math.min(Math.max(hour * 60 + minute - 540, 0), SESSION);
}
