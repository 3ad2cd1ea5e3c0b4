/**
 * Whether a person is there. Screens read anew by themselves (an event, a timer, a window that comes to
 * the front), and a console left open would so never time out. A request without a person near is
 * marked, and the server does not count it as use of the session (D9).
 */
import type { Clock } from '../../shared/time/clock.ts';
import type { Fetch } from '../../shared/ui/http/request.ts';
import { AUTOMATIC_HEADER } from '../../shared/wire/console/console.ts';

/** Events that only a person makes. Moving the pointer is not among them: a desk that shakes is nobody. */
const SIGNS = ['pointerdown', 'keydown', 'wheel', 'touchstart'] as const;

/** A request within this time of a sign is put down to the person, in ms: a screen loads, a page follows a page. */
const NEAR_MS = 5_000;

export class Presence {
  readonly #clock: Clock;
  #lastSign: number;

  /** To open the page is a sign by itself. @param target where signs are listened for */
  constructor(clock: Clock, target: Pick<EventTarget, 'addEventListener'>) {
    this.#clock = clock;
    this.#lastSign = clock.now().getTime();
    const note = (event: Event): void => {
      // A script's own events are not a person's.
      if (event.isTrusted) this.#lastSign = clock.now().getTime();
    };
    for (const sign of SIGNS) target.addEventListener(sign, note, { capture: true, passive: true });
  }

  /** A `fetch` that marks what is read without a person near. A change is always a person's. */
  marking(fetch: Fetch): Fetch {
    return (input, init) => {
      if (init.method !== 'GET' || this.#clock.now().getTime() - this.#lastSign <= NEAR_MS) return fetch(input, init);
      const headers = new Headers(init.headers);
      headers.set(AUTOMATIC_HEADER, '1');
      return fetch(input, { ...init, headers });
    };
  }
}
