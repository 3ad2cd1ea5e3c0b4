/** The weeks of a demo's past: the acts of each day, drawn from the seed and run by the real parts on one clock. */
import { rmSync } from 'node:fs';
import path from 'node:path';
import { addDays, daysBetween, isTradingDay, tradingDayUpTo } from '../../../cloud/demo/generation/calendar.ts';
import { liveLoad } from '../../../cloud/demo/generation/generate.ts';
import { Market } from '../../../cloud/demo/generation/market.ts';
import type { readDemo } from '../../../cloud/demo/generation/reader.ts';
import { moveId, toldDays } from '../../../cloud/demo/redate.ts';
import { REASONS, WITHDRAWALS } from '../../../cloud/demo/withdrawals.ts';
import type { Installation } from '../../../cloud/commands/init.ts';
import type { Load } from '../../../cloud/publication/load.ts';
import type { Store } from '../../../cloud/store/open.ts';
import type { Ids } from '../../../shared/time/clock.ts';
import { kstDate } from '../../../shared/time/kst.ts';
import { Agenda } from './agenda.ts';
import { Chance } from './chance.ts';
import { askForAQuarter } from './channels.ts';
import { COURSE, staffAt, type Staff } from './course.ts';
import { Firm, Reception, type Access } from './firm.ts';
import { RefusedError } from './person.ts';
import { reviewSamples, reviewBlindly, reviewQueue } from './reviewing.ts';
import type { SeededClock } from './seeded-clock.ts';
import { addOtherTenant, startVendor, type Vendor } from './vendor.ts';

export interface Past {
  seed: string;
  /** Starts at the first morning and ends at the present. */
  clock: SeededClock;
  ids: Ids;
  weeks: number;
  store: Store;
  installation: Installation;
  ledger: string;
  /** The shipped files of `cloud/demo`. */
  demo: ReturnType<typeof readDemo>;
  /** Called when the console API refuses a person: the person gives up, and the past continues. */
  refused(refusal: RefusedError): void;
  /** Called when the ledger has accounts, policy and channels: from then on other processes may open it. */
  seeded(): void;
}

/** Other tenants of the vendor: one whose Intake stopped some days ago, one that never connected. */
const LATE_TENANT = '한빛투자증권';
const LATE_DAYS = 4;
const ABSENT_TENANT = '새솔증권';
/** The last trading days replay the shipped week, which the demo's driver repeats. */
const SHIPPED_DAYS = 5;
const ROUNDS = ['10:40', '14:20', '17:10'];
const ITEMS_OF_A_ROUND = 9;
const WITHDRAWN = 0.16;
const EXPLAINED_OF_LATE = 24;
/** Trading days, counted from the last one, with the hour, in minutes of the day, in which channels get no text. */
const OUTAGES: ReadonlyMap<number, number> = new Map([
  [1, 13 * 60 + 20],
  [17, 10 * 60 + 5],
]);
/** How many firings are of a scene that needs a review, besides those that chance picks. */
const FLAGGED = 0.35;
/** How many days have more firings than others. */
const LIVELY = 0.2;
/** The late tenant's pull interval: only its last good pull matters. */
const LATE_PULL_DAYS = 7;
/** The validity of the tenants' certificates: half of it is over when the past is. */
export const certificateDays = (weeks: number): number => 2 * 7 * weeks;

/** The first morning of the past. */
export function firstMorning(until: Date, weeks: number): Date {
  return new Date(`${addDays(kstDate(until), -7 * weeks)}T08:30:00+09:00`);
}

