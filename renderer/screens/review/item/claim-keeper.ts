/**
 * Keeps the claim of an open item alive (console API 4, D17). It hinders nobody, so a claim that
 * could not be made is no error. Renewing goes by signs of a person: a console that is left alone must
 * neither hold the item nor keep its session alive.
 */
export interface ClaimCalls {
  claim: () => Promise<unknown>;
  release: () => Promise<unknown>;
  /** Lets go although the page that asks is about to be gone. */
  leave: () => Promise<unknown>;
}

/** An item that is only walked past is not claimed: no colleague hears of it, and no row of the audit log. In ms. */
export const DWELL_MS = 1_000;

/** A claim runs out after ten minutes by itself; it is looked at so often, in ms. */
export const CHECK_MS = 3 * 60_000;

export class ClaimKeeper {
  readonly #calls: ClaimCalls;
  /** The last request: a claim must not arrive after its own release. */
  #asked: Promise<unknown> | null = null;
  #wasThere = false;
  /** A whole period went by without a sign of anybody, or the page was gone. */
  #isLeft = false;

  constructor(calls: ClaimCalls) {
    this.#calls = calls;
  }

  /** To be called once the item has been open for `DWELL_MS`. */
  begin(): void {
    this.#claim();
  }

  /** Somebody did something. A person who comes back to an item that was left claims it anew without waiting. */
  sign(): void {
    if (this.#isLeft) this.#claim();
    else this.#wasThere = true;
  }

  /** To be called every `CHECK_MS`. */
  check(): void {
    if (this.#wasThere) this.#claim();
    else this.#isLeft = true;
  }

  /** The page goes; it may come back as it was. */
  leave(): void {
    if (this.#asked === null) return;
    this.#isLeft = true;
    this.#calls.leave().catch(() => undefined);
  }

  end(): void {
    void this.#asked?.then(() => this.#calls.release()).catch(() => undefined);
  }

  #claim(): void {
    this.#wasThere = false;
    this.#isLeft = false;
    this.#asked = this.#calls.claim().catch(() => undefined);
  }
}
