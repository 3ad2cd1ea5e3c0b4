/**
 * Makes the files of inspectors' requests, one at a time, in a process beside this one, so that no request of a
 * reviewer waits for it. The request's row says what is wanted; its folder says how far the work is. After a restart,
 * or after an end of the process, the work goes on where it stood.
 */
import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { findMember } from '../../../agent/ledger/accounts/members.ts';
import type { Actor } from '../../../agent/ledger/audit/audit.ts';
import { keepAllBlocks } from '../../../agent/ledger/audit/checkpoint.ts';
import { LogNotWholeError } from '../../../agent/ledger/audit/log-tree.ts';
import {
  finishRequest,
  storedRequests,
  nextOpen,
  removeRequest,
  requestOf,
  stopRequest,
  type RequestRow,
} from '../../../agent/ledger/inspection/requests.ts';
import { digestOfRows, rowsIn } from '../../../agent/ledger/inspection/list-file.ts';
import type { ListCells } from '../../../agent/ledger/inspection/list-row.ts';
import { fileOf, isLaidOut, layOut, type Made, type Order, readOrder } from '../../../agent/ledger/inspection/work.ts';
import type { LedgerReader, LedgerTransaction } from '../../../agent/ledger/storage/ledger.ts';
import { isGranted } from '../../../shared/policy/matrix.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import { isInspectionOver, type InspectionStop } from '../../../shared/wire/console/constants.ts';

/** What the work says, one line each. */
export type WorkLine = { done: number } | { made: Made } | { stop: InspectionStop; message: string };

/** Work under way on a folder. The lines end with the work; the last one says how it ended, unless it was cut off. */
export interface Running {
  lines: AsyncIterable<WorkLine>;
  end(): void;
}

export type Launch = (folder: string) => Running;

export interface RunnerParts {
  /** Holds one folder for each request. */
  folder: string;
  ledger: LedgerReader;
  write: <T>(work: (tx: LedgerTransaction) => T) => Promise<T>;
  clock: Clock;
  launch: Launch;
  log(error: unknown): void;
}

/** Starts without any progress after which the work counts as failed. */
const MOST_STARTS = 3;
const SWEEP_MS = 3_600_000;
/** Bytes that are hashed between two other requests: less than a millisecond. */
const PIECE = 256 * 1024;

