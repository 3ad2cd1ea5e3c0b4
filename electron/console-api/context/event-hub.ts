/**
 * The open event streams (D17 `GET /api/v1/events`). One timer serves all of them, and runs only while there are any.
 * It reads the ledger on a connection of its own, so that it also sees the console API's own commits.
 */
import { PassThrough, type Readable } from 'node:stream';
import type { Ledger } from '../../../agent/ledger/storage/ledger.ts';
import { hasChangedByTime } from '../../../agent/ledger/serving/hold.ts';
import { hasChangedSince, watchLedger, type News, type Watcher } from '../../../agent/ledger/storage/watch.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import type { ChangeNotice } from '../../../shared/wire/console/console.ts';
import { ApiError } from '../../../shared/wire/envelope.ts';

export interface EventTiming {
  /** Interval for checking the ledger, in ms. */
  pollMs: number;
  /** Interval for checking a stream's session without changes, in ms: it may simply expire. */
  sessionMs: number;
  /** Interval of keep-alive events, in ms. */
  keepAliveMs: number;
}

export const EVENT_TIMING: EventTiming = { pollMs: 250, sessionMs: 1_000, keepAliveMs: 15_000 };

/** A keep-alive without a change: an event, because pages cannot observe comments. */
const ALIVE = 'event: alive\ndata: {}\n\n';
/** A browser's delay before it reconnects, in ms. */
const RETRY_MS = 2_000;
/** A reader with this much unread data, in bytes, is cut off; it reconnects and reads again. */
const MOST_BUFFERED = 64 * 1024;

/**
 * Most streams of one session: one serves all windows of a browser, and another takes over before the first has ended.
 */
const MOST_STREAMS = 8;
/**
 * Most streams of one user, who can open sessions at will: a few hundred streams would leave other users no connection.
 */
const MOST_OF_PERSON = 32;

interface Stream {
  token: string;
  person: string;
  out: PassThrough;
  /** `ChangeNotice.seq` of the last notice. */
  seq: number;
}

export class EventHub {
  readonly #ledger: Ledger;
  readonly #clock: Clock;
  readonly #mayWatch: (token: string) => boolean;
  readonly #onFailure: (error: unknown) => void;
  readonly #timing: EventTiming;
  readonly #streams = new Set<Stream>();
  #timer: NodeJS.Timeout | undefined;
  #watcher: Watcher | undefined;
  #ticks = 0;
  #closed = false;

  /** `ledger` is a connection for the hub only. `mayWatch` says whether a session still lives and may see events. */
  constructor(parts: {
    ledger: Ledger;
    clock: Clock;
    mayWatch: (token: string) => boolean;
    /** Called when the ledger could not be read; by then every stream has been ended. */
    onFailure: (error: unknown) => void;
    timing?: EventTiming;
  }) {
    this.#ledger = parts.ledger;
    this.#clock = parts.clock;
    this.#mayWatch = parts.mayWatch;
    this.#onFailure = parts.onFailure;
    this.#timing = parts.timing ?? EVENT_TIMING;
  }

  /** The number of open streams. */
  get size(): number {
    return this.#streams.size;
  }

  /**
   * Opens a stream for a session. It ends when the session ends, the reader leaves, or the hub is closed.
   *
   * @param since what the reader has seen (`markOf`): whatever is new since then is told at once
   * @throws ApiError COMMON429, COMMON503
   */
  open(token: string, person: string, since?: string): Readable {
    if (this.#closed) throw new ApiError('COMMON503');
    const own = [...this.#streams].filter((stream) => stream.person === person);
    const ofSession = own.filter((stream) => stream.token === token).length;
    if (ofSession >= MOST_STREAMS)
      throw new ApiError('COMMON429', `This session has ${ofSession} event streams already: close one of them.`);
    if (own.length >= MOST_OF_PERSON)
      throw new ApiError('COMMON429', `Your sessions have ${own.length} event streams already: close one of them.`);
    // Created before the first byte is sent: every later commit is reported.
    this.#watcher ??= watchLedger(this.#ledger, this.#clock, hasChangedByTime);
    const isBehind = since !== undefined && hasChangedSince(this.#ledger, since, this.#clock, hasChangedByTime);
    const stream: Stream = { token, person, out: new PassThrough(), seq: 0 };
    this.#streams.add(stream);
    stream.out.once('close', () => this.#forget(stream));
    stream.out.write(`retry: ${RETRY_MS}\n: open\n\n`);
    if (isBehind) this.#tell(stream, 'ANYTHING');
    this.#timer ??= setInterval(() => this.#tick(), this.#timing.pollMs);
    return stream.out;
  }

  /** Ends every stream and opens no more. The caller closes the connection. */
  close(): void {
    this.#closed = true;
    for (const stream of this.#streams) stream.out.end();
    this.#rest();
  }

  #tick(): void {
    this.#ticks += 1;
    try {
      const news = this.#watcher?.news() ?? null;
      const sessions = news !== null || this.#isEvery(this.#timing.sessionMs);
      const keepAlive = this.#isEvery(this.#timing.keepAliveMs);
      for (const stream of this.#streams) {
        if (sessions && !this.#mayWatch(stream.token)) this.#end(stream);
        else if (news !== null) this.#tell(stream, news);
        else if (keepAlive) this.#write(stream, ALIVE);
      }
    } catch (error) {
      // Without the ledger neither changes nor sessions are known: readers reconnect and learn the reason.
      for (const stream of this.#streams) this.#end(stream);
      this.#onFailure(error);
    }
  }

  #isEvery(ms: number): boolean {
    return this.#ticks % Math.max(1, Math.round(ms / this.#timing.pollMs)) === 0;
  }

  /** A member's own claims are on few of their screens, and a reviewer claims at each item. */
  #tell(stream: Stream, news: News): void {
    stream.seq += 1;
    const notice: ChangeNotice = { seq: stream.seq };
    const isOwnClaim = news !== 'ANYTHING' && [...news.claimsOf].every((member) => member === stream.person);
    this.#write(stream, `event: ${isOwnClaim ? 'claim' : 'change'}\ndata: ${JSON.stringify(notice)}\n\n`);
  }

  #write(stream: Stream, text: string): void {
    if (stream.out.readableLength + stream.out.writableLength > MOST_BUFFERED) stream.out.destroy();
    else stream.out.write(text);
  }

  #end(stream: Stream): void {
    stream.out.end();
    this.#forget(stream);
  }

  #forget(stream: Stream): void {
    this.#streams.delete(stream);
    if (this.#streams.size === 0) this.#rest();
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#watcher = undefined;
  }
}
