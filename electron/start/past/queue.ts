/** The queue that a new demo opens with: what arrives in the last hours of its past, and stays for the visitor. */
import type { Load } from '../../../cloud/publication/load.ts';
import { isOfOpening, type Wish } from '../../../cloud/demo/generation/generate.ts';
import { beforeWorkingMs } from '../../../shared/time/working-hours.ts';
import type { Page, ReviewDetail, ReviewItem } from '../../../shared/wire/console/console.ts';
import type { Agenda } from './agenda.ts';
import type { Chance } from './chance.ts';
import { stop, type Staff } from './course.ts';
import { approveEdited, reviewQueue } from './reviewing.ts';
import type { SeededClock } from './seeded-clock.ts';
import { softened, words } from './words.ts';

/** How many items wait for the visitor. */
const WAITING = 24;
/** Of them two that have waited for longer than the target of two hours, which are hours of work: a night adds none. */
const OVER_TARGET = 2;
const LATE_MS = 130 * 60_000;
/** For at least so many reasons. */
const REASONS = 4;
/** A story that may be told with little confidence. */
const DOUBTFUL: Wish = { fits: ({ story }) => story.confidence.includes('LOW') };
/** Stories that a review must see for other reasons than a word. */
const OTHER_REASONS: readonly Wish[] = [
  { fits: ({ story }) => story.type === 'UNCERTAIN' },
  { fits: ({ story }) => story.documents.length === 1 },
  { fits: ({ story }) => story.group === '금' },
  DOUBTFUL,
];

export interface QueueParts {
  staff: Staff;
  clock: SeededClock;
  chance: Chance;
  /** A firing of this kind; null where the market has none. */
  firing(chance: Chance, wish: Wish): Load | null;
  /** The engine hands them in, and the Intake receives them. */
  deliver(loads: Load[]): Promise<void>;
}

export class OpeningQueue {
  /** Ids of items that the reviewers of the past leave alone. */
  readonly kept = new Set<string>();
  readonly #parts: QueueParts;
  readonly #tickers = new Set<string>();

  constructor(parts: QueueParts) {
    this.#parts = parts;
  }

