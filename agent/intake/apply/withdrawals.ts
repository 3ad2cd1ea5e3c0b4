/**
 * Withdrawals: each at its place in cursor order, and those of a backlog ahead of it (D169). After a full disk or a long
 * partition thousands of entries may wait, and a text that the vendor has withdrawn is off before them. The moves
 * that waiting changes of its own text cause come along, so that the end is that of cursor order; its entry changes
 * nothing more when its place comes.
 */
import { crc32 } from 'node:zlib';
import type { Logger } from 'pino';
import type { Clock } from '../../../shared/time/clock.ts';
import type { InvalidationEntry } from '../../../shared/wire/bundle.ts';
import { explanationId, statusOf } from '../../ledger/explanations/explanations.ts';
import { holdWithdrawal } from '../../ledger/inbox/entries.ts';
import { isIntact } from '../../ledger/inbox/raw-archive.ts';
import { rawBundleAfter, readCursors, type RawBundle } from '../../ledger/inbox/raw-bundles.ts';
import { isLedgerFault } from '../../ledger/storage/errors.ts';
import type { LedgerReader, LedgerTransaction } from '../../ledger/storage/ledger.ts';
import { applyMove } from '../../ledger/transitions.ts';
import type { Store } from '../receive/reception.ts';
import type { IsProved } from '../receive/proved.ts';
import { entriesOf, RawBundleDamagedError, readCommitted, type CommittedEntry } from './committed-entries.ts';
import { targetOf } from './entry.ts';
import type { InHand } from './in-hand.ts';
import type { Known } from './known.ts';

type Waiting = InvalidationEntry & { cameAt: string };

/** The effect of a withdrawal at its place. */
export function applyWithdrawal(
  tx: LedgerTransaction,
  entry: Waiting,
  at: string,
  known: Known | undefined,
): { outcome: 'HELD' | 'INVALIDATED' | 'NO_CHANGE' } {
  const target = targetOf(entry);
  const id = explanationId(target);
  switch (statusOf(tx, id)) {
    case undefined:
      known?.withdrawalHeld();
      holdWithdrawal(tx, { targetId: target, cursor: entry.cursor, reason: entry.reason, at });
      return { outcome: 'HELD' };
    case 'INVALIDATED':
      return { outcome: 'NO_CHANGE' };
    default:
      withdraw(tx, id, entry, at);
      return { outcome: 'INVALIDATED' };
  }
}

/** A withdrawing entry. */
export type Withdrawal = Pick<InvalidationEntry, 'cursor' | 'reason'> & {
  /** When its bundle came. */
  cameAt?: string;
};

export function withdraw(tx: LedgerTransaction, id: string, { cameAt, ...entry }: Withdrawal, at: string): void {
  applyMove(tx, {
    id,
    move: 'invalidate',
    actor: { kind: 'SYSTEM' },
    at,
    cameAt: cameAt ?? at,
    cursor: entry.cursor,
    reason: entry.reason,
  });
}

/** Most withdrawals of one transaction: a person's decision waits for its end. */
const BATCH = 100;
const MARK = '"INVALIDATION"';

interface Parts {
  ledger: Store;
  clock: Clock;
  log: Logger;
  hand?: InHand;
  isProved?: IsProved;
}

/** Makes the moves that waiting changes of a text cause, and then withdraws it. */
export type Along = (
  tx: LedgerTransaction,
  id: string,
  going: { changes: readonly CommittedEntry[]; at: string; withdraw(): void },
) => void;

/** Takes less room: the exposure of the text ends, and its changes come at their places. */
const ALONE: Along = (_tx, _id, { withdraw: withdrawIt }) => withdrawIt();

/** The withdrawals of the bundles that wait to be applied; one for each process that applies. */
export class WaitingWithdrawals {
  /** The bundles up to this cursor have been read. */
  #read = 0;
  /** By the vendor's id: the first withdrawal that waits. */
  readonly #waiting = new Map<string, Waiting>();
  /** Read, and not tried yet. A target that comes later is withdrawn in the transaction of its batch. */
  #untried: Waiting[] = [];
  /** Damaged when they were read, each by the cursor after which it comes. */
  #damaged: number[] = [];
  /** By the cursor after which a bundle comes: where it ends, and which texts it holds. */
  readonly #texts = new Map<number, { upTo: number; ids: Uint32Array }>();

