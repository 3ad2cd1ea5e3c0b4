/**
 * Limits password attempts (D9, D72): always at the operator console, in production at the tenant console (the contract
 * wants no limit in its demo). Counts are kept in memory: a restart clears them, and each process counts alone.
 *
 * The limit refuses a name only at an address with too many attempts on that name, and only within the window: attempts
 * from elsewhere cannot lock out the only administrator. Many attempts on a name from all addresses together delay each
 * further attempt, also one with the right password, and never refuse it. Unknown names are counted like known ones.
 */
import { isIPv6 } from 'node:net';
import type { Clock } from '../../time/clock.ts';
import { ApiError } from '../../wire/envelope.ts';

const WINDOW_MS = 15 * 60_000;
/** Failed attempts allowed within the window. */
const MOST_PER_NAME_AND_ADDRESS = 10;
const MOST_PER_ADDRESS = 100;
/** Beyond this many attempts on a name, from any address, each further attempt is delayed, and by more each time. */
const UNSLOWED_PER_NAME = 30;
const SLOWER_EACH = 10;
const SLOWER_BY_MS = 1_000;
/** The longest delay: shorter than the timeout of any client. */
const SLOWEST_MS = 5_000;
/** Wrong second-factor codes with a right password, per name, from all addresses. */
const MOST_CODES_PER_NAME = 30;
/** Upper bound of kept counts; the oldest are dropped first, so that made-up names do not fill the memory. */
const MOST_COUNTS = 50_000;

export class LoginLimit {
  readonly #clock: Clock;
  /** Times of the attempts on a name or address, oldest first. */
  readonly #attempts = new Map<string, number[]>();
  /** The time until which refusals of a name or address need no further record. */
  readonly #recorded = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Counts an attempt before the password is checked, so that parallel attempts are counted too.
   *
   * @param name null for single sign-on: then only the address counts
   * @param record records a refusal; called once a window for a name or an address, so that a client cannot fill the
   * log
   * @returns the delay in ms before the attempt is checked
   * @throws ApiError COMMON429
   */
  async begin(
    name: string | null,
    address: string,
    record: (refused: { limit: 'name' | 'address' }) => unknown,
  ): Promise<number> {
    const keys = keysOf(name, address);
    const nameMs = keys.name === null ? 0 : this.#waitMs(keys.name, MOST_PER_NAME_AND_ADDRESS);
    const waitMs = Math.max(nameMs, this.#waitMs(keys.address, MOST_PER_ADDRESS));
    if (waitMs > 0) {
      const limit = nameMs > 0 ? 'name' : 'address';
      await this.#recordOnce(keys[limit] ?? keys.address, () => record({ limit }));
      throw tooMany(waitMs);
    }
    const before = keys.everywhere === null ? 0 : this.#recent(keys.everywhere).length;
    for (const key of Object.values(keys)) if (key !== null) this.#note(key);
    if (before < UNSLOWED_PER_NAME) return 0;
    return Math.min(SLOWEST_MS, SLOWER_BY_MS * (1 + Math.floor((before - UNSLOWED_PER_NAME) / SLOWER_EACH)));
  }

  /** Clears the attempts on this name from this address, and takes one off the address and one off the name. */
  succeed(name: string | null, address: string): void {
    const keys = keysOf(name, address);
    if (keys.name !== null) this.#attempts.delete(keys.name);
    for (const key of [keys.address, keys.everywhere]) if (key !== null) this.#attempts.get(key)?.pop();
  }

  /** Takes back an attempt whose password was right but which still needs a code: it neither counts nor clears. */
  discount(name: string, address: string): void {
    for (const key of Object.values(keysOf(name, address))) if (key !== null) this.#attempts.get(key)?.pop();
  }

  /**
   * Counts a second-factor code before it is checked. Codes are few and an attacker has many addresses, so the count is
   * per name; only a caller with the right password reaches it, so nobody else can lock the name.
   *
   * @throws ApiError COMMON429
   */
  beginCode(name: string): void {
    const waitMs = this.#waitMs(codesOf(name), MOST_CODES_PER_NAME);
    if (waitMs > 0) throw tooMany(waitMs);
    this.#note(codesOf(name));
  }

  /** Takes back the count of a right code; wrong codes before it stay counted. */
  succeedCode(name: string): void {
    this.#attempts.get(codesOf(name))?.pop();
  }

  /** The remaining time of a refusal, in ms; 0 where attempts are accepted. */
  #waitMs(key: string, most: number): number {
    const recent = this.#recent(key);
    const [first] = recent;
    return recent.length < most || first === undefined ? 0 : first + WINDOW_MS - this.#clock.now().getTime();
  }

  /** The attempts within the window. */
  #recent(key: string): number[] {
    const from = this.#clock.now().getTime() - WINDOW_MS;
    const recent = (this.#attempts.get(key) ?? []).filter((at) => at > from);
    if (recent.length === 0) this.#attempts.delete(key);
    else this.#attempts.set(key, recent);
    return recent;
  }

  async #recordOnce(key: string, record: () => unknown): Promise<void> {
    const now = this.#clock.now().getTime();
    if ((this.#recorded.get(key) ?? 0) > now) return;
    // Deleted and set again, so that the oldest come first.
    this.#recorded.delete(key);
    this.#recorded.set(key, now + WINDOW_MS);
    for (const [oldest, until] of this.#recorded) {
      if (until > now && this.#recorded.size <= MOST_COUNTS) break;
      this.#recorded.delete(oldest);
    }
    try {
      await record();
    } catch (error) {
      this.#recorded.delete(key);
      throw error;
    }
  }

  #note(key: string): void {
    const known = this.#attempts.get(key) ?? [];
    // Deleted and set again, so that the map is ordered by the last attempt.
    this.#attempts.delete(key);
    this.#attempts.set(key, [...known, this.#clock.now().getTime()]);
    for (const oldest of this.#attempts.keys()) {
      if (this.#attempts.size <= MOST_COUNTS) break;
      this.#attempts.delete(oldest);
    }
  }
}

function tooMany(waitMs: number): ApiError {
  const message = `Too many attempts to log in: try again in ${Math.ceil(waitMs / 60_000)} minutes.`;
  return new ApiError('COMMON429', message, undefined, Math.ceil(waitMs / 1_000));
}

const codesOf = (name: string): string => `codes ${name.toLowerCase()}`;

function keysOf(
  name: string | null,
  address: string,
): { name: string | null; address: string; everywhere: string | null } {
  const from = placeOf(address);
  if (name === null) return { name: null, address: `address ${from}`, everywhere: null };
  const plain = name.toLowerCase();
  return { name: `name ${plain} from ${from}`, address: `address ${from}`, everywhere: `name ${plain}` };
}

/** An IPv6 client controls every address with the same first 64 bits, so these count as one. */
function placeOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address;
  const [head = '', tail = ''] = address.toLowerCase().split('%')[0]?.split('::') ?? [];
  const groups = (part: string): string[] => part.split(':').filter((group) => group !== '');
  const missing = Math.max(0, 8 - groups(head).length - groups(tail).length);
  return [...groups(head), ...Array.from({ length: missing }, () => '0'), ...groups(tail)].slice(0, 4).join(':');
}
