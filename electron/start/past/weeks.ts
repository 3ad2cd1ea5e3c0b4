/** The weeks of a demo's past: the acts of each day, drawn from the seed and run by the real parts on one clock. */
import { rmSync } from 'node:fs';
import path from 'node:path';
import { addDays, daysBetween, isTradingDay, playedDay, sessionAt } from '../../../cloud/demo/generation/calendar.ts';
import { liveLoad, type Wish } from '../../../cloud/demo/generation/generate.ts';
import { Market } from '../../../cloud/demo/generation/market.ts';
import type { readDemo } from '../../../cloud/demo/generation/reader.ts';
import { moveId, loadedDays } from '../../../cloud/demo/redate.ts';
import { REASONS, WITHDRAWALS } from '../../../cloud/demo/withdrawals.ts';
import type { Installation } from '../../../cloud/commands/init.ts';
import type { Load } from '../../../cloud/publication/load.ts';
import type { Store } from '../../../cloud/store/open.ts';
import type { Ids } from '../../../shared/time/clock.ts';
import { kstDate, kstDateTime } from '../../../shared/time/kst.ts';
import { Agenda } from './agenda.ts';
import { Chance } from './chance.ts';
import { askForAQuarter } from './channels.ts';
import { perform, readActs, staffAt, type Staff } from './course.ts';
import { Firm, Reception, type Access } from './firm.ts';
import { RefusedError } from './person.ts';
import { OpeningQueue } from './queue.ts';
import { reviewSamples, reviewBlindly, reviewQueue } from './reviewing.ts';
import type { SeededClock } from './seeded-clock.ts';
import { addOtherTenant, startVendor, type Vendor } from './vendor.ts';

export interface Past {
  seed: string;
  /** Starts at the first morning and ends at the present. */
  clock: SeededClock;
  ids: Ids;
  weeks: number;
  /** The validity of the tenants' certificates. */
  days: number;
  store: Store;
  installation: Installation;
  ledger: string;
  /** The shipped files of `cloud/demo`. */
  demo: ReturnType<typeof readDemo>;
  /** Called when the console API refuses a person: the person gives up, and the past continues. */
  refused(refusal: RefusedError): void;
  /** Called after each event, with the share of all events that have happened. */
  progress(share: number): void;
  /** Called when the ledger has accounts, policy and channels: from then on other processes may open it. */
  seeded(): void;
}

/** Other tenants of the vendor: one whose Intake stopped some days ago, one that never connected. */
const LATE_TENANT = '한빛투자증권';
const LATE_DAYS = 4;
const ABSENT_TENANT = '새솔증권';
/** The last trading days have the full density of a firm. They replay the shipped week, which the demo's driver repeats. */
const FULL_DAYS = 5;
const ROUNDS = ['10:40', '14:20', '17:10'];
const FULL_ROUNDS = ['09:50', '10:40', '11:30', '13:10', '14:00', '14:50', '15:50', '16:40', '17:15'];
const ITEMS_OF_A_ROUND = 9;
const WITHDRAWN = 0.16;
const EXPLAINED_OF_LATE = 24;
/** The hour, in minutes of the day, in which channels get no text, on this trading day counted from the last one. */
const OUTAGE = { daysAgo: 17, minute: 10 * 60 + 5 };
/** The bad quarter of an hour of the last day, in minutes before the end. */
const BAD_QUARTER = { from: 115, until: 100 };
/** Requests of channels, as shares of a usual day: of the last 24 hours and those a week before, the last five trading days, the weeks before. */
const LOAD = { last: 15, full: 3, before: 0.4 };
/** How many firings are of a story that needs a review, besides those that chance picks. */
const FLAGGED = 0.35;
const FULL_FLAGGED = 0.9;
/** On a full day a reviewer takes this share of the time for an item. */
const FULL_PACE = 0.25;
/** How many days have more firings than others. */
const LIVELY = 0.2;
/** The late tenant's pull interval: only its last good pull matters. */
const LATE_PULL_DAYS = 7;
const DAY_MS = 86_400_000;
/** The trading days of the plan of `acts.jsonl`. */
const ACT_DAYS = 40;
/** The validity of the tenants' certificates: half of it is over when the past is. */
export const certificateDays = (weeks: number): number => 2 * 7 * weeks;

/** The first morning of the past. */
export function firstMorning(until: Date, weeks: number): Date {
  return new Date(`${addDays(kstDate(until), -7 * weeks)}T08:30:00+09:00`);
}

