/**
 * Keeps the claim of an open item alive (console API 4, D17). A claim blocks no other reviewer, so a failed claim is no
 * error. Renewal needs a sign of the user: an unattended console must neither hold the item nor keep its session alive.
 */
export interface ClaimCalls {
  claim: () => Promise<unknown>;
  /** Reaches the API even where the page closes meanwhile. */
  release: () => Promise<unknown>;
}

/** An item that is only walked past is not claimed: it appears neither to colleagues nor in the audit log. In ms. */
export const DWELL_MS = 1_000;

/** Interval of checks in ms; a claim expires by itself after ten minutes. */
export const CHECK_MS = 3 * 60_000;

export class ClaimKeeper {
  readonly #calls: ClaimCalls;
  /** The last request: a claim must not arrive after its own release. */
  #asked: Promise<unknown> | null = null;
  #wasThere = false;
  /** A whole interval passed without a sign of the user, or the page was hidden. */
  #isLeft = false;

  constructor(calls: ClaimCalls) {
    this.#calls = calls;
  }

  /** Call once the item has been open for `DWELL_MS`. */
  begin(): void {
    this.#claim();
  }

  /** The user acted. A user who returns to a released item claims it again at once. */
  sign(): void {
    if (this.#isLeft) this.#claim();
    else this.#wasThere = true;
  }

  /** Call every `CHECK_MS`. */
  check(): void {
    if (this.#wasThere) this.#claim();
    else this.#isLeft = true;
  }

  /** The page is being left; the browser may restore it unchanged. */
  leave(): void {
    if (this.#asked === null) return;
    this.#isLeft = true;
    this.#calls.release().catch(() => undefined);
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
