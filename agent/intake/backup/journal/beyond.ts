/**
 * Finds the changes in the decision journal that a backup lacks, and replays them for `restore` (agent/ledger/journal).
 */
import { existsSync } from 'node:fs';
import { loggedAmong, memberActions } from '../../../ledger/audit/audit.ts';
import { journalKeyFile, readJournalKeys, type JournalKeys, type Seals } from '../../../ledger/journal/journal-key.ts';
import { beginAnew, ownerOf } from '../../../ledger/journal/journal.ts';
import {
  outboxAfter,
  placeOf,
  recordIn,
  START,
  type DecisionRecord,
  type StoredRecord,
  type Place,
} from '../../../ledger/journal/records.ts';
import { endRecordsBeyond, makeAgain, passOver, UnmadeError } from '../../../ledger/journal/replay.ts';
import { startDuePolicy } from '../../../ledger/policy/start.ts';
import { waitingVersion } from '../../../ledger/policy/versions.ts';
import { isOther, readJournal, type Dropped } from '../../../ledger/journal/segments.ts';
import type { Ledger, LedgerReader } from '../../../ledger/storage/ledger.ts';
import { sqlite } from '../../../ledger/storage/query.ts';

/** Changes that were made after a backup. */
export interface Beyond {
  records: StoredRecord[];
  /** Why these are not all later changes by people; null when they are. */
  lacking: string | null;
  /** The last record that the folder holds. */
  end: Place;
  /** Records that no key proves, and that are repeated nevertheless by an administrator's word. */
  unproved: Unproved[];
  /** Records that a first line without a proof has taken out: they are not repeated. */
  dropped: Unproved[];
}

interface Unproved {
  seq: number;
  why: string;
  actions: string[];
}

/** How records are proved (D208). */
export interface Proof {
  keys: JournalKeys;
  /** Records without a proof are repeated, and named. */
  acceptsUnproved: boolean;
  /** Puts the keys beside the restored ledger; absent: they lie there. */
  putDown?(this: void): void;
}

/**
 * Null where no journal is known.
 *
 * @param present the present ledger, where it can be read
 */
export function beyondBackup(
  folder: string | null,
  backup: LedgerReader,
  present: LedgerReader | null,
  { keys, acceptsUnproved }: Proof,
): Beyond | null {
  const place = placeOf(backup);
  const presentPlace = present === null ? START : placeOf(present);
  if (folder === null) {
    if (place.seq === 0 && presentPlace.seq === 0) return null;
    const lacking = 'A decision journal was kept: name its folder as CAUSEWAY_DECISION_JOURNAL.';
    return { ...NOTHING, lacking };
  }
  // A disk that is not mounted is no proof that no journal was kept: the backup may be from before its first record.
  if (!existsSync(folder)) {
    const lacking = `The decision journal ${folder} is not there: mount its disk, or leave CAUSEWAY_DECISION_JOURNAL out where none was kept.`;
    return { ...NOTHING, lacking };
  }
  const read = readJournal(folder, place.seq, keys, true);
  const { owner, end, records, hashes, fault, damage } = read;
  const dropped = read.dropped.flatMap(droppedBy);
  if (owner === null && place.seq === 0 && presentPlace.seq === 0) return null;
  const none = (lacking: string): Beyond => ({ ...NOTHING, lacking, end, dropped });
  if (owner !== null && isOther(owner, ownerOf(backup)))
    return none(`The decision journal in ${folder} belongs to another ledger than the backup.`);
  const why = new Map(read.unproved);
  // The folder may not have had the backup's last records yet: its outbox has them. An empty folder may be another disk's.
  const ahead: StoredRecord[] = [];
  const held = addOutbox({ records: ahead, why, seals: read.seals }, owner === null ? null : backup, end);
  if (held.seq < place.seq)
    return none(
      `The decision journal in ${folder} ends at record ${end.seq}, and the backup holds record ${place.seq}: ${fault ?? damage ?? 'its end is missing'}.`,
    );
  if ((ahead.length > 0 ? held.hash : hashes.get(place.seq)) !== place.hash)
    return none(`The decision journal in ${folder} does not go on from record ${place.seq}, where the backup stands.`);
  if (!acceptsUnproved && keys.length === 0) return none(NO_KEY);
  const proved = acceptsUnproved ? null : readJournal(folder, place.seq, keys).fault;
  const last = addOutbox({ records, why, seals: read.seals }, present, held);
  const unproved = records.flatMap((kept) => unprovedOf(kept, why.get(kept.seq)));
  // Nobody's word makes up for the seal of what the backup alone tells: it is not made again, and so not named.
  const [forged] = [
    ...ahead.flatMap((kept) => unprovedOf(kept, why.get(kept.seq))),
    ...(acceptsUnproved ? [] : unproved),
  ];
  if (proved !== null || forged !== undefined)
    return none(
      `The decision journal in ${folder} is not proved: ${proved ?? `record ${forged?.seq}: ${forged?.why}`}. ${WHAT_UNPROVED_MEANS}`,
    );
  // Behind a damaged line may lie later records than the backup's.
  const broken = fault ?? (last.seq > held.seq ? null : damage);
  const lacking =
    broken !== null
      ? `The decision journal in ${folder} is not whole: ${broken}.`
      : present !== null && presentPlace.seq > last.seq
        ? `The decision journal in ${folder} ends at record ${last.seq}, and the present ledger holds record ${presentPlace.seq}: its end is missing.`
        : unrecorded(present, last, presentPlace);
  return { records, lacking, end, unproved, dropped };
}

