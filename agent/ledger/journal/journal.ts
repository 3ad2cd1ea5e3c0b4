/** The decision journal of a running console API: each change of a person is synced there before its answer (README). */
import { folderFault } from '../../../shared/service/folder-fault.ts';
import { readCursors } from '../inbox/raw-bundles.ts';
import { rowHash } from '../audit/audit.ts';
import { onlyStops } from '../audit/stops.ts';
import type { Ledger, LedgerReader } from '../storage/ledger.ts';
import { addJournalKey, journalKeyFile, readJournalKeys, type JournalKeys } from './journal-key.ts';
import { startCapture } from './capture.ts';
import {
  countAfter,
  leaveRecord,
  noteUnrecorded,
  outboxAfter,
  placeFault,
  placeOf,
  recordIn,
  type StoredRecord,
  type Place,
} from './records.ts';
import { isOther, JournalError, probe, readJournal, SegmentWriter, type Journal, type Owner } from './segments.ts';

export type JournalMode = 'require' | 'warn';

/** The decision journal cannot accept a change (503). */
export class JournalUnavailableError extends Error {
  override name = 'JournalUnavailableError';
}

export const JOURNAL_FAILS = 'the decision journal cannot be written: decisions wait in the ledger';

interface Log {
  info(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

export interface JournalParts {
  ledger: Ledger;
  folder: string;
  mode: JournalMode;
  log: Log;
  /** How long an answer waits for the journal, in ms. */
  patienceMs?: number;
}

/** The interval in ms for remaining records: the outbox of a command on the host, or of a disk that has recovered. */
const PERIOD_MS = 5_000;
const PATIENCE_MS = 10_000;

export const ownerOf = (reader: LedgerReader): Owner => ({
  ledger: rowHash(reader, 1),
  tenant: readCursors(reader).tenantId,
});

interface Waiter {
  seq: number;
  done(error: Error | null): void;
}

/** A record that a write has left in the outbox. */
interface Made {
  seq: number;
  /** The write only ends exposure, and does not wait for a disk. */
  isStop: boolean;
}

export class DecisionJournal {
  readonly #parts: JournalParts;
  readonly #keys: JournalKeys;
  #writer: SegmentWriter | null = null;
  /** The folder, as it was when its writer began. */
  #there: Pick<Journal, 'seals' | 'end'> | null = null;
  #synced = 0;
  #failure: Error | null = null;
  #flushing: Promise<void> | null = null;
  #waiters: Waiter[] = [];
  #noteRecord: ((record: Made) => void) | null = null;
  #timer: NodeJS.Timeout | null = null;

  private constructor(parts: JournalParts, keys: JournalKeys) {
    this.#parts = parts;
    this.#keys = keys;
  }

  /**
   * Reads the folder, appends the records that an ended process left, and collects from now on.
   *
   * @throws JournalError where the folder holds more than the ledger, or another ledger's decisions
   */
  static async open(parts: JournalParts): Promise<DecisionJournal> {
    const { ledger } = parts;
    const journal = new DecisionJournal(parts, keysToBegin(ledger));
    const keys = (): JournalKeys => journal.#keys;
    ledger.write((tx) => {
      refuseCut(tx);
      noteUnrecorded(tx, keys());
    });
    startCapture(ledger);
    ledger.beforeCommit = (tx) => {
      let isStop = false;
      const seq = leaveRecord(tx, journal.#synced, keys(), (audit) => {
        isStop = onlyStops(audit);
        if (!isStop) journal.#refuse();
      });
      if (seq !== null) journal.#noteRecord?.({ seq, isStop });
    };
    await journal.flush();
    if (journal.#failure instanceof JournalError) throw journal.#failure;
    journal.#timer = setInterval(() => void journal.flush(), PERIOD_MS).unref();
    return journal;
  }

  /** Why the journal accepts nothing; null while it works. */
  get failure(): Error | null {
    return this.#failure;
  }

  /** The number of records that wait for the journal. Before a first success it counts records that an earlier run synced. */
  get waiting(): number {
    return countAfter(this.#parts.ledger, this.#synced);
  }

  /**
   * Runs a write of the console API; a person's changes are in the journal when it resolves.
   *
   * @throws JournalUnavailableError
   */
  async write<T>(run: (begin: () => void) => Promise<T>): Promise<T> {
    if (this.#failure !== null && this.#flushing === null) await this.flush();
    let made: Made | null = null as Made | null;
    const value = await run(() => {
      this.#noteRecord = (record) => {
        made = record;
      };
    });
    if (made !== null) await this.#settle(made);
    return value;
  }

  /** Appends the unsynced records of the outbox; an error is kept as `failure`. */
  flush(): Promise<void> {
    this.#flushing ??= this.#append().finally(() => {
      this.#flushing = null;
    });
    return this.#flushing;
  }

  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.flush();
    await this.#writer?.close().catch(() => undefined);
  }

