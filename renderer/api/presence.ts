/**
 * Detects whether a user is present. Screens refresh by themselves (an event, a timer, a window that comes to the
 * front), so a console left open would never time out. A request without a user present is marked, and the server does
 * not count it as use of the session (D9).
 */
import type { Clock } from '../../shared/time/clock.ts';
import type { Fetch } from '../../shared/ui/http/request.ts';
import { AUTOMATIC_HEADER } from '../../shared/wire/console/console.ts';

/** Events that only a user causes. Pointer moves do not count: a shaking desk causes them too. */
const SIGNS = ['pointerdown', 'keydown', 'wheel', 'touchstart'] as const;

/** A request within this time of such an event counts as the user's, in ms: a screen loads, a page follows a page. */
const NEAR_MS = 5_000;

export class Presence {
  readonly #clock: Clock;
  #lastSign: number;

  /** Opening the page counts as presence. @param target where events are listened for */
  constructor(clock: Clock, target: Pick<EventTarget, 'addEventListener'>) {
    this.#clock = clock;
    this.#lastSign = clock.now().getTime();
    const note = (event: Event): void => {
      // Events dispatched by scripts do not count.
      if (event.isTrusted) this.#lastSign = clock.now().getTime();
    };
    for (const sign of SIGNS) target.addEventListener(sign, note, { capture: true, passive: true });
  }

  /** A `fetch` that marks reads without a user present. A change always counts as the user's. */
  marking(fetch: Fetch): Fetch {
    return (input, init) => {
      if (init.method !== 'GET' || this.#clock.now().getTime() - this.#lastSign <= NEAR_MS) return fetch(input, init);
      const headers = new Headers(init.headers);
      headers.set(AUTOMATIC_HEADER, '1');
      return fetch(input, { ...init, headers });
    };
  }
}