const NOTHING: Beyond = { records: [], lacking: null, end: START, unproved: [], dropped: [] };

const WHAT_UNPROVED_MEANS =
  'Whoever can write in that folder may have written decisions in the names of others. With --accept-unproved-journal every record is made ' +
  'again, and each without a proof is named.';
const NO_KEY =
  'The records of the decision journal cannot be proved, because the journal key is not here: put its copy as journal.key beside the ' +
  `ledger, or name it with --journal-key FILE. ${WHAT_UNPROVED_MEANS}`;

const unprovedOf = (kept: StoredRecord, why: string | undefined): Unproved[] =>
  why === undefined ? [] : [{ seq: kept.seq, why, actions: recordIn(kept).audit.map(({ action }) => action) }];

/** What an unproved first line has taken out. Without it an administrator's word would hide what people decided. */
function droppedBy({ name, fault, records }: Dropped): Unproved[] {
  if (fault === null) return [];
  const why = `the first line of ${name} says that it no longer counts, and ${fault}`;
  return records.flatMap((kept) => unprovedOf(kept, why));
}

/** Adds the records in a ledger's outbox that were not yet written to the journal. */
function addOutbox(
  { records, why, seals }: { records: StoredRecord[]; why: Map<number, string>; seals: Seals },
  ledger: LedgerReader | null,
  end: Place,
): Place {
  let last = end;
  for (const kept of ledger === null ? [] : outboxAfter(ledger, end.seq)) {
    if (kept.seq !== last.seq + 1 || recordIn(kept).prev !== last.hash) break;
    const unproved = seals(recordIn(kept));
    if (unproved !== null) why.set(kept.seq, unproved);
    records.push(kept);
    last = kept;
  }
  return last;
}

function unrecorded(present: LedgerReader | null, last: Place, place: Place): string | null {
  if (present === null || place.seq !== last.seq) return null;
  const kept = outboxAfter(present, last.seq - 1)[0];
  const count = kept === undefined ? 0 : memberActions(present) - recordIn(kept).acts;
  return count === 0
    ? null
    : `The present ledger holds ${count} changes of people that no record of the journal holds.`;
}

/** A record whose changes could not be replayed. */
export interface Unmade {
  seq: number;
  why: string;
  /** The actions that are lost with it. */
  actions: string[];
}

/** Decisions to be replayed between two entries. */
export interface Between {
  /** The applied cursor of the next decision, or of the start of a policy version before it; null when none is left. */
  next(): number | null;
  /** Replays the decisions and starts up to this cursor. */
  makeUpTo(applied: number): void;
}

export interface Replayed {
  made: number;
  unmade: readonly Unmade[];
  /** Why the journal does not hold all later changes by people; null when it does. */
  lacking: string | null;
  unproved: readonly Unproved[];
  /** Records that an unproved first line has taken out. */
  dropped: readonly Unproved[];
}

/** The decisions and settings that the backup does not have. */
export interface Lost {
  /** When the last row of the backup's audit log was written; null: it has none. */
  since: string | null;
  /** The number of each action that only the present ledger has; null without a readable present ledger. */
  actions: Readonly<Record<string, number>> | null;
}

