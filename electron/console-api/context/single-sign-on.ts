/** The sign-ins in progress at the provider (D21). `auth/sso.ts` answers from them. */
import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../../../shared/time/clock.ts';
import type { SignInOffer } from '../../../shared/wire/sign-in.ts';
import type { Begun, Proven, Provider } from './sso-provider.ts';
import type { SsoSettings } from './sso-settings.ts';

/** The longest time for a sign-in, in ms. */
export const MOST_MS = 10 * 60_000;
/** Most sign-ins in progress; the oldest are dropped first, so that no caller fills the memory. */
const MOST_BEGUN = 10_000;

export class SingleSignOn {
  readonly settings: SsoSettings;
  readonly #clock: Clock;
  #provider: Promise<Provider> | null = null;
  /** By the hash of the cookie's handle. */
  readonly #begun = new Map<string, Begun & { until: number }>();

  constructor(settings: SsoSettings, clock: Clock) {
    this.settings = settings;
    this.#clock = clock;
  }

  /** The part of the configuration that a page gets before a login. */
  get offer(): SignInOffer {
    const { label, passwords, programPort } = this.settings;
    return { label, passwords, programPort };
  }

  /** @throws ProviderDownError */
  async begin(redirectUri: string): Promise<{ handle: string; url: URL }> {
    const { url, ...begun } = await (await this.#ready()).begin(redirectUri);
    const handle = randomBytes(32).toString('base64url');
    this.#begun.set(keyOf(handle), { ...begun, until: this.#clock.now().getTime() + MOST_MS });
    for (const [key, { until }] of this.#begun) {
      if (until > this.#clock.now().getTime() && this.#begun.size <= MOST_BEGUN) break;
      this.#begun.delete(key);
    }
    return { handle, url };
  }

  /**
   * Finishes the sign-in of the browser that began it; a second attempt fails.
   *
   * @returns null if it was never begun, or too long ago
   * @throws ProviderDownError, ProviderRefusedError, ProofInvalidError
   */
  async finish(handle: string, query: string): Promise<Proven | null> {
    const key = keyOf(handle);
    const begun = this.#begun.get(key);
    if (begun === undefined || begun.until <= this.#clock.now().getTime()) return null;
    // A page to which an attacker has lured the user must not end the sign-in in progress.
    if (new URLSearchParams(query).get('state') !== begun.state) return null;
    this.#begun.delete(key);
    return (await this.#ready()).finish(begun, query);
  }

  /** Loads the library on first use: a console without single sign-on starts without it. */
  #ready(): Promise<Provider> {
    this.#provider ??= import('./sso-provider.ts').then(({ Provider }) => new Provider(this.settings, this.#clock));
    return this.#provider;
  }
}

const keyOf = (handle: string): string => createHash('sha256').update(handle).digest('hex');
