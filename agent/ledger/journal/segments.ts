/** The files of a decision journal (README): each only grows, and none is opened again to append to it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { mkdir, open, rm, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { sealed, sealsInOrder, type JournalKeys, type Seals } from './journal-key.ts';
import { digest, recordFault, recordIn, START, type DecisionRecord, type StoredRecord, type Place } from './records.ts';

/** The folder or a file of it cannot be used; the message is complete. */
export class JournalError extends Error {
  override name = 'JournalError';
}

interface Header {
  segment: number;
  /** The hash of the first row of the ledger's audit log; empty where the log had none yet. */
  ledger: string;
  tenant: number | null;
  /** The record that the segment continues from. */
  from: Place;
  /** See `journal-key.ts`. */
  mac?: string;
  /** By an administrator's decision, later records in other segments no longer count. */
  branch?: true;
}

export type Owner = Pick<Header, 'ledger' | 'tenant'>;

/**
 * Whether a journal certainly belongs to another ledger; that of a new ledger is known by its chain of records alone.
 */
export const isOther = (owner: Owner, own: Owner): boolean => owner.ledger !== '' && owner.ledger !== own.ledger;

const NAME = /^segment-(\d{6,})\.jsonl$/;
const nameOf = (segment: number): string => `segment-${String(segment).padStart(6, '0')}.jsonl`;
/** The size in bytes at which a new segment begins. */
const LONGEST = 16 * 1024 * 1024;

function segmentsIn(folder: string): number[] {
  const named = readdirSync(folder).flatMap((name) => NAME.exec(name)?.[1] ?? []);
  return [...new Set(named.map(Number))].toSorted((a, b) => a - b);
}

const lineOf = (text: string, hash = digest(text)): string => `${hash} ${text}\n`;

export interface Journal {
  owner: Owner | null;
  /** The last existing record. */
  end: Place;
  /** The records after the requested place, in order. */
  records: StoredRecord[];
  /** The hash of each existing record. */
  hashes: ReadonlyMap<number, string>;
  /** Why records behind the end are unreadable; null without any. */
  fault: string | null;
  /** What is damaged behind the end, where no later segment goes on; null without any. A torn line is no damage. */
  damage: string | null;
  /** What first lines have taken out, by an administrator's decision or in its name. */
  dropped: Dropped[];
  /** Why a record is not proved, by its number, where such records were to be read as well. */
  unproved: ReadonlyMap<number, string>;
  /** Judges what comes after all of it. */
  seals: Seals;
  /** The highest segment number; 0 without a segment. */
  segment: number;
}

export interface Dropped {
  /** The file whose first line says so. */
  name: string;
  /** Why that line is not proved; null where it is. */
  fault: string | null;
  records: StoredRecord[];
}

/**
 * Reads a whole journal, up to the first part that is missing or changed.
 *
 * @param after records up to this one are checked and not kept
 * @param keys each record and first line must bear the MAC of one of them; null: none is asked for
 * @param acceptsUnproved what is not proved is read as well, and told
 */
export function readJournal(folder: string, after: number, keys: JournalKeys | null, acceptsUnproved = false): Journal {
  const segments = existsSync(folder) ? segmentsIn(folder) : [];
  const reading = new Reading(after, keys === null ? () => null : sealsInOrder(keys), acceptsUnproved);
  for (const segment of segments) reading.take(segment, readSegment(path.join(folder, nameOf(segment))));
  const { owner, end, hashes, fault, damage, dropped, unproved, seals } = reading;
  const records = [...reading.records.values()];
  const segment = segments.at(-1) ?? 0;
  return { owner, end: end ?? START, records, hashes, fault, damage, dropped, unproved, seals, segment };
}

class Reading {
  readonly #after: number;
  readonly seals: Seals;
  readonly #acceptsUnproved: boolean;
  readonly unproved = new Map<number, string>();
  readonly hashes = new Map<number, string>();
  readonly records = new Map<number, StoredRecord>();
  owner: Owner | null = null;
  end: Place | null = null;
  fault: string | null = null;
  damage: string | null = null;
  readonly dropped: Dropped[] = [];