export async function livePast(past: Past): Promise<void> {
  const { store, installation, clock, ids, ledger, weeks } = past;
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
  const other = { days: certificateDays(weeks), pkiFolder: path.dirname(pki.ca), now: clock.now() };
  const late = await addOtherTenant(store, { ...other, name: LATE_TENANT });
  await addOtherTenant(store, { ...other, name: ABSENT_TENANT });
  const lateLedger = `${ledger}.late`;
  const elsewhere = new Reception(lateLedger, access(late), clock);
  const firm = await Firm.open(ledger, access({ cert: own.cert, key: own.key }), { clock, ids });
  past.seeded();
  const staff = staffAt(firm.consoleUrl);
  const agenda = new Agenda();
  const course = new Course(past, { vendor, firm, staff, agenda });
  course.plan(elsewhere);
  await agenda.live(clock);
  await firm.receive();
  firm.count();
  await everybodyLeaves(staff);
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
  }

  plan(late: Reception): void {
    const { clock } = this.#past;
    const [first, last] = [kstDate(clock.now()), kstDate(clock.end)];
    const shipped = new Map(toldDays(this.#past.demo.reference, clock.end, SHIPPED_DAYS).map((day) => [day.date, day]));
    const lateUntil = addDays(last, -LATE_DAYS);
    for (let date = first, n = 0; date <= last; date = addDays(date, 1), n += 1) {
      const told = shipped.get(date);
      this.#planChannels(date);
      if (date <= lateUntil && daysBetween(date, lateUntil) % LATE_PULL_DAYS === 0)
        this.#agenda.add(date, '18:40:00', async () => {
          await late.pull();
          // The records of the first pull count as received when the next one continues from there.
          await late.pull();
        });
      if (!isTradingDay(date)) continue;
      if (told === undefined) this.#planFirings(date);
      else this.#planShipped(told);
      this.#planReception(date);
      this.#planReview(date, n);
    }
    this.#planCourse(first);
    this.#agenda.add(tradingDayUpTo(last), '18:10:00', () => everybodyLeaves(this.#staff));
  }

  #chance(date: string, subject: string): Chance {
    return new Chance(`${this.#past.seed} ${date} ${subject}`);
  }

  /** Firings of a day, most of them in bursts of a few, as a market moves. */
  #planFirings(date: string): void {
    const chance = this.#chance(date, 'firings');
    const isLively = chance.happens(LIVELY);
    const bursts = isLively ? chance.between(4, 5) : chance.between(2, 3);
    for (let burst = 0; burst < bursts; burst += 1) {
      const at = new Date(`${date}T09:10:00+09:00`).getTime() + chance.between(0, 430) * 60_000;
      const firings = chance.between(1, isLively ? 3 : 2);
      this.#agenda.addAt(new Date(at), () => this.#load(Array.from({ length: firings }, () => this.#firing(chance))));
    }
    if (!chance.happens(WITHDRAWN)) return;
    this.#agenda.add(date, '14:12:00', async () => {
      if (this.#published.length > 0) await this.#withdraw(chance.pick(this.#published), chance.pick(REASONS));
    });
  }

  #firing(chance: Chance): Load {
    const { clock, ids, demo } = this.#past;
    const parts = { clock, ids, random: chance, instruments: demo.instruments, market: this.#market };
    return liveLoad(parts, chance.happens(FLAGGED) ? { ending: 'flags' } : {});
  }

  /** A day of the shipped week: each load when its run was over, and the operator's withdrawals. */
  #planShipped({ date, weeks, loads }: ReturnType<typeof toldDays>[number]): void {
    for (const load of loads)
      this.#agenda.addAt(new Date(new Date(load.run.started_at).getTime() + 30_000), () => this.#load([load]));
    this.#agenda.add(date, '17:05:00', async () => {
      for (const { id, reason } of WITHDRAWALS) {
        const moved = moveId(id, weeks);
        if (this.#published.includes(moved)) await this.#withdraw(moved, reason);
      }
    });
  }

  async #load(loads: Load[]): Promise<void> {
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

  #planReview(date: string, n: number): void {
    const { clock } = this.#past;
    for (const [round, time] of ROUNDS.entries()) {
      const chance = this.#chance(date, `round ${round}`);
      const reviewer = this.#staff.reviewers[(n + round) % 3];
      if (reviewer === undefined) continue;
      const asked = { reviewer, clock, chance, most: ITEMS_OF_A_ROUND };
      this.#person(date, `${time}:00`, async () => {
        if (this.#isQueued) this.#isQueued = await reviewQueue(asked);
      });
      if (round === 2 && n % 2 === 0) this.#person(date, `${time}:30`, () => reviewSamples({ ...asked, most: 4 }));
      if (round === 1 && n % 2 === 1) this.#person(date, `${time}:30`, () => reviewBlindly({ ...asked, most: 4 }));
    }
  }

  #planChannels(date: string): void {
    const { clock, demo } = this.#past;
    const chance = this.#chance(date, 'channels');
    const tickers = demo.instruments.map(({ ticker }) => ticker);
    const isRecent = date >= addDays(kstDate(clock.end), -2);
    const share = (isRecent ? 1.4 : 0.4) * (isTradingDay(date) ? 1 : 0.25) * (0.85 + 0.3 * chance.next());
    const outage = isTradingDay(date) ? OUTAGES.get(tradingDaysUntil(date, kstDate(clock.end))) : undefined;
    // Sometimes a channel continues for an hour with a replaced key.
    const stale = chance.happens(0.12) ? { channel: chance.pick(['WEB', 'HTS']), hour: chance.between(9, 15) } : null;
    for (let minute = 5; minute < 24 * 60; minute += 15) {
      const hour = Math.floor(minute / 60);
      const quarter = { chance, tickers, hour, share, stale: stale?.hour === hour ? stale.channel : null };
      const fails = outage !== undefined && minute >= outage && minute < outage + 60;
      this.#agenda.add(date, clockTime(minute), () =>
        askForAQuarter(this.#firm, { ...quarter, fails, explained: this.#explained }),
      );
    }
    this.#agenda.add(date, '23:59:00', () => this.#firm.count());
  }

  #planCourse(first: string): void {
    const { clock } = this.#past;
    for (const { week, day, hour, act } of COURSE) {
      const date = tradingDay(addDays(first, 7 * week), day);
      const chance = this.#chance(date, `course ${week} ${day}`);
      this.#person(date, clockTime(hour * 60 + chance.between(1, 50)), () =>
        act({ staff: this.#staff, clock, chance }),
      );
    }
  }

  #person(date: string, time: string, act: () => Promise<void>): void {
    this.#agenda.add(date, time, async () => {
      try {
        await act();
      } catch (error) {
        if (!(error instanceof RefusedError)) throw error;
        this.#past.refused(error);
      }
    });
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

/** The n-th trading day from a date on, from 0. */
function tradingDay(from: string, n: number): string {
  let date = from;
  for (let left = n; ; date = addDays(date, 1)) {
    if (!isTradingDay(date)) continue;
    if (left === 0) return date;
    left -= 1;
  }
}
