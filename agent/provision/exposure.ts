/**
 * What is exposed to every channel that is not switched off, kept in memory while channels follow, and how it differs
 * from a moment before (D229). Only the tickers that the record names are read again, by the query that answers requests.
 */
import { hash } from 'node:crypto';
import type { Clock } from '../../shared/time/clock.ts';
import {
  changedBetween,
  digestOf,
  movedSince,
  recordNow,
  tickersAfter,
  type RecordState,
} from '../ledger/serving/changed.ts';
import type { Ledger, LedgerReader } from '../ledger/storage/ledger.ts';
import { disclaimerReader, exposedText } from './texts.ts';

export interface Change {
  event: 'SHOWN' | 'CHANGED' | 'DARK';
  ticker: string;
  /** The explanation's; null in `DARK` where it is not known any more. */
  id: string | null;
  /** When the move behind it was applied, an ISO instant; null: passing time is behind it, or a setting. */
  movedAt: string | null;
}

/** `RESET`: what a channel has kept tells nothing any more. */
export type ChangeList = readonly Change[] | 'RESET';

/** More changes at once than these are a RESET: the texts are listed in pages, faster than one by one. */
const MOST_TOLD = 100;

/** A state of the record: its newest rows, the moment, and a digest of the rows. */
const PLACE = /^(\d{1,15})\.(\d{1,15})\.(\d{1,15})\.([\w-]{16})$/;

export class Exposure {
  readonly #ledger: Pick<Ledger, 'read' | 'dataVersion'>;
  readonly #clock: Clock;
  readonly #disclaimerNow = disclaimerReader();
  readonly #exposed = new Map<string, { id: string; digest: string }>();
  #state: RecordState | null = null;
  #version = Number.NaN;

  constructor(ledger: Pick<Ledger, 'read' | 'dataVersion'>, clock: Clock) {
    this.#ledger = ledger;
    this.#clock = clock;
  }

  /** What has changed since the last look, and whether another process has committed anything. */
  look(): { told: ChangeList; isCommitted: boolean; at: Date } {
    const at = this.#clock.now();
    // Before the read: a commit in between counts as one of the next look too.
    const version = this.#ledger.dataVersion();
    const isCommitted = version !== this.#version;
    const told = this.#ledger.read((reader) => {
      const before = this.#state;
      const state = before === null || isCommitted ? recordNow(reader, at) : { ...before, at };
      const changed = before === null ? 'UNKNOWN' : changedBetween(reader, before, state);
      const tickers =
        typeof changed === 'string' ? new Set([...this.#exposed.keys(), ...tickersAfter(reader)]) : changed;
      const changes = this.#lookAt(reader, tickers, { before, now: at });
      this.#state = state;
      return changed === 'UNKNOWN' || changes.length > MOST_TOLD ? 'RESET' : changes;
    });
    this.#version = version;
    return { told, isCommitted, at };
  }

  /** The place of the last look, from which a channel may go on. */
  place(): string {
    const state = this.#state;
    if (state === null) throw new Error('nothing was looked at');
    const { afterMove, afterFact, at } = state;
    return `${afterMove}.${afterFact}.${at.getTime()}.${this.#ledger.read((reader) => digestOf(reader, state))}`;
  }

  /** What a channel has to know that was at a place; tickers that are as they were may be among it. */
  since(place: string): ChangeList {
    const [, afterMove, afterFact, at, digest] = PLACE.exec(place) ?? [];
    const now = this.#state;
    if (digest === undefined || now === null) return 'RESET';
    const from = { afterMove: Number(afterMove), afterFact: Number(afterFact), at: new Date(Number(at)) };
    const changed = this.#ledger.read((reader) =>
      digestOf(reader, from) === digest ? changedBetween(reader, from, now) : 'UNKNOWN',
    );
    if (typeof changed === 'string' || changed.size > MOST_TOLD) return 'RESET';
    return [...changed].map((ticker) => {
      const id = this.#exposed.get(ticker)?.id ?? null;
      return { event: id === null ? 'DARK' : 'SHOWN', ticker, id, movedAt: null };
    });
  }

  #lookAt(
    reader: LedgerReader,
    tickers: ReadonlySet<string>,
    { before: last, now }: { before: RecordState | null; now: Date },
  ): Change[] {
    const changes: Change[] = [];
    const add = (event: Change['event'], ticker: string, id: string | null): void => {
      changes.push({ event, ticker, id, movedAt: last === null ? null : movedSince(reader, last, ticker) });
    };
    const asked = { channel: '', disclaimer: tickers.size === 0 ? null : this.#disclaimerNow(reader), now };
    for (const ticker of tickers) {
      const found = exposedText(reader, ticker, asked);
      const before = this.#exposed.get(ticker);
      if (found === undefined) {
        if (this.#exposed.delete(ticker)) add('DARK', ticker, before?.id ?? null);
        continue;
      }
      const { id } = found.state;
      const digest = hash('sha256', JSON.stringify(found.answer), 'base64url');
      if (before?.id === id && before.digest === digest) continue;
      this.#exposed.set(ticker, { id, digest });
      add(before === undefined ? 'SHOWN' : 'CHANGED', ticker, id);
    }
    return changes;
  }
}