export async function livePast(past: Past): Promise<void> {
  const { store, installation, clock, ids, ledger, days } = past;
  const vendor = await startVendor(store, installation, { clock, ids });
  const { pki } = installation;
  const [own] = installation.tenants;
  if (own?.cert === undefined || own.key === undefined) throw new Error('the tenant of the demo has no certificate');
  const access = (files: { cert: string; key: string }): Access => ({
    ...files,
    syncUrl: vendor.syncUrl,
    ca: pki.ca,
    verifyKey: pki.verifyKey,
  });
  const other = { days, pkiFolder: path.dirname(pki.ca), now: clock.now() };
  const late = await addOtherTenant(store, { ...other, name: LATE_TENANT });
  await addOtherTenant(store, { ...other, name: ABSENT_TENANT });
  const lateLedger = `${ledger}.late`;
  const elsewhere = new Reception(lateLedger, access(late), clock);
  const firm = await Firm.open(ledger, access({ cert: own.cert, key: own.key }), { clock, ids });
  past.seeded();
  const staff = staffAt(firm.consoleUrl);
  const agenda = new Agenda(playedDay(clock.end));
  const course = new Course(past, { vendor, firm, staff, agenda });
  course.plan(elsewhere);
  await agenda.live(clock, past.progress);
  await firm.receive();
  firm.count();
  await firm.close();
  await elsewhere.close();
  for (const end of ['', '-wal', '-shm']) rmSync(lateLedger + end, { force: true });
  await vendor.close();
}

async function everybodyLeaves({ admin, reviewers, operators }: Staff): Promise<void> {
  for (const person of [admin, ...reviewers, ...operators]) await person.logOut();
}

/** Puts every day into the agenda. */
class Course {
  readonly #past: Past;
  readonly #vendor: Vendor;
  readonly #firm: Firm;
  readonly #staff: Staff;
  readonly #agenda: Agenda;
  readonly #market: Market;
  readonly #played: ReturnType<typeof playedDay>;
  readonly #queue: OpeningQueue;
  /** Published results, neither withdrawn nor old, that the vendor's operator may withdraw. */
  #published: string[] = [];
  /** Tickers of published results, the latest first. */
  #explained: string[] = [];
  /** Whether the vendor has records that the tenant lacks. */
  #isNew = false;
  /** Whether the review queue may hold items. */
  #isQueued = false;