export class InspectionRunner {
  readonly #parts: RunnerParts;
  readonly #done = new Map<string, number>();
  #running: { id: string; work: Running } | null = null;
  #serving: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
  }

  /** Removes what no request owns, and goes on with the open ones. */
  async start(): Promise<void> {
    await this.sweep();
    this.#timer = setInterval(() => void this.sweep().catch(this.#parts.log), SWEEP_MS).unref();
    this.wake();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    this.#running?.work.end();
    await this.#serving;
  }

  folderOf(id: string): string {
    return path.join(this.#parts.folder, path.basename(id));
  }

  /** The place of a finished file; null where it is not there as it was made. */
  async placeOf(row: RequestRow): Promise<string | null> {
    const place = path.join(this.folderOf(row.id), fileOf(row.form));
    const digest = createHash('sha256');
    try {
      for await (const piece of createReadStream(place, { highWaterMark: PIECE })) digest.update(piece as Buffer);
    } catch {
      return null;
    }
    return digest.digest('hex') === row.sha256 ? place : null;
  }

  /** The rows of a finished list; null where they are not there as the list was made. */
  async rowsOf({ id, language, sha256 }: RequestRow): Promise<AsyncIterable<ListCells> | null> {
    const folder = this.folderOf(id);
    try {
      return (await digestOfRows(folder, language)) === sha256 ? rowsIn(folder) : null;
    } catch {
      return null;
    }
  }

  doneOf(id: string): number {
    return this.#done.get(id) ?? 0;
  }

  /** Makes the folder of a request whose row comes next. */
  layOut(order: Order): void {
    // `sweep` leaves it alone from now on.
    this.#done.set(order.id, 0);
    try {
      layOut(this.folderOf(order.id), order);
    } catch (error) {
      this.discard(order.id);
      throw error;
    }
  }

  /** Another person continues: the file names who has had it made. */
  handOver(id: string, madeBy: string): void {
    const folder = this.folderOf(id);
    layOut(folder, { ...readOrder(folder), madeBy });
  }

  /** A new request, or one to continue. */
  wake(): void {
    if (this.#isStopped) return;
    this.#serving ??= this.#serve()
      .catch(this.#parts.log)
      .finally(() => {
        this.#serving = null;
      });
  }

  /** Resolves when no request is open any more. */
  async idle(): Promise<void> {
    await this.#serving;
  }

  /** Ends the work on a request and removes its files. */
  discard(id: string): void {
    if (this.#running?.id === id) this.#running.work.end();
    this.#done.delete(id);
    rmSync(this.folderOf(id), { recursive: true, force: true });
  }

  /** Removes files of no request (the ledger may be an earlier one now), and files whose time is over. */
  async sweep(): Promise<void> {
    const { folder, ledger, clock, write } = this.#parts;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const kept = new Map(storedRequests(ledger).map((row) => [row.id, row]));
    for (const name of readdirSync(folder))
      if (!kept.has(name) && !this.#done.has(name)) rmSync(path.join(folder, name), { recursive: true, force: true });
    const now = (): string => clock.now().toISOString();
    for (const row of kept.values()) {
      if (row.state === 'OPEN' && !isLaidOut(this.folderOf(row.id)))
        await write((tx) => stopRequest(tx, row.id, { stop: 'FILES_GONE', message: null }, now()));
      if (row.kept_until === null || row.kept_until > now()) continue;
      await write((tx) => removeRequest(tx, row.id, { kind: 'SYSTEM' }, now()));
      this.discard(row.id);
    }
  }

  async #serve(): Promise<void> {
    let last: { id: string; done: number; starts: number } | null = null;
    for (;;) {
      const row: RequestRow | undefined = nextOpen(this.#parts.ledger);
      if (row === undefined || this.#isStopped) return;
      const done: number = this.doneOf(row.id);
      const starts: number = last?.id === row.id && last.done === done ? last.starts + 1 : 1;
      last = { id: row.id, done, starts };
      if (starts > MOST_STARTS) await this.#end(row.id, { stop: 'FAILED', message: 'The work ended by itself.' });
      else await this.#make(row);
    }
  }

  async #make({ id, for_id: forId }: RequestRow): Promise<void> {
    const { launch, write } = this.#parts;
    try {
      await keepAllBlocks(write);
    } catch (error) {
      if (!(error instanceof LogNotWholeError)) throw error;
      return this.#end(id, { stop: 'RECORD', message: error.message });
    }
    if (this.#isStopped) return;
    const work = launch(this.folderOf(id));
    this.#running = { id, work };
    try {
      for await (const line of work.lines) {
        if ('done' in line) this.#done.set(id, line.done);
        else await this.#end(id, line);
        if (this.#actorFor(this.#parts.ledger, forId) === null) {
          await this.#end(id, { stop: 'RIGHTS', message: null });
          work.end();
        }
      }
    } finally {
      this.#running = null;
      // Ended by a person meanwhile: the process may have written a last part.
      if (isInspectionOver(requestOf(this.#parts.ledger, id).state)) this.discard(id);
    }
  }

  async #end(
    id: string,
    line: Extract<WorkLine, { made: Made }> | { stop: InspectionStop; message: string | null },
  ): Promise<void> {
    await this.#parts.write((tx) => {
      const at = this.#parts.clock.now().toISOString();
      const { for_id: forId, state } = requestOf(tx, id);
      if (state !== 'OPEN') return;
      const actor = this.#actorFor(tx, forId);
      if (actor === null) stopRequest(tx, id, { stop: 'RIGHTS', message: null }, at);
      else if ('made' in line) finishRequest(tx, id, line.made, actor, at);
      else stopRequest(tx, id, line, at);
    });
  }

  /** The person in whose name the file is made; null once they may not have it any more. */
  #actorFor(reader: LedgerReader, id: string): Actor | null {
    const member = findMember(reader, id);
    if (member === undefined || !member.active || !isGranted('inspection.answer', member.role)) return null;
    return { kind: 'MEMBER', id, displayName: member.displayName, role: member.role };
  }
}