  constructor(after: number, seals: Seals, acceptsUnproved: boolean) {
    this.#after = after;
    this.seals = seals;
    this.#acceptsUnproved = acceptsUnproved;
  }

  take(segment: number, { header, lines, isDamaged }: Segment): void {
    const name = nameOf(segment);
    if (header === null) {
      // A torn first line was never synced, so no caller relies on it.
      if (isDamaged) this.damage = `the first line of ${name} is damaged`;
      return;
    }
    if (header === 'NONE') {
      this.fault ??= `the first line of ${name} holds no beginning of a segment`;
      return;
    }
    const unproved = this.seals(header) ?? misplaced(header, segment);
    if (unproved !== null && !this.#acceptsUnproved) {
      this.fault ??= `the first line of ${name}: ${unproved}`;
      return;
    }
    const { ledger, tenant, from } = header;
    const own = { ledger, tenant };
    if (this.owner !== null && isOther(this.owner, own)) this.fault ??= `${name} belongs to another ledger`;
    if (this.owner === null || this.owner.ledger === '') this.owner = own;
    if (this.end === null || header.branch === true) {
      const before = [...this.records.values()];
      this.#goOnFrom(from);
      const gone = before.filter(({ seq }) => !this.records.has(seq));
      if (gone.length > 0) this.dropped.push({ name, fault: unproved, records: gone });
    }
    const before = this.hashes.get(from.seq);
    if (before !== from.hash)
      this.fault ??= `${name} goes on from record ${from.seq}, which the segments before it ${before === undefined ? 'do not reach' : 'tell otherwise'}`;
    let at = from;
    for (const kept of lines) {
      if (this.fault !== null) return;
      at = this.#line(name, kept, at);
    }
    // The writer of a later segment has repeated what it did not find synced in the one before.
    this.damage = isDamaged ? `the line after record ${at.seq} in ${name} is damaged` : null;
  }

  /** Drops all records behind this one; where it is unknown, drops those before it as well. */
  #goOnFrom(from: Place): void {
    if (this.hashes.get(from.seq) === from.hash) {
      for (let seq = from.seq + 1; this.hashes.delete(seq); seq++) this.records.delete(seq);
    } else {
      this.hashes.clear();
      this.records.clear();
    }
    this.hashes.set(from.seq, from.hash);
    this.end = from;
    this.fault = null;
  }

  #line(name: string, { hash, record: text }: StoredRecord, before: Place): Place {
    const record = asRecord(text);
    if (record === null) {
      this.fault = `${name}: the line after record ${before.seq} holds no record`;
      return before;
    }
    const at = { seq: record.seq, hash };
    const follows = record.seq === before.seq + 1 && record.prev === before.hash;
    const known = this.hashes.get(at.seq);
    const fault = !follows
      ? `it does not follow record ${before.seq}`
      : known === undefined
        ? (recordFault(record) ?? this.#unprovedOf(record))
        : known === hash
          ? null
          : 'an earlier segment contradicts it';
    if (fault !== null) this.fault = `record ${record.seq} in ${name}: ${fault}`;
    else if (at.seq > (this.end?.seq ?? 0)) {
      this.hashes.set(at.seq, hash);
      if (at.seq > this.#after) this.records.set(at.seq, { ...at, record: text });
      this.end = at;
    }
    return at;
  }

  #unprovedOf(record: DecisionRecord): string | null {
    const why = this.seals(record);
    if (why === null) this.unproved.delete(record.seq);
    else if (this.#acceptsUnproved) this.unproved.set(record.seq, why);
    return this.#acceptsUnproved ? null : why;
  }
}

/** A first line proves its own file alone: in a later one it would take out what came after it once more. */
const misplaced = (header: Header, segment: number): string | null =>
  header.segment === segment ? null : `it is that of ${nameOf(header.segment)}`;

interface Segment {
  /** Null for a torn first line; `NONE` for a whole one that begins nothing. */
  header: Header | 'NONE' | null;
  lines: StoredRecord[];
  /** A line with an end does not have its hash: a write that broke off leaves no end. */
  isDamaged: boolean;
}

