/** The ledger as the Intake uses it, on a disk and in a process that fail when the dice say so. */
import Database from 'better-sqlite3';
import type { Store } from '../../../agent/intake/receive/reception.ts';
import type { Ledger, LedgerTransaction } from '../../../agent/ledger/storage/ledger.ts';
import type { Seeded } from '../../support/seeded.ts';

/** The process has ended at this very instruction. */
export class Crash extends Error {
  override name = 'Crash';
}

export interface Dice {
  random: Seeded;
  /** Whether faults are injected. */
  wild: boolean;
  /** Shares of the statements at which the disk fails, and at which the process ends. */
  disk: number;
  crash: number;
  /** Events for the report. */
  told: string[];
  /** Called when the process has ended. */
  onCrash(): void;
}

const DISK_FAULTS: [string, string][] = [
  ['SQLITE_FULL', 'database or disk is full'],
  ['SQLITE_IOERR', 'disk I/O error'],
  ['SQLITE_IOERR_FSYNC', 'disk I/O error'],
  ['SQLITE_IOERR_WRITE', 'disk I/O error'],
  ['SQLITE_BUSY', 'database is locked'],
  ['SQLITE_BUSY_SNAPSHOT', 'database is locked'],
  ['SQLITE_NOMEM', 'out of memory'],
];

export class SimulatedDisk implements Store {
  readonly #ledger: Ledger;
  readonly #dice: Dice;
  #dead = false;
  #depth = 0;

  constructor(ledger: Ledger, dice: Dice) {
    this.#ledger = ledger;
    this.#dice = dice;
  }

  all: Store['all'] = (query) => {
    this.#step('read');
    return this.#ledger.all(query);
  };

  first: Store['first'] = (query) => {
    this.#step('read');
    return this.#ledger.first(query);
  };

  write<T>(work: (tx: LedgerTransaction) => T): T {
    this.#step('begin');
    this.#depth++;
    let done: T;
    try {
      done = this.#ledger.write((tx) => {
        const result = work(this.#faulty(tx));
        // The commit itself: what fails or ends here is rolled back.
        this.#step('commit');
        return result;
      });
    } finally {
      this.#depth--;
    }
    // The commit is on the disk, but the waiting process gets an error, or has ended.
    if (this.#depth === 0) this.#step('committed');
    return done;
  }

  /** Ends the process now, if the dice say so. For moments that are no statement. */
  mayCrash(where: string): void {
    if (!this.#dead && this.#dice.wild && this.#dice.random.chance(this.#dice.crash * 10)) this.#die(where);
    if (this.#dead) throw new Crash('the process has ended');
  }

  #faulty(tx: LedgerTransaction): LedgerTransaction {
    const stepped =
      <A, R>(run: (query: A) => R) =>
      (query: A): R => {
        this.#step('statement');
        return run(query);
      };
    return {
      all: (query) => stepped(() => tx.all(query))(query),
      first: (query) => stepped(() => tx.first(query))(query),
      run: stepped((query) => tx.run(query)),
      insert: stepped((query) => tx.insert(query)),
      changes: tx.changes,
    };
  }

  #step(where: string): void {
    if (this.#dead) throw new Crash('the process has ended');
    const { random, wild, disk, crash, told } = this.#dice;
    if (!wild) return;
    const chance = random.next();
    if (chance < crash) this.#die(where);
    if (chance < crash + disk) {
      const [code, message] = random.pick(DISK_FAULTS);
      told.push(`${code} at ${where}`);
      throw new Database.SqliteError(message, code);
    }
  }

  #die(where: string): never {
    this.#dead = true;
    this.#dice.told.push(`crash at ${where}`);
    this.#dice.onCrash();
    throw new Crash('the process has ended');
  }
}