  /** How many are held in memory. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Withdraws what is known of the whole backlog, in transactions of its own. */
  goAhead({ ledger, clock, log, hand, isProved }: Parts, along: Along): void {
    this.#readOn(ledger, { hand, isProved });
    const found = this.#untried.filter((entry) => isShowable(ledger, targetOf(entry)));
    for (let start = 0; start < found.length; start += BATCH) {
      const some = found.slice(start, start + BATCH);
      ledger.write((tx) => {
        const after = readCursors(tx).applied;
        this.#withdraw(tx, some, { after, at: clock.now().toISOString(), hand, isProved, along });
      });
    }
    this.#untried = [];
    if (found.length > 0) log.info({ withdrawals: found.length }, 'withdrawals of the backlog went ahead');
  }

  /** The same after a batch found no room; without room for this either, the batch's own error is told. */
  tryAhead(parts: Parts, along: Along): void {
    for (const each of [along, ALONE])
      try {
        return this.goAhead(parts, each);
      } catch (error) {
        if (!isLedgerFault(error)) throw error;
      }
  }

  /** In the transaction of a batch: what it brings and a later entry withdraws is never exposed. */
  goWith(tx: LedgerTransaction, pending: readonly CommittedEntry[], going: Omit<Going, 'after'>): void {
    if (this.#waiting.size === 0) return;
    const found = pending.flatMap(({ entry }) => this.#waiting.get(resultIdOf(entry)) ?? []);
    this.#withdraw(tx, found, { ...going, after: pending.at(-1)?.entry.cursor ?? 0 });
  }

  #withdraw(tx: LedgerTransaction, entries: readonly Waiting[], going: Going): void {
    const due = new Map(
      entries.filter((each) => isShowable(tx, targetOf(each))).map((each) => [targetOf(each), each] as const),
    );
    const changes = Map.groupBy(this.#changesOf(tx, due, going), ({ entry }) => resultIdOf(entry));
    const { at } = going;
    for (const [target, entry] of due) {
      const id = explanationId(target);
      going.along(tx, id, { changes: changes.get(target) ?? [], at, withdraw: () => withdraw(tx, id, entry, at) });
    }
  }

  /** The entries of these texts that wait before their withdrawals, in cursor order. */
  *#changesOf(
    tx: LedgerReader,
    due: ReadonlyMap<string, Waiting>,
    { after, hand, isProved }: Going,
  ): Generator<CommittedEntry> {
    const ids = [...due].map(([target, { cursor }]) => ({ id: sumOf(target), cursor }));
    for (const [from, bundle] of this.#texts) {
      const isOf = ids.some(({ id, cursor }) => cursor > from && bundle.ids.includes(id));
      if (bundle.upTo <= after || !isOf || hand?.isAccused('WITHDRAW', from) === true) continue;
      hand?.take('WITHDRAW', from);
      const raw = rawBundleAfter(tx, from);
      for (const each of raw === undefined ? [] : readable(raw, isSound(raw, isProved))) {
        const { cursor } = each.entry;
        if (cursor > after && cursor < (due.get(resultIdOf(each.entry))?.cursor ?? 0)) yield each;
      }
    }
    hand?.release();
  }

  #readOn(reader: LedgerReader, { hand, isProved }: Reading): void {
    const { applied } = readCursors(reader);
    if (this.#damaged.some((from) => isMended(reader, from, isProved))) this.#forget();
    for (const [target, { cursor }] of this.#waiting) if (cursor <= applied) this.#waiting.delete(target);
    for (const [from, { upTo }] of this.#texts) if (upTo <= applied) this.#texts.delete(from);
    this.#read = Math.max(this.#read, applied);
    for (const { raw, found, isDamaged } of withdrawalsAfter(reader, this.#read, { hand, isProved })) {
      this.#read = raw.cursorTo;
      if (isDamaged) this.#damaged.push(raw.cursorFrom);
      this.#texts.set(raw.cursorFrom, { upTo: raw.cursorTo, ids: textsOf(bytesOf(raw)) });
      for (const entry of found) {
        if (this.#waiting.has(targetOf(entry))) continue;
        this.#waiting.set(targetOf(entry), entry);
        this.#untried.push(entry);
      }
    }
    hand?.release();
  }

  /** A repair may cut a bundle otherwise, and of several withdrawals of a text the first one counts. */
  #forget(): void {
    this.#read = 0;
    this.#damaged = [];
    this.#texts.clear();
    this.#waiting.clear();
  }
}

function isMended(reader: LedgerReader, from: number, isProved: IsProved | undefined): boolean {
  const raw = rawBundleAfter(reader, from);
  return raw !== undefined && isSound(raw, isProved);
}

/** Whether applying will take it. */
const isSound = (raw: RawBundle, isProved: IsProved = () => true): boolean => isProved(raw) && isIntact(raw);

/** How bundles that wait are read. */
interface Reading {
  hand?: InHand | undefined;
  isProved?: IsProved | undefined;
}

interface Going extends Reading {
  /** What comes up to this cursor is applied. */
  after: number;
  at: string;
  along: Along;
}

const resultIdOf = (entry: CommittedEntry['entry']): string =>
  String((entry['explanation_result'] as { explanation_result_id?: unknown } | undefined)?.explanation_result_id);

const bytesOf = ({ body }: RawBundle): Buffer => Buffer.from(body.buffer, body.byteOffset, body.byteLength);

const ID = '"explanation_result_id"';
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Sums of the ids of all NEW entries, as they are written: parsing would cost more than the whole look. */
function textsOf(body: Buffer): Uint32Array {
  const ids = new Set<number>();
  for (let at = body.indexOf(ID); at !== -1; at = body.indexOf(ID, at)) {
    const begin = body.indexOf(QUOTE, at + ID.length) + 1;
    at = endOfText(body, begin);
    if (begin === 0 || at === -1) break;
    ids.add(sumAsWritten(body.subarray(begin, at)));
  }
  return Uint32Array.from(ids);
}

/** The quote that ends a text: an id may hold quotes, each behind a backslash. */
function endOfText(body: Buffer, begin: number): number {
  let at = body.indexOf(QUOTE, begin);
  while (at !== -1) {
    let first = at;
    while (first > begin && body[first - 1] === BACKSLASH) first -= 1;
    if ((at - first) % 2 === 0) return at;
    at = body.indexOf(QUOTE, at + 1);
  }
  return -1;
}

/** A character may be escaped in more than one way. */
function sumAsWritten(text: Buffer): number {
  if (!text.includes(BACKSLASH)) return crc32(text);
  try {
    return sumOf(JSON.parse(`"${text.toString()}"`) as string);
  } catch {
    return crc32(text);
  }
}

const sumOf = (id: string): number => crc32(JSON.stringify(id).slice(1, -1));

/** Its entries; none where it is damaged, which applying it tells. */
function readable(raw: RawBundle, isWhole: boolean): CommittedEntry[] {
  try {
    return isWhole ? entriesOf(raw, true) : [];
  } catch (error) {
    if (error instanceof RawBundleDamagedError) return [];
    throw error;
  }
}

/** Whether a withdrawal of this text would take anything off. */
export function isShowable(reader: LedgerReader, target: string): boolean {
  const status = statusOf(reader, explanationId(target));
  return status !== undefined && status !== 'INVALIDATED';
}

/**
 * The committed bundles after a cursor, each with its withdrawals. A damaged or unproved one, which applying reports, is
 * passed over: none of the others depends on it. So is one at which two processes have ended: its withdrawals wait for
 * their place.
 */
export function* withdrawalsAfter(
  reader: LedgerReader,
  after: number,
  { hand, isProved }: Reading = {},
): Generator<{ raw: RawBundle; found: Waiting[]; isDamaged: boolean }> {
  let raw = rawBundleAfter(reader, after);
  for (; raw !== undefined; raw = rawBundleAfter(reader, raw.cursorTo)) {
    const found: Waiting[] = [];
    const isDamaged = !isSound(raw, isProved);
    // Parsing a bundle costs more than a look for the word, and few bundles hold one.
    const isMarked = !isDamaged && bytesOf(raw).includes(MARK);
    if (isMarked && hand?.isAccused('WITHDRAW', raw.cursorFrom) !== true) {
      hand?.take('WITHDRAW', raw.cursorFrom);
      for (const each of readable(raw, true)) {
        const read = each.entry['delivery_type'] === 'INVALIDATION' ? readCommitted(each) : null;
        if (read?.kind === 'INVALIDATION' && each.entry.cursor > after)
          found.push({ ...read.entry, cameAt: raw.receivedAt });
      }
    }
    yield { raw, found, isDamaged };
  }
}
