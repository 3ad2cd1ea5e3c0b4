/** The events of the past, of all parties, in one chronological order. */
import type { SeededClock } from './seeded-clock.ts';

export interface Event {
  at: Date;
  act(): Promise<void> | void;
}

export class Agenda {
  readonly #events: Event[] = [];

  /** `HH:MM:SS` in Korea on a day. */
  add(date: string, time: string, act: Event['act']): void {
    this.#events.push({ at: new Date(`${date}T${time}+09:00`), act });
  }

  addAt(at: Date, act: Event['act']): void {
    this.#events.push({ at, act });
  }

  /** Runs all events up to the clock's end. Events at the same instant run in the order in which they were added. */
  async live(clock: SeededClock): Promise<void> {
    const due = this.#events.toSorted((a, b) => a.at.getTime() - b.at.getTime());
    for (const { at, act } of due) {
      if (at > clock.end) break;
      clock.moveTo(at);
      await act();
    }
    clock.moveTo(clock.end);
  }
}
