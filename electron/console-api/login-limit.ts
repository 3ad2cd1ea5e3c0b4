/**
 * How often passwords may be tried in production (D9; document 1 section 8 wants no such limit in a demo).
 * Kept in memory: a restart forgives, and a single process answers all logins. Nobody is locked out for
 * longer than the window, and a name that does not exist is counted like one that does.
 */
import type { Clock } from '../../shared/time/clock.ts';
import { ApiError } from '../../shared/wire/envelope.ts';

const WINDOW_MS = 15 * 60_000;
/** Attempts within the window that did not end in a login. */
const MOST_PER_NAME = 10;
const MOST_PER_ADDRESS = 100;
/** Counts that are kept at most; the oldest go first, so that made-up names do not fill the memory. */
const MOST_COUNTS = 50_000;

export class LoginLimit {
  readonly #clock: Clock;
  /** When the attempts of a name or address were made, oldest first. */
  readonly #attempts = new Map<string, number[]>();
  /** Until when the refusals of a name or address are on record. */
  readonly #recorded = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Counts an attempt before it is looked at, so that many at once do not slip through.
   *
   * @param name null where somebody signs in elsewhere: then only the address counts
   * @param record puts a refusal on record; done once a window for a name or an address, so that nobody fills the log
   * @throws ApiError COMMON429
   */
  begin(name: string | null, address: string, record: (refused: { limit: 'name' | 'address' }) => void): void {
    const keys = keysOf(name, address);
    const nameMs = keys.name === null ? 0 : this.#waitMs(keys.name, MOST_PER_NAME);
    const waitMs = Math.max(nameMs, this.#waitMs(keys.address, MOST_PER_ADDRESS));
    if (waitMs > 0) {
      const limit = nameMs > 0 ? 'name' : 'address';
      this.#recordOnce(keys[limit] ?? keys.address, () => record({ limit }));
      const minutes = Math.ceil(waitMs / 60_000);
      throw new ApiError('COMMON429', `Too many attempts to log in: try again in ${minutes} minutes.`);
    }
    for (const key of [keys.name, keys.address]) if (key !== null) this.#note(key);
  }

  /** A login that went well takes its name's attempts back, and one of its address. */
  succeed(name: string | null, address: string): void {
    const keys = keysOf(name, address);
    if (keys.name !== null) this.#attempts.delete(keys.name);
    this.#attempts.get(keys.address)?.pop();
  }

  /** For how long nothing more is taken, in ms; 0 where it is. */
  #waitMs(key: string, most: number): number {
    const now = this.#clock.now().getTime();
    const recent = (this.#attempts.get(key) ?? []).filter((at) => at > now - WINDOW_MS);
    if (recent.length === 0) this.#attempts.delete(key);
    else this.#attempts.set(key, recent);
    const [first] = recent;
    return recent.length < most || first === undefined ? 0 : first + WINDOW_MS - now;
  }

  #recordOnce(key: string, record: () => void): void {
    const now = this.#clock.now().getTime();
    if ((this.#recorded.get(key) ?? 0) > now) return;
    record();
    // Set anew, so that the oldest come first.
    this.#recorded.delete(key);
    this.#recorded.set(key, now + WINDOW_MS);
    for (const [oldest, until] of this.#recorded) {
      if (until > now && this.#recorded.size <= MOST_COUNTS) break;
      this.#recorded.delete(oldest);
    }
  }

  #note(key: string): void {
    const known = this.#attempts.get(key) ?? [];
    // Set anew, so that the order of the map is that of the last attempts.
    this.#attempts.delete(key);
    this.#attempts.set(key, [...known, this.#clock.now().getTime()]);
    for (const oldest of this.#attempts.keys()) {
      if (this.#attempts.size <= MOST_COUNTS) break;
      this.#attempts.delete(oldest);
    }
  }
}

function keysOf(name: string | null, address: string): { name: string | null; address: string } {
  return { name: name === null ? null : `name ${name.toLowerCase()}`, address: `address ${address}` };
}