  constructor(past: Past, parts: { vendor: Vendor; firm: Firm; staff: Staff; agenda: Agenda }) {
    this.#past = past;
    this.#vendor = parts.vendor;
    this.#firm = parts.firm;
    this.#staff = parts.staff;
    this.#agenda = parts.agenda;
    this.#market = new Market({ ...past.demo, now: past.clock.end });
    this.#played = playedDay(past.clock.end);
    this.#queue = new OpeningQueue({
      staff: parts.staff,
      clock: past.clock,
      chance: new Chance(`${past.seed} queue`),
      firing: (chance, wish) => this.#firing(chance, wish),
      deliver: async (loads) => {
        const before = [...this.#published];
        await this.#load(loads);
        // The items that wait for the visitor are not withdrawn.
        this.#published = before;
        await this.#receive();
      },
    });
  }

  plan(late: Reception): void {
    const { clock, demo } = this.#past;
    const { date: played } = this.#played;
    const [first, last] = [kstDate(clock.now()), kstDate(clock.end)];
    const told = new Map(loadedDays(demo.reference, clock.end, FULL_DAYS).map((day) => [day.date, day]));
    const lateUntil = [first, addDays(last, -LATE_DAYS)].toSorted().at(-1) ?? first;
    const trading: string[] = [];
    for (let date = first; date <= last; date = addDays(date, 1)) {
      this.#planChannels(date);
      if (date <= lateUntil && daysBetween(date, lateUntil) % LATE_PULL_DAYS === 0)
        this.#agenda.add(date, '08:45:00', async () => {
          await late.pull();
          // The records of the first pull count as received when the next one continues from there.
          await late.pull();
        });
      if (isTradingDay(date) && date <= played) trading.push(date);
    }
    for (const [n, date] of trading.entries()) {
      const isFull = n >= trading.length - FULL_DAYS;
      const day = told.get(date);
      if (day !== undefined) this.#planShipped(day);
      this.#planFirings(date, isFull);
      this.#planReception(date);
      this.#planReview(date, n, isFull);
      this.#agenda.add(date, '18:10:00', () => everybodyLeaves(this.#staff));
    }
    this.#planActs(trading.slice(0, -1));
    this.#queue.plan(this.#agenda, (minutes, act) =>
      this.#agenda.addAt(new Date(clock.end.getTime() - minutes * 60_000), this.#byPerson(act)),
    );
  }

  #chance(date: string, subject: string): Chance {
    return new Chance(`${this.#past.seed} ${date} ${subject}`);
  }

  /** Firings of a day, most of them in bursts of a few, as a market moves. */
  #planFirings(date: string, isFull: boolean): void {
    const chance = this.#chance(date, 'firings');
    const isLively = chance.happens(LIVELY);
    const bursts = isFull ? chance.between(10, 12) : isLively ? chance.between(4, 5) : chance.between(2, 3);
    for (let burst = 0; burst < bursts; burst += 1) {
      const minute = isFull ? 550 + Math.round((burst * 420) / bursts) : 550 + chance.between(0, 430);
      const firings = isFull ? 3 : chance.between(1, isLively ? 3 : 2);
      this.#agenda.add(date, clockTime(minute), async () => {
        const loads = new Map<string, Load>();
        for (let n = 0; n < firings; n += 1) {
          const isFlagged = chance.happens(isFull ? FULL_FLAGGED : FLAGGED);
          const ending = isFull && chance.happens(0.05) ? 'blocks' : 'flags';
          const load = this.#firing(chance, {
            ...(isFlagged ? { ending } : {}),
            fits: ({ instrument }) => !loads.has(instrument.ticker),
          });
          if (load !== null) loads.set(load.instrument.ticker, load);
        }
        await this.#load([...loads.values()]);
      });
    }
    if (!chance.happens(isFull ? 1 : WITHDRAWN)) return;
    this.#agenda.add(date, '14:12:00', async () => {
      if (this.#published.length > 0) await this.#withdraw(chance.pick(this.#published), chance.pick(REASONS));
    });
  }

  #firing(chance: Chance, wish: Wish): Load | null {
    const { clock, ids, demo } = this.#past;
    const { date, shiftMs } = this.#played;
    // The replay begins with the session of its day: before it, the market is that of the clock.
    const isReplayed = sessionAt(new Date(clock.now().getTime() - shiftMs)).tradeDate === date;
    const parts = { clock, ids, random: chance, instruments: demo.instruments, market: this.#market };
    return liveLoad({ ...parts, shiftMs: isReplayed ? shiftMs : 0 }, wish);
  }

  /** A day of the shipped week: each load at its text's moment, before which it would lie ahead, and the operator's withdrawals. */
  #planShipped({ date, weeks, loads }: ReturnType<typeof loadedDays>[number]): void {
    for (const load of loads) {
      const text = load.mode === 'V2' ? load.analysis : load.result;
      const sent = text === null ? Date.parse(load.run.started_at) + 30_000 : Date.parse(text.explanation_as_of);
      this.#agenda.add(date, kstDateTime(new Date(sent)).slice(11), () => this.#load([load]));
    }
    this.#agenda.add(date, '17:05:00', async () => {
      for (const { id, reason } of WITHDRAWALS) {
        const moved = moveId(id, weeks);
        if (this.#published.includes(moved)) await this.#withdraw(moved, reason);
      }
    });
  }

  async #load(loads: Load[]): Promise<void> {
    if (loads.length === 0) return;
    const { signal } = new AbortController();
    const answers = await this.#vendor.door.post(loads, signal);
    for (const { outcome, id } of answers) if (outcome === 'PUBLISHED' && id !== null) this.#published.push(id);
    const told = loads.map(({ instrument }) => instrument.ticker);
    this.#explained = [...new Set([...told, ...this.#explained])].slice(0, EXPLAINED_OF_LATE);
    this.#published = this.#published.slice(-20);
    this.#isNew = true;
  }

  async #withdraw(id: string, reason: string): Promise<void> {
    await this.#vendor.operator.withdraw(id, reason, new AbortController().signal);
    this.#published = this.#published.filter((other) => other !== id);
    this.#isNew = true;
  }

  /** The Intake pulls every minute; here when there are new records, and once a day. */
  #planReception(date: string): void {
    for (let minute = 9 * 60 + 30; minute < 18 * 60; minute += 65)
      this.#agenda.add(date, clockTime(minute), async () => {
        if (this.#isNew) await this.#receive();
      });
    this.#agenda.add(date, '18:30:00', () => this.#receive());
  }

  async #receive(): Promise<void> {
    this.#isNew = false;
    this.#isQueued = true;
    await this.#firm.receive();
  }

  #planReview(date: string, n: number, isFull: boolean): void {
    const { clock } = this.#past;
    const { reviewers } = this.#staff;
    for (const [round, time] of (isFull ? FULL_ROUNDS : ROUNDS).entries()) {
      const chance = this.#chance(date, `round ${round}`);
      // Two people share a quiet day, all of them a full one. The first morning has the first alone.
      const reviewer = reviewers[(isFull ? n + round : n + (round > 1 ? 1 : 0)) % reviewers.length] ?? reviewers[0];
      const pace = isFull ? FULL_PACE : 1;
      const asked = { reviewer, clock, chance, most: ITEMS_OF_A_ROUND, kept: this.#queue.kept, pace };
      this.#person(date, `${time}:00`, async () => {
        if (this.#isQueued) this.#isQueued = await reviewQueue(asked);
      });
      if (round === 2 && n % 2 === 0) this.#person(date, `${time}:30`, () => reviewSamples({ ...asked, most: 4 }));
      if (round === 1 && n % 2 === 1) this.#person(date, `${time}:30`, () => reviewBlindly({ ...asked, most: 4 }));
    }
  }

  #planChannels(date: string): void {
    const { clock, demo } = this.#past;
    const { shiftMs } = this.#played;
    const chance = this.#chance(date, 'channels');
    const tickers = demo.instruments.map(({ ticker }) => ticker);
    // Sometimes a channel continues for an hour with a replaced key.
    const stale = chance.happens(0.12) ? { channel: chance.pick(['WEB', 'HTS']), hour: chance.between(9, 15) } : null;
    const daysAgo = tradingDaysUntil(date, this.#played.date);
    for (let minute = 5; minute < 24 * 60; minute += 15) {
      const at = new Date(Date.parse(`${date}T${clockTime(minute)}+09:00`));
      const leftMs = clock.end.getTime() - at.getTime();
      // The last 24 hours are those of the day that is replayed. The dashboard holds them against the same ones a week before.
      const isReplayed = leftMs % (7 * DAY_MS) < DAY_MS && leftMs < 8 * DAY_MS;
      const played = kstDateTime(new Date(at.getTime() - (isReplayed ? shiftMs : 0)));
      const [day, hour] = [played.slice(0, 10), Number(played.slice(11, 13))];
      const load = isReplayed
        ? LOAD.last
        : (daysAgo < FULL_DAYS ? LOAD.full : LOAD.before) * (isTradingDay(day) ? 1 : 0.25);
      const fails =
        (leftMs > BAD_QUARTER.until * 60_000 && leftMs <= BAD_QUARTER.from * 60_000) ||
        (daysAgo === OUTAGE.daysAgo && isTradingDay(date) && minute >= OUTAGE.minute && minute < OUTAGE.minute + 60);
      const quarter = { chance, tickers, hour, share: load * (0.85 + 0.3 * chance.next()), fails };
      this.#agenda.addAt(at, () =>
        askForAQuarter(this.#firm, {
          ...quarter,
          stale: stale?.hour === hour ? stale.channel : null,
          explained: this.#explained,
        }),
      );
    }
    this.#agenda.addAt(new Date(Date.parse(`${date}T23:59:00+09:00`)), () => this.#firm.count());
  }

  /** The acts of `acts.jsonl`, in their order, spread over the trading days. */
  #planActs(trading: readonly string[]): void {
    const { clock, demo } = this.#past;
    const acts = readActs().entries();
    const days = Map.groupBy(acts, ([, { at }]) => trading[Math.floor((at / ACT_DAYS) * trading.length)] ?? '');
    days.delete('');
    for (const [date, ofDay] of days)
      for (const [n, [index, act]] of ofDay.entries()) {
        const chance = this.#chance(date, `act ${index}`);
        const inspected = (): Promise<void> => this.#firm.inspected();
        const scene = { staff: this.#staff, clock, chance, stories: demo.stories, inspected };
        const minute = 8 * 60 + 31 + n * Math.min(40, Math.floor(500 / ofDay.length));
        this.#person(date, clockTime(minute + chance.between(0, 5)), () => perform(act, scene));
      }
  }

  #person(date: string, time: string, act: () => Promise<void>): void {
    this.#agenda.add(date, time, this.#byPerson(act));
  }

  #byPerson(act: () => Promise<void>): () => Promise<void> {
    return async () => {
      try {
        await act();
      } catch (error) {
        if (!(error instanceof RefusedError)) throw error;
        this.#past.refused(error);
      }
    };
  }
}

const clockTime = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}:00`;

/** The number of trading days after a date, up to another. */
function tradingDaysUntil(date: string, last: string): number {
  let count = 0;
  for (let day = addDays(date, 1); day <= last; day = addDays(day, 1)) if (isTradingDay(day)) count += 1;
  return count;
}