  async #append(): Promise<void> {
    try {
      this.#writer ??= await this.#begin();
      for (;;) {
        const kept = outboxAfter(this.#parts.ledger, this.#synced);
        const last = kept.at(-1);
        if (last === undefined) break;
        this.#refuseUnproved(kept);
        await this.#writer.append(kept);
        this.#synced = last.seq;
        this.#tell(null);
      }
      if (this.#failure !== null)
        this.#parts.log.info({ synced: this.#synced }, 'the decision journal is written again');
      this.#failure = null;
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error));
      if (this.#failure === null) this.#parts.log.error({ err: failure }, JOURNAL_FAILS);
      this.#failure = failure;
      await this.#writer?.close().catch(() => undefined);
      this.#writer = null;
      this.#tell(failure);
    }
  }

  /** Records that an earlier writer may have left unsynced are still in the outbox, and go into a new segment. */
  async #begin(): Promise<SegmentWriter> {
    const { ledger, folder } = this.#parts;
    await probe(folder);
    const there = readJournal(folder, Number.MAX_SAFE_INTEGER, this.#keys);
    const kept = outboxAfter(ledger, 0);
    refuseMisfit(there, kept, { folder, place: placeOf(ledger), owner: ownerOf(ledger) });
    const before = (kept[0]?.seq ?? 1) - 1;
    // A restarted journal knows no record before the ledger's place.
    const [base = before] = there.hashes.keys();
    this.#synced = Math.max(this.#synced, before, base);
    this.#there = there;
    return new SegmentWriter(
      folder,
      there.segment,
      () => ownerOf(ledger),
      () => this.#keys,
    );
  }

  /**
   * Behind the folder's end a record in the outbox is the only one that tells where the log ends: without its seal anybody
   * may have written it who has cut off that end.
   *
   * @throws JournalError
   */
  #refuseUnproved(kept: readonly StoredRecord[]): void {
    for (const each of kept.filter(({ seq }) => seq > (this.#there?.end.seq ?? 0))) {
      const fault = this.#there?.seals(recordIn(each)) ?? null;
      if (fault !== null) throw new JournalError(`${PAST} record ${each.seq} in the outbox: ${fault}. ${WAY_OUT}`);
    }
  }

  #tell(failure: Error | null): void {
    const told = failure === null ? this.#waiters.filter(({ seq }) => seq <= this.#synced) : this.#waiters;
    this.#waiters = this.#waiters.filter((waiter) => !told.includes(waiter));
    for (const { done } of told) done(failure);
  }