  /** @param person adds what a person does so many minutes before the end */
  plan(agenda: Agenda, person: (minutes: number, act: () => Promise<void>) => void): void {
    const { staff, clock, chance } = this.#parts;
    const { reviewers } = staff;
    const before = (minutes: number): Date => new Date(clock.end.getTime() - minutes * 60_000);
    agenda.addAt(beforeWorkingMs(clock.end, LATE_MS), async () => {
      await this.#fill(OVER_TARGET);
      // This may be on the day before the one that is played: whoever looked at the queue goes home.
      await reviewers[0].logOut();
    });
    agenda.addAt(before(48), () => this.#keepVaried());
    for (const minutes of [41, 34]) agenda.addAt(before(minutes), () => this.#keep(4, []));
    agenda.addAt(before(33), () => this.#thrice());
    person(30, () => stop({ staff, clock, chance }, false));
    person(27, async () => {
      const [item] = await this.#waiting(reviewers[1], ({ opinion }) => opinion === null);
      await reviewers[1].ask('POST', `/api/v1/review/items/${item?.id}/claim`);
      await reviewers[1].ask('POST', `/api/v1/review/items/${item?.id}/opinions`, {
        question: chance.pick(words.questions),
      });
      await reviewers[1].ask('DELETE', `/api/v1/review/items/${item?.id}/claim`);
    });
    person(24, () => this.#editFirst());
    person(20, () => this.#keepNew(() => stop({ staff, clock, chance }, true)));
    person(14, async () => {
      await this.#fill(WAITING);
      await this.#deliver(3, []);
    });
    person(9, async () => {
      const round = { clock, chance, kept: this.kept };
      await reviewQueue({ ...round, reviewer: reviewers[3], most: 3, pace: 0.2 });
      // Nothing else has waited for long. Two people take turns: neither answers the question nor approves the edit that is their own.
      const since = before(20);
      for (const reviewer of [reviewers[0], reviewers[3], reviewers[0], reviewers[3]])
        await reviewQueue({ ...round, reviewer, since, most: Infinity, pace: 0.1 });
    });
    person(3, async () => {
      const [item] = await this.#waiting(
        reviewers[2],
        ({ opinion, waitingEdit }) => opinion === null && waitingEdit === null,
      );
      if (item === undefined) return;
      const path = `/api/v1/review/items/${item.id}`;
      await reviewers[2].ask('POST', `${path}/claim`);
      await reviewers[2].ask('PUT', `${path}/draft`, { edited_summary: softened(item.summary), comment: null });
    });
  }

  /** One reviewer approves an edited text, and the policy asks for a second one. */
  async #editFirst(): Promise<void> {
    const [, , editor] = this.#parts.staff.reviewers;
    const hasWord = ({ opinion, reasons }: ReviewItem): boolean =>
      opinion === null && reasons.some(({ check }) => check === 'FORBIDDEN_WORDS');
    const [item] = await this.#waiting(editor, hasWord);
    if (item === undefined) return;
    await approveEdited(editor, await editor.ask<ReviewDetail>('GET', `/api/v1/review/items/${item.id}`), {
      edited: softened(item.summary),
      comment: this.#parts.chance.pick(words.edited),
    });
  }

  /** On some days the market has nothing uncertain, and a doubtful story has its confidence by chance. */
  async #keepVaried(): Promise<void> {
    const { staff, clock } = this.#parts;
    await this.#keep(5, OTHER_REASONS);
    for (let tries = 0; tries < 8; tries += 1) {
      const reasons = (await this.#waiting(staff.reviewers[0])).flatMap((item) => item.reasons);
      if (new Set(reasons.map(({ check }) => check)).size >= REASONS) return;
      // A fund has one explanation of one instant.
      clock.pass(20_000);
      await this.#keep(0, [DOUBTFUL]);
    }
  }

  /** Two more about a fund that waits already, so that three of one wait. */
  async #thrice(): Promise<void> {
    const { staff, clock, chance, firing, deliver } = this.#parts;
    for (const { etf_ticker } of await this.#waiting(staff.reviewers[0])) {
      const again: Wish = { ending: 'flags', fits: ({ instrument }) => instrument.ticker === etf_ticker };
      const isSame = (item: ReviewItem): boolean => item.etf_ticker === etf_ticker;
      // Some of them are blocked by their words.
      for (let tries = 0; tries < 4; tries += 1) {
        const load = firing(chance, again);
        if (load === null) break;
        await this.#keepNew(() => deliver([load]));
        // A fund has one explanation of one instant.
        clock.pass(20_000);
        if ((await this.#waiting(staff.reviewers[0], isSame)).length >= 3) return;
      }
    }
  }

  /** The queue as a person sees it. */
  async #queue(person: Staff['admin']): Promise<ReviewItem[]> {
    return (await person.ask<Page<ReviewItem>>('GET', '/api/v1/review/items?size=100')).items;
  }

  /** What waits for the visitor. */
  async #waiting(person: Staff['admin'], fits: (item: ReviewItem) => boolean = () => true): Promise<ReviewItem[]> {
    return (await this.#queue(person)).filter((item) => this.kept.has(item.id) && fits(item));
  }

  /** Until so many are kept: some are blocked by their words, and wait for nobody. */
  async #fill(wanted: number): Promise<void> {
    for (let tries = 0; tries < 6 && this.kept.size < wanted; tries += 1)
      await this.#keep(Math.min(4, wanted - this.kept.size), []);
  }

  #keep(flagged: number, others: readonly Wish[]): Promise<void> {
    return this.#keepNew(() => this.#deliver(flagged, others));
  }

  /** Keeps what waits afterwards and did not before. */
  async #keepNew(act: () => Promise<void>): Promise<void> {
    const [person] = this.#parts.staff.reviewers;
    // Earlier loads are received first: they stay with the reviewers of the past.
    await this.#parts.deliver([]);
    const known = new Set((await this.#queue(person)).map(({ id }) => id));
    await act();
    for (const { id } of await this.#queue(person)) if (!known.has(id)) this.kept.add(id);
  }

  /** Firings with words for a review, and others, of funds that do not wait yet. */
  async #deliver(flagged: number, others: readonly Wish[]): Promise<void> {
    const { chance, firing, deliver } = this.#parts;
    const wishes: Wish[] = [...others, ...Array.from({ length: flagged }, (): Wish => ({ ending: 'flags' }))];
    const loads: Load[] = [];
    for (const wish of wishes) {
      const isNew: Wish['fits'] = (told) => !this.#tickers.has(told.instrument.ticker) && wish.fits?.(told) !== false;
      const fits: Wish['fits'] = (told) => isOfOpening(told.instrument.ticker) && isNew(told);
      const load =
        firing(chance, { ...wish, fits }) ?? firing(chance, { ...wish, fits: isNew }) ?? firing(chance, wish);
      if (load === null) continue;
      loads.push(load);
      this.#tickers.add(load.instrument.ticker);
    }
    await deliver(loads);
  }
}