const IS_THERE =
  'the backup holds it already, and says that it stands before it: whoever wrote there may have put its place in the journal back.';

/** Replays the records of a journal, each at its place among the entries. */
export class Replay implements Between {
  readonly #ledger: Ledger;
  readonly #left: StoredRecord[];
  readonly #mayLose: boolean;
  /** Hashes of the rows of records that the ledger's log has already. */
  readonly #logged: ReadonlySet<string>;
  readonly unmade: Unmade[] = [];
  made = 0;

  /** @param mayLose whether a record that cannot be replayed is skipped */
  constructor(ledger: Ledger, records: readonly StoredRecord[], mayLose: boolean) {
    this.#ledger = ledger;
    this.#left = [...records];
    this.#mayLose = mayLose;
    const rows = records.flatMap((kept) => recordIn(kept).audit);
    this.#logged = new Set(loggedAmong(ledger, rows).map(({ hash }) => hash));
  }

  next(): number | null {
    const [first] = this.#left;
    if (first === undefined) return null;
    const record = recordIn(first);
    return startBefore(this.#ledger, record)?.applied ?? record.applied;
  }

  /** @throws UnmadeError */
  makeUpTo(applied: number): void {
    if ((this.next() ?? Infinity) > applied) return;
    this.#ledger.write((tx) => {
      for (let [first] = this.#left; first !== undefined; [first] = this.#left) {
        const record = recordIn(first);
        const start = startBefore(tx, record);
        if (start !== null && start.applied <= applied) startDuePolicy(tx, start.at);
        if (record.applied > applied) return;
        this.#left.shift();
        this.#make(first);
      }
    });
  }

  /**
   * Replays the remaining decisions at any applied cursor.
   *
   * @param end now, where the cloud has sent all that it has
   */
  makeRest(end: Date | null): void {
    this.makeUpTo(Number.MAX_SAFE_INTEGER);
    if (end !== null && this.made > 0) this.#ledger.write((tx) => endRecordsBeyond(tx, end.toISOString()));
  }

  get left(): number {
    return this.#left.length;
  }

  #make(kept: StoredRecord): void {
    try {
      // A write inside a write is a savepoint: a record that breaks leaves nothing behind.
      this.#ledger.write((tx) => {
        // Made twice, an earlier decision would stand above the later ones.
        if (recordIn(kept).audit.some(({ hash }) => this.#logged.has(hash))) throw new UnmadeError(IS_THERE);
        makeAgain(tx, kept);
      });
      this.made += 1;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (!this.#mayLose)
        throw new UnmadeError(`Record ${kept.seq} of the decision journal cannot be made again: ${why}`);
      const actions = recordIn(kept).audit.map(({ action }) => action);
      this.unmade.push({ seq: kept.seq, why, actions });
      this.#ledger.write((tx) => passOver(tx, kept));
    }
  }
}

/** The start that the Intake had made before a record, and this ledger has not (D212). */
function startBefore(
  reader: LedgerReader,
  { started, applied, audit }: DecisionRecord,
): { applied: number; at: string } | null {
  const waiting = waitingVersion(reader);
  if (waiting === undefined || started === null) return null;
  // Where a record does not tell, a version that was due by then is taken as started.
  const { version, at, ...place } = started ?? { version: waiting.version, at: audit[0]?.at ?? '', applied };
  if (version !== waiting.version || at < waiting.startsAt) return null;
  // Cursors fall back where records were set aside.
  return { at, applied: Math.min(place.applied, applied) };
}

/** Removes from the outbox the records that the folder holds. */
export function clearOutbox(ledger: Ledger, end: Place): void {
  const newest = Math.min(end.seq, placeOf(ledger).seq);
  ledger.write((tx) => tx.run(sqlite.deleteFrom('decision_outbox').where('seq', '<', newest)));
}

/** Continues the journal from a ledger that was restored with a loss; a folder that is not there is never made. */
export async function goOnFrom(ledger: Ledger, folder: string, { end }: Beyond): Promise<void> {
  if (!existsSync(folder)) return;
  const fits = readJournal(folder, Number.MAX_SAFE_INTEGER, readJournalKeys(journalKeyFile(ledger.file)));
  const place = placeOf(ledger);
  if (
    fits.fault !== null ||
    fits.damage !== null ||
    end.seq > place.seq ||
    fits.hashes.get(Math.min(end.seq, place.seq)) === undefined
  )
    await beginAnew(ledger, folder);
}
