/**
 * Keeps the claim of an open item alive (document 1 review queue, D17). It hinders nobody, so a claim that
 * could not be made is no error. Renewing goes by signs of a person: a console that is left alone must
 * neither hold the item nor keep its session alive.
 */
export interface ClaimCalls {
  claim: () => Promise<unknown>;
  release: () => Promise<unknown>;
}

/** A claim runs out after ten minutes by itself; it is looked at so often, in ms. */
export const LOOK_MS = 3 * 60_000;

export class ClaimKeeper {
  readonly #calls: ClaimCalls;
  #wasThere = false;
  /** A whole look went by without a sign of anybody. */
  #isLeft = false;

  /** Claims at once. */
  constructor(calls: ClaimCalls) {
    this.#calls = calls;
    this.#claim();
  }

  /** Somebody did something. Whoever comes back to an item that was left claims it anew without waiting. */
  sign(): void {
    if (this.#isLeft) this.#claim();
    else this.#wasThere = true;
  }

  /** To be called every `LOOK_MS`. */
  look(): void {
    if (this.#wasThere) this.#claim();
    else this.#isLeft = true;
  }

  end(): void {
    this.#calls.release().catch(() => undefined);
  }

  #claim(): void {
    this.#wasThere = false;
    this.#isLeft = false;
    this.#calls.claim().catch(() => undefined);
  }
}
