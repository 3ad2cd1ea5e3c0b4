/**
 * Live updates: the event stream says that data has changed, never which (D17). So after a reconnect one read of the
 * whole view makes up for all lost events. A silent stream counts as cut too: a network that drops everything would
 * otherwise look like a quiet day.
 */
export type LiveState =
  | { state: 'connecting' }
  | { state: 'live' }
  /** `lastSign`: time of the stream's last message; null if it never opened. */
  | { state: 'interrupted'; since: Date; lastSign: Date | null };

/** The events of a stream. */
export interface StreamListener {
  /** `isCompared`: the server tells at once what is new since the mark that the stream was opened with. */
  opened: (isCompared?: boolean) => void;
  failed: () => void;
  changed: () => void;
  /** Only claims of this user are new. */
  claimed: () => void;
  /** A keep-alive without a change. */
  alive: () => void;
}

/** What has to be read again. */
export type Changed = 'ALL' | 'OWN_CLAIMS';

export interface LiveDependencies {
  /** Opens a stream; returns the function that closes it. */
  open: (listener: StreamListener, since: string | null) => () => void;
  /** The server's mark from before the first read; null where data was read earlier. */
  since: string | null;
  now: () => Date;
  /** Schedules a call; returns the function that cancels it. */
  later: (run: () => void, ms: number) => () => void;
  onChange: (changed: Changed) => void;
  /** The stream was cut; the session may have ended. */
  onCut: () => void;
}

/** Changes in a burst are read together. */
const GATHER_MS = 250;
/** During continuous changes, as in a drain, the view is read every two seconds: each read loads the whole view. */
const REFRESH_APART_MS = 2_000;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 15_000;
/** A stream that is silent for so long counts as dead: the server sends a sign every 15 s. */
const SILENCE_MS = 45_000;

/**
 * Keeps one stream open until it is closed. The browser's own reconnection gives up after an HTTP error; this does not.
 */
export class LiveUpdates {
  #dependencies: LiveDependencies;
  #listeners = new Set<() => void>();
  #state: LiveState = { state: 'connecting' };
  #close: (() => void) | null = null;
  #retryMs = FIRST_RETRY_MS;
  #cancelRetry: (() => void) | null = null;
  #cancelSilence: (() => void) | null = null;
  #lastSign: Date | null = null;
  #cancelGather: (() => void) | null = null;
  #gathered: Changed = 'OWN_CLAIMS';
  #since: string | null;
  #lastRefresh = Number.NEGATIVE_INFINITY;

  constructor(dependencies: LiveDependencies) {
    this.#dependencies = dependencies;
    this.#since = dependencies.since;
  }

  /** Opens the stream; returns the function that closes it. */
  start(): () => void {
    this.#connect();
    return () => this.#stop();
  }

  get state(): LiveState {
    return this.#state;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The network has changed: an open stream may be dead without an error. */
  networkChanged(): void {
    this.#cancelRetry?.();
    this.#close?.();
    this.#retryMs = FIRST_RETRY_MS;
    this.#connect();
  }

  #connect(): void {
    this.#listenForSilence();
    const listener: StreamListener = {
      opened: (isCompared = false) => {
        this.#retryMs = FIRST_RETRY_MS;
        this.#heard();
        this.#become({ state: 'live' });
        // Otherwise no event reports changes between the last read and this connection.
        if (!isCompared) this.#gather('ALL');
      },
      failed: () => this.#cut(),
      changed: () => {
        this.#heard();
        this.#gather('ALL');
      },
      claimed: () => {
        this.#heard();
        this.#gather('OWN_CLAIMS');
      },
      alive: () => this.#heard(),
    };
    const since = this.#since;
    // A cut may last for long: after it everything is read.
    this.#since = null;
    this.#close = this.#dependencies.open(listener, since);
  }

  #cut(): void {
    this.#cancelSilence?.();
    this.#close?.();
    if (this.#state.state !== 'interrupted') {
      this.#become({ state: 'interrupted', since: this.#dependencies.now(), lastSign: this.#lastSign });
      this.#dependencies.onCut();
    }
    this.#cancelRetry = this.#dependencies.later(() => this.#connect(), this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
  }

  #heard(): void {
    this.#lastSign = this.#dependencies.now();
    this.#listenForSilence();
  }

  #listenForSilence(): void {
    this.#cancelSilence?.();
    this.#cancelSilence = this.#dependencies.later(() => this.#cut(), SILENCE_MS);
  }

  #gather(changed: Changed): void {
    if (changed === 'ALL') this.#gathered = 'ALL';
    if (this.#cancelGather !== null) return;
    const { now, later, onChange } = this.#dependencies;
    const untilNext = this.#lastRefresh + REFRESH_APART_MS - now().getTime();
    // A clock that was set back must not delay the next read.
    const wait = Math.min(Math.max(GATHER_MS, untilNext), REFRESH_APART_MS);
    this.#cancelGather = later(() => {
      const gathered = this.#gathered;
      this.#cancelGather = null;
      this.#gathered = 'OWN_CLAIMS';
      if (gathered === 'ALL') this.#lastRefresh = now().getTime();
      onChange(gathered);
    }, wait);
  }

  #become(state: LiveState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }

  #stop(): void {
    this.#cancelRetry?.();
    this.#cancelSilence?.();
    this.#cancelGather?.();
    this.#cancelGather = null;
    this.#close?.();
    this.#close = null;
    this.#state = { state: 'connecting' };
  }
}