/** A right hash says that a line is whole, and not who wrote it. */
function objectIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function asHeader(text: string): Header | null {
  const told = objectIn(text);
  const from = told?.['from'];
  const isPlace = typeof from === 'object' && from !== null && 'seq' in from && 'hash' in from;
  return isPlace ? (told as unknown as Header) : null;
}

function asRecord(text: string): DecisionRecord | null {
  const told = objectIn(text);
  return Number.isSafeInteger(told?.['seq']) && Array.isArray(told?.['audit']) && Array.isArray(told['changes'])
    ? (told as unknown as DecisionRecord)
    : null;
}

/** The lines before the first torn or damaged one. */
function readSegment(file: string): Segment {
  const lines: StoredRecord[] = [];
  let header: Segment['header'] = null;
  const parts = readFileSync(file, 'utf8').split('\n');
  const rest = parts.pop() ?? '';
  for (const part of parts) {
    if (!isWhole(part)) return { header, lines, isDamaged: true };
    const text = part.slice(65);
    if (header === null) header = asHeader(text) ?? 'NONE';
    else lines.push({ seq: lines.length, hash: part.slice(0, 64), record: text });
  }
  // Of the last line the end itself may be the damaged byte.
  return { header, lines, isDamaged: isWhole(rest.slice(0, -1)) };
}

const isWhole = (line: string): boolean => line[64] === ' ' && digest(line.slice(65)) === line.slice(0, 64);

/** One block: it fits wherever any write fits. */
const PROBE = Buffer.alloc(4096);

/** Writes into an existing folder before all segments are read, because that reading blocks the answers to requests. */
export async function probe(folder: string): Promise<void> {
  const place = path.join(folder, `probe-${randomUUID()}`);
  if (!(await stat(folder).catch(() => null))?.isDirectory()) return;
  const file = await open(place, 'wx', 0o600);
  try {
    await file.writeFile(PROBE);
    await file.datasync();
  } finally {
    await file.close();
    await rm(place, { force: true });
  }
}

/** Appends to a journal. After an error it is closed: another writer continues from the last synced record. */
export class SegmentWriter {
  readonly #folder: string;
  readonly #owner: () => Owner;
  readonly #keys: () => JournalKeys;
  #segment: number;
  #file: FileHandle | null = null;
  #size = 0;
  #at: Place = START;

  constructor(folder: string, segment: number, owner: () => Owner, keys: () => JournalKeys) {
    this.#folder = folder;
    this.#segment = segment;
    this.#owner = owner;
    this.#keys = keys;
  }

  /** Appends consecutive records; they are synced when this resolves. */
  async append(kept: readonly StoredRecord[]): Promise<void> {
    const [first] = kept;
    if (first === undefined) return;
    const { seq, prev } = recordIn(first);
    if (this.#file === null || this.#size > LONGEST || this.#at.seq !== seq - 1 || this.#at.hash !== prev)
      await this.begin({ seq: seq - 1, hash: prev });
    await this.#write(kept.map(({ record, hash }) => lineOf(record, hash)).join(''));
    const last = kept.at(-1) ?? first;
    this.#at = { seq: last.seq, hash: last.hash };
  }

  /** Begins a segment; with `branch`, records of other segments after that record no longer count. */
  async begin(from: Place, branch?: true): Promise<void> {
    await this.close();
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    this.#segment = Math.max(this.#segment, segmentsIn(this.#folder).at(-1) ?? 0) + 1;
    this.#file = await open(path.join(this.#folder, nameOf(this.#segment)), 'ax', 0o600);
    this.#size = 0;
    this.#at = from;
    const header: Header = { segment: this.#segment, ...this.#owner(), from, ...(branch === true ? { branch } : {}) };
    await this.#write(lineOf(JSON.stringify(sealed(header, this.#keys()))));
    // Until the folder is synced a power cut takes the file's name.
    if (process.platform === 'win32') return;
    const folder = await open(this.#folder, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    await file?.close();
  }

  async #write(text: string): Promise<void> {
    if (this.#file === null) throw new TypeError('no segment is open');
    await this.#file.appendFile(text);
    await this.#file.datasync();
    this.#size += Buffer.byteLength(text);
  }
}
