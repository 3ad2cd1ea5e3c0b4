/** The events of the past, of all parties, in one chronological order. */
import type { SeededClock } from './seeded-clock.ts';

export interface Event {
  at: Date;
  act(): Promise<void> | void;
}

export class Agenda {
  readonly #events: Event[] = [];
  readonly #played: { date: string; shiftMs: number };

  /** @param played the day whose events are shifted to the present */
  constructor(played: { date: string; shiftMs: number }) {
    this.#played = played;
  }

  /** `HH:MM:SS` in Korea on a day. */
  add(date: string, time: string, act: Event['act']): void {
    const shiftMs = date === this.#played.date ? this.#played.shiftMs : 0;
    this.addAt(new Date(Date.parse(`${date}T${time}+09:00`) + shiftMs), act);
  }

  addAt(at: Date, act: Event['act']): void {
    this.#events.push({ at, act });
  }

  /** Runs all events up to the clock's end. Events at the same instant run in the order in which they were added. */
  async live(clock: SeededClock, progress: (share: number) => void): Promise<void> {
    const due = this.#events.filter(({ at }) => at <= clock.end).toSorted((a, b) => a.at.getTime() - b.at.getTime());
    for (const [index, { at, act }] of due.entries()) {
      clock.moveTo(at);
      await act();
      progress((index + 1) / due.length);
    }
    clock.moveTo(clock.end);
  }
}