  async #settle({ seq, isStop }: Made): Promise<void> {
    const { mode, patienceMs = PATIENCE_MS } = this.#parts;
    const isUrgent = isStop || mode === 'warn';
    if (seq <= this.#synced || (isUrgent && this.#failure !== null)) return;
    const failure = await new Promise<Error | null>((resolve) => {
      const slow = setTimeout(() => {
        this.#failure ??= new Error(`it has not answered for ${patienceMs} ms`);
        resolve(this.#failure);
      }, patienceMs);
      const done = (error: Error | null): void => {
        clearTimeout(slow);
        resolve(error);
      };
      this.#waiters.push({ seq, done });
      // A flush that is under way may have read the outbox earlier.
      void this.flush().then(() => (seq > this.#synced && this.#failure === null ? this.flush() : undefined));
    });
    if (failure === null || isUrgent) return;
    throw new JournalUnavailableError(
      'The change was made, and the decision journal could not be written: it is not safe yet against the loss of a disk. ' +
        'Look at it again before you repeat it; further changes are refused until the journal can be written.',
    );
  }

  /** @throws JournalUnavailableError */
  #refuse(): void {
    if (this.#failure === null || this.#parts.mode === 'warn') return;
    throw new JournalUnavailableError(
      'The decision journal cannot be written, so nothing was changed. Texts can be read and stopped. Ask the administrator ' +
        'to look at the folder of the journal.',
    );
  }
}

/**
 * A command on the host leaves its changes in the outbox too, where a journal is kept; the console API appends them.
 *
 * @param keys asked at each commit, because a key that was made meanwhile may have sealed already
 */
export function captureDecisions(
  ledger: Ledger,
  keys = (): JournalKeys => readJournalKeys(journalKeyFile(ledger.keysBeside)),
): void {
  if (placeOf(ledger).seq === 0) return;
  startCapture(ledger);
  ledger.beforeCommit = (tx) => void leaveRecord(tx, 0, keys(), () => undefined);
}

/**
 * Makes another key, once all that the present one has sealed lies in the folder: below a newer seal it would prove nothing.
 * The caller holds the lock of the journal.
 *
 * @throws JournalError, JournalKeyError
 */
export async function succeedJournalKey(ledger: Ledger, folder: string): Promise<void> {
  const isBegun = placeOf(ledger).seq > 0;
  const log = { info: () => undefined, error: () => undefined };
  if (isBegun) await (await DecisionJournal.open({ ledger, folder, mode: 'require', log })).stop();
  ledger.write(() => {
    const state = isBegun ? journalState(ledger, folder) : null;
    if (state?.isWhole === false)
      throw new JournalError(
        `No other key was made, because the decision journal in ${folder} does not hold all that the present one has sealed: ${state.said}.`,
      );
    addJournalKey(journalKeyFile(ledger.file));
  });
}

/** The keys of the host; the first journal of a ledger makes one. @throws JournalError, JournalKeyError */
function keysToBegin(ledger: Ledger): JournalKeys {
  const file = journalKeyFile(ledger.file);
  const keys = readJournalKeys(file);
  if (keys.length > 0) return keys;
  if (placeOf(ledger).seq === 0) return addJournalKey(file);
  throw new JournalError(
    `The journal key ${file} is not there, and the journal has records that it proves: put the copy there that was kept apart from this ` +
      'host. Where it is lost, make a backup, then "console-api journal begin": it makes another key.',
  );
}

interface JournalReport {
  said: string;
  /** Every change is in it, and the next one can be. */
  isWhole: boolean;
}

/** How journal and ledger relate, in words for administrators. A folder that takes nothing is told before a decision needs it. */
export function journalState(ledger: Ledger, folder: string): JournalReport {
  const fault = folderFault(folder);
  if (fault === null) return reachOf(ledger, folder);
  const told = `its folder ${fault}`;
  try {
    return { said: `${told}; ${reachOf(ledger, folder).said}`, isWhole: false };
  } catch {
    return { said: told, isWhole: false };
  }
}

function reachOf(ledger: Ledger, folder: string): JournalReport {
  const keys = readJournalKeys(journalKeyFile(ledger.file));
  const { end, fault, damage, hashes } = readJournal(folder, Number.MAX_SAFE_INTEGER, keys);
  const place = placeOf(ledger);
  const reach = `it goes up to record ${end.seq}, and the ledger to record ${place.seq}`;
  if (fault !== null) return { said: `it is not whole: ${fault}`, isWhole: false };
  const cut = placeFault(ledger);
  if (cut !== null) return { said: `${reach}, but ${cut}`, isWhole: false };
  if (hashes.get(place.seq) === place.hash && end.seq === place.seq)
    return damage === null
      ? { said: reach, isWhole: true }
      : { said: `${reach}: ${damage}, and the ledger is an older copy`, isWhole: false };
  const why = end.seq > place.seq ? 'the ledger is an older copy' : `${place.seq - end.seq} changes are not in it`;
  return { said: `${reach}: ${why}`, isWhole: false };
}

/** Restarts the journal at the ledger's place, regardless of the folder's content and of what the ledger lacks. */
export async function beginAnew(ledger: Ledger, folder: string): Promise<void> {
  const file = journalKeyFile(ledger.file);
  const known = readJournalKeys(file);
  const keys = known.length > 0 ? known : addJournalKey(file);
  ledger.write((tx) => {
    if (placeFault(tx) !== null) noteUnrecorded(tx, keys);
  });
  const writer = new SegmentWriter(
    folder,
    0,
    () => ownerOf(ledger),
    () => keys,
  );
  try {
    await writer.begin(placeOf(ledger), true);
  } finally {
    await writer.close();
  }
}

/** @throws JournalError where the ledger has lost what its own last record tells */
function refuseCut(tx: LedgerReader): void {
  const cut = placeFault(tx);
  if (cut !== null) throw new JournalError(`${PAST} ${cut}. ${WAY_OUT}`);
}

const PAST = 'Somebody has changed the ledger past the program:';
const WAY_OUT =
  'Run "intake restore" with the newest sound backup: it makes again what the journal holds. Where no such backup is left, ' +
  '"console-api journal begin" goes on without what is lost.';

/** @throws JournalError where the journal does not lead to this ledger */
function refuseMisfit(
  { owner, end, hashes, fault, damage }: Journal,
  kept: readonly StoredRecord[],
  { folder, place, owner: own }: { folder: string; place: Place; owner: Owner },
): void {
  const [first] = kept;
  const before: Place | null = first === undefined ? null : { seq: first.seq - 1, hash: recordIn(first).prev };
  if (owner === null) {
    if (before === null || before.seq === 0) return;
    throw new JournalError(
      `The decision journal in ${folder} is empty, and the ledger has journalled ${before.seq} records: name the folder where ` +
        'they are, or see that its disk is mounted. Where they are lost, make a backup, then "console-api journal begin".',
    );
  }
  // A record that the outbox repeats behind the end is not lost with a damaged line.
  const broken = fault ?? (end.seq < place.seq ? null : damage);
  if (broken !== null)
    throw new JournalError(
      `The decision journal in ${folder} is not whole: ${broken}. Make a backup and keep the folder; then "console-api ` +
        'journal begin" goes on in it behind what is damaged.',
    );
  if (isOther(owner, own))
    throw new JournalError(
      `The decision journal in ${folder} belongs to another ledger: give each ledger its own folder.`,
    );
  if (end.seq > place.seq)
    throw new JournalError(
      `The decision journal in ${folder} goes up to record ${end.seq}, and the ledger only to ${place.seq}: the ledger is an ` +
        'older copy. Run "intake restore" with the newest backup: it makes again what the journal holds.',
    );
  const known = [...(before === null ? [] : [before]), ...kept].filter(({ seq }) => hashes.has(seq));
  if (known.length === 0 || known.some(({ seq, hash }) => hashes.get(seq) !== hash))
    throw new JournalError(
      `The decision journal in ${folder} ends at record ${end.seq}, and the ledger does not go on from it: its end is ` +
        'missing, or it has gone on beside another copy of this ledger.',
    );
}
