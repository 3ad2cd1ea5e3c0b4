/** The events of the past in one order of time, whoever they concern. */
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

  /** Lets everything happen that comes to pass by the clock's end. What stands at one instant happens in the order in which it was added. */
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
