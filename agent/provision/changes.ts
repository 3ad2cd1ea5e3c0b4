/**
 * The streams of `GET /v1/changes` (D229): one timer looks at the ledger for all of them, and runs only while there are
 * any. A commit of this process, as that of its counts, is no news: SQLite counts those of other connections alone.
 */
import { PassThrough, type Readable } from 'node:stream';
import { lagSeconds } from '../../shared/service/lag.ts';
import type { Clock } from '../../shared/time/clock.ts';
import { ApiError } from '../../shared/wire/envelope.ts';
import { hashKey, isServed } from '../ledger/serving/channels.ts';
import type { Ledger } from '../ledger/storage/ledger.ts';
import { Exposure, type Change, type ChangeList } from './exposure.ts';

export interface ChangesTiming {
  /** Between two looks at the ledger, in ms. */
  pollMs: number;
  heartbeatMs: number;
}

const TIMING: ChangesTiming = { pollMs: 25, heartbeatMs: 15_000 };

/** A reader with this much unread data, in bytes, is cut off; it reconnects and goes on. */
const MOST_BUFFERED = 64 * 1024;
/** Of one key. */
const MOST_STREAMS = 4;

interface Stream {
  keyHash: string;
  out: PassThrough;
}

export class ChangeStreams {
  readonly #ledger: Pick<Ledger, 'all' | 'first' | 'read' | 'dataVersion'>;
  readonly #exposure: Exposure;
  readonly #timing: ChangesTiming;
  readonly #onFailure: (error: unknown) => void;
  readonly #onMove: (event: Change['event'], seconds: number) => void;
  readonly #streams = new Set<Stream>();
  #timer: NodeJS.Timeout | undefined;
  #beatAt = 0;
  #isClosed = false;

  /**
   * `onFailure`: the ledger could not be read, and every stream has been ended. `onMove`: the streams were told of a move, so
   * many seconds after it (D235).
   */
  constructor(parts: {
    ledger: Pick<Ledger, 'all' | 'first' | 'read' | 'dataVersion'>;
    clock: Clock;
    onFailure: (error: unknown) => void;
    onMove?: ((event: Change['event'], seconds: number) => void) | undefined;
    timing?: ChangesTiming | undefined;
  }) {
    this.#ledger = parts.ledger;
    this.#exposure = new Exposure(parts.ledger, parts.clock);
    this.#onFailure = parts.onFailure;
    this.#onMove = parts.onMove ?? (() => undefined);
    this.#timing = parts.timing ?? TIMING;
  }

  /** @throws ApiError COMMON404 for a channel that is switched off, COMMON429, COMMON503 */
  refuse(key: string): void {
    if (this.#isClosed) throw new ApiError('COMMON503');
    const keyHash = hashKey(key);
    if (!isServed(this.#ledger, keyHash)) throw new ApiError('COMMON404', 'This channel is switched off.');
    if ([...this.#streams].filter((stream) => stream.keyHash === keyHash).length >= MOST_STREAMS)
      throw new ApiError('COMMON429', `This key has ${MOST_STREAMS} streams of changes already: end one of them.`);
  }

  /**
   * Opens a stream, which goes on from `place`, or begins with RESET.
   *
   * @throws ApiError as `refuse`
   */
  open(key: string, place: string): Readable {
    this.refuse(key);
    // The channels that follow already get the news first: from here on all are at the same place.
    const at = this.#look();
    const stream = { keyHash: hashKey(key), out: new PassThrough() };
    this.#streams.add(stream);
    stream.out.once('close', () => this.#forget(stream));
    stream.out.write(this.#eventsOf(this.#exposure.since(place), at));
    this.#timer ??= setInterval(() => this.#tick(), this.#timing.pollMs);
    return stream.out;
  }

  /** Ends every stream and opens no more. */
  close(): void {
    this.#isClosed = true;
    this.#endAll();
  }

  #tick(): void {
    try {
      this.#look();
    } catch (error) {
      this.#onFailure(error);
    }
  }

  /** Tells every channel what is new. Returns the moment of the look. */
  #look(): Date {
    try {
      const { told, isCommitted, at } = this.#exposure.look();
      if (isCommitted) this.#endRefused(at);
      const now = performance.now();
      const isBeat = now - this.#beatAt >= this.#timing.heartbeatMs;
      if (this.#streams.size > 0 && (isBeat || told === 'RESET' || told.length > 0)) {
        this.#beatAt = now;
        this.#tell(this.#eventsOf(told, at));
        if (told !== 'RESET') this.#measure(told, at);
      }
      return at;
    } catch (error) {
      // The exposed texts are not known: the channels connect again, and get the reason.
      this.#endAll();
      throw error;
    }
  }

  /** A hold that ends, an expiry or a switch has no move, and is told at its own time. */
  #measure(told: readonly Change[], at: Date): void {
    for (const { event, movedAt } of told) if (movedAt !== null) this.#onMove(event, lagSeconds(movedAt, at));
  }

  #tell(events: string): void {
    for (const stream of this.#streams) {
      const { out } = stream;
      if (out.readableLength + out.writableLength <= MOST_BUFFERED) out.write(events);
      else {
        out.destroy();
        this.#forget(stream);
      }
    }
  }

  #endAll(): void {
    for (const stream of this.#streams) this.#end(stream);
  }

  #end(stream: Stream, last = ''): void {
    stream.out.end(last);
    this.#forget(stream);
  }

  /** Whose key is no longer valid, or whose channel is off, shows nothing more. */
  #endRefused(at: Date): void {
    for (const stream of this.#streams) {
      if (!isServed(this.#ledger, stream.keyHash))
        this.#end(stream, textOf({ event: 'DARK', ticker: null, id: null }, at));
    }
  }

  /** The last one names the place, so that what breaks off before it is told again. Without a change it is the heartbeat. */
  #eventsOf(told: ChangeList, at: Date): string {
    const events = told === 'RESET' ? [{ event: told, ticker: null, id: null } as const] : told;
    const texts = events.map((event) => textOf(event, at));
    const last = texts.pop() ?? ': alive\n\n';
    return `${texts.join('')}id: ${this.#exposure.place()}\n${last}`;
  }

  #forget(stream: Stream): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

type Event = Change | { event: 'RESET' | 'DARK'; ticker: null; id: null };

const textOf = ({ event, ticker, id }: Event, at: Date): string =>
  `event: ${event}\ndata: ${JSON.stringify({ ticker, id, at: at.toISOString() })}\n\n`;
