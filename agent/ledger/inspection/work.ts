/**
 * Makes the file of an inspector's request in a folder of its own. The folder holds the request with its frozen list,
 * one part for each dossier (or some hundred rows of a list), and at the end the file. A part and the file get their
 * name only when they are whole and on disk, so that work which was cut off goes on where it stood.
 */
import { createHash, hash, type KeyObject } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import type { Checkpoint } from '../../../shared/service/checkpoints/checkpoint.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import type { AuditLanguage } from '../../../shared/wire/console/audit-words.ts';
import type { InspectionOutcomes, InspectionQuery } from '../../../shared/wire/console/inspection.ts';
import type { ExplanationStatus, InspectionForm } from '../../../shared/wire/console/constants.ts';
import { PRODUCT_VERSION } from '../../../shared/wire/version.ts';
import { chainEnd, goesOnFrom } from '../audit/audit.ts';
import { LogNotWholeError } from '../audit/log-tree.ts';
import { listedOf } from '../dossier/collect.ts';
import { readJsonFile, UnfitDossierError, unseal } from '../dossier/container.ts';
import { RECORD, recordSchema } from '../dossier/contents.ts';
import { DossierError, DossierTooLargeError } from '../dossier/errors.ts';
import { dossierWithin } from '../dossier/make.ts';
import { RecordNotWholeError } from '../shown/errors.ts';
import { asLedgerError, LedgerDamagedError } from '../storage/errors.ts';
import { DAMAGED } from '../storage/fault-answers.ts';
import type { LedgerReader } from '../storage/ledger.ts';
import { archiveOf, dossierName, LIST, MOST_ARCHIVE_BYTES, type ArchiveFile } from './archive.ts';
import { InspectionStoppedError } from './errors.ts';
import { outcomesOf } from './find.ts';
import { listCells, listHead, listRow, statusOf, type ListCells } from './list-row.ts';
import { csvLine } from '../../../shared/wire/csv.ts';
import { rowLine, ROWS_FILE } from './list-file.ts';

/** The request as its folder holds it. */
export interface Order {
  id: string;
  form: InspectionForm;
  language: AuditLanguage;
  query: InspectionQuery;
  /** Display name of the person who asked. */
  madeBy: string;
  ids: readonly string[];
  /** The end of the audit log when the list was made. */
  head: { seq: number; hash: string };
}

/** The finished file. */
export interface Made {
  file: string;
  bytes: number;
  sha256: string;
  listSha256: string;
  explanations: number;
  outcomes: InspectionOutcomes;
}

export interface WorkParts {
  ledger: { read<T>(work: (reader: LedgerReader) => T): T };
  key: KeyObject;
  checkpoints: readonly Checkpoint[];
  clock: Clock;
  /** Leaves the machine to others after some work. */
  rest(): Promise<unknown>;
  /** Free bytes of the folder's disk; absent: as the system says. */
  freeBytes?: (folder: string) => number;
}

/** Rows of one part of a list. */
const ROWS = 200;
/** So much stays free for the ledger beside it. */
const KEEP_FREE = 512 * 1024 ** 2;

const ORDER = 'request.json';
const HEAD = 'head.json';
const MADE = 'made.json';
const PARTS = 'parts';

export const fileOf = (form: InspectionForm): string => (form === 'LIST' ? LIST : 'archive.zip');

/** Makes the folder of a request. Nothing is there by its name until it is whole. */
export function layOut(folder: string, order: Order): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  put(path.join(folder, ORDER), [json(order)]);
}

export const isLaidOut = (folder: string): boolean => existsSync(path.join(folder, ORDER));

export const readOrder = (folder: string): Order => JSON.parse(readFileSync(path.join(folder, ORDER), 'utf8')) as Order;

/**
 * Does what is left of the work, part by part.
 *
 * @returns the file; yields the number of explanations whose part is finished
 * @throws InspectionStoppedError
 */
export async function* workOn(folder: string, parts: WorkParts): AsyncGenerator<number, Made> {
  try {
    return yield* work(folder, parts);
  } catch (error) {
    throw stopOf(error);
  }
}

/** A refusal that people can act on; other errors are faults of the program. */
function stopOf(error: unknown): unknown {
  if (error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT'))
    return new InspectionStoppedError('DISK_FULL', 'The disk is full.');
  if (asLedgerError('', error) instanceof LedgerDamagedError) return new InspectionStoppedError('RECORD', DAMAGED);
  const isOfRecord = [DossierError, DossierTooLargeError, LogNotWholeError, RecordNotWholeError].some(
    (kind) => error instanceof kind,
  );
  return isOfRecord && error instanceof Error ? new InspectionStoppedError('RECORD', error.message) : error;
}

async function* work(folder: string, parts: WorkParts): AsyncGenerator<number, Made> {
  const made = path.join(folder, MADE);
  if (existsSync(made)) return JSON.parse(readFileSync(made, 'utf8')) as Made;
  const order = readOrder(folder);
  mkdirSync(path.join(folder, PARTS), { recursive: true, mode: 0o700 });
  const groups = order.form === 'LIST' ? chunked(order.ids, ROWS) : order.ids.map((id) => [id]);
  let done = 0;
  for (const [index, ids] of groups.entries()) {
    done += ids.length;
    if (existsSync(partOf(folder, order, index))) continue;
    makePart(folder, { ...parts, order, index, ids });
    yield done;
    await parts.rest();
  }
  const told =
    order.form === 'LIST'
      ? await joinList(folder, order, groups.length, parts)
      : await joinArchive(folder, order, parts);
  put(made, [json(told)]);
  rmSync(path.join(folder, PARTS), { recursive: true, force: true });
  return told;
}

const partOf = (folder: string, { form }: Order, index: number): string =>
  path.join(folder, PARTS, `${String(index + 1).padStart(6, '0')}.${form === 'LIST' ? 'cells' : 'zip'}`);

/** Rows of a list, as its part holds them. */
interface ListPart {
  rows: ListCells[];
  states: ExplanationStatus[];
}

function makePart(
  folder: string,
  { order, index, ids, ledger, clock, ...parts }: WorkParts & { order: Order; index: number; ids: readonly string[] },
): void {
  refuseFullDisk(folder, parts);
  const headFile = path.join(folder, HEAD);
  const { content, head } = ledger.read((reader) => {
    // A backup may have replaced the ledger since the last part.
    const before = existsSync(headFile) ? (JSON.parse(readFileSync(headFile, 'utf8')) as Order['head']) : order.head;
    if (!goesOnFrom(reader, before))
      throw new InspectionStoppedError('RESTORED', 'The ledger was restored from a backup meanwhile: ask again.');
    const head = chainEnd(reader);
    const [id = ''] = ids;
    if (order.form === 'ARCHIVE') {
      const about = { now: clock.now(), madeBy: order.madeBy, key: parts.key, checkpoints: parts.checkpoints };
      return { content: dossierWithin(reader, { kind: 'EXPLANATION', id }, about), head };
    }
    const listed = ids.map((one) => listedOf(reader, one));
    const part: ListPart = { rows: listed.map((one) => listCells(one, order.language)), states: listed.map(statusOf) };
    return { content: json(part), head };
  });
  put(partOf(folder, order, index), [content]);
  put(headFile, [json(head)]);
}

function refuseFullDisk(folder: string, { freeBytes = free }: Pick<WorkParts, 'freeBytes'>, needed = 0): void {
  if (freeBytes(folder) < KEEP_FREE + needed)
    throw new InspectionStoppedError(
      'DISK_FULL',
      `Less than ${KEEP_FREE / 1024 ** 2} MB would stay free for the ledger.`,
    );
}

function free(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

async function joinList(folder: string, order: Order, count: number, parts: WorkParts): Promise<Made> {
  const states: ExplanationStatus[] = [];
  const digest = hashing();
  const write = writing(path.join(folder, LIST));
  const rows = writing(path.join(folder, ROWS_FILE));
  write.add(digest.of(Buffer.from(listHead(order.language))));
  for (let index = 0; index < count; index += 1) {
    const part = JSON.parse(readFileSync(partOf(folder, order, index), 'utf8')) as ListPart;
    states.push(...part.states);
    write.add(digest.of(Buffer.from(part.rows.map(csvLine).join(''))));
    rows.add(Buffer.from(part.rows.map(rowLine).join('')));
    await parts.rest();
  }
  rows.end();
  write.end();
  const { bytes, sha256 } = digest.end();
  return { file: LIST, bytes, sha256, listSha256: sha256, explanations: states.length, outcomes: outcomesOf(states) };
}

async function joinArchive(folder: string, order: Order, parts: WorkParts): Promise<Made> {
  const files: ArchiveFile[] = [];
  const rows: string[] = [];
  const states: ExplanationStatus[] = [];
  for (const [index, id] of order.ids.entries()) {
    const part = partOf(folder, order, index);
    const bytes = readFileSync(part);
    const explanation = explanationIn(bytes);
    if (explanation === null) {
      // A fault of the disk: the part is made again when the work is continued.
      rmSync(part);
      throw new InspectionStoppedError('RECORD', `The part ${path.basename(part)} was damaged on the disk: continue.`);
    }
    files.push({ name: dossierName(id), bytes: bytes.length, sha256: hash('sha256', bytes) });
    rows.push(listRow(explanation, order.language));
    states.push(statusOf(explanation));
    await parts.rest();
  }
  const list = Buffer.from(listHead(order.language) + rows.join(''));
  files.unshift({ name: LIST, bytes: list.length, sha256: hash('sha256', list) });
  const needed = files.reduce((sum, each) => sum + each.bytes + 512, 0);
  if (needed > MOST_ARCHIVE_BYTES)
    throw new InspectionStoppedError(
      'RECORD',
      'The dossiers are larger than one archive holds: ask for a shorter span.',
    );
  refuseFullDisk(folder, parts, needed);
  const about = {
    program: PRODUCT_VERSION,
    id: order.id,
    madeAt: parts.clock.now().toISOString(),
    madeBy: order.madeBy,
    language: order.language,
    query: order.query,
    counts: { total: states.length, outcomes: outcomesOf(states) },
    files,
  };
  const byName = new Map(order.ids.map((id, index) => [dossierName(id), partOf(folder, order, index)]));
  const digest = hashing();
  const name = fileOf('ARCHIVE');
  const write = writing(path.join(folder, name));
  for (const piece of archiveOf(about, parts.key, ({ name }) => {
    const part = byName.get(name);
    return part === undefined ? list : readFileSync(part);
  })) {
    write.add(digest.of(piece));
    await parts.rest();
  }
  write.end();
  return {
    ...{ file: name, ...digest.end(), listSha256: files[0]?.sha256 ?? '' },
    ...{ explanations: states.length, outcomes: about.counts.outcomes },
  };
}

/** The explanation that a dossier tells of; null where the file is damaged. */
function explanationIn(bytes: Uint8Array) {
  try {
    const { files } = unseal(bytes);
    return readJsonFile(RECORD, files.get(RECORD), recordSchema).explanations[0] ?? null;
  } catch (error) {
    if (error instanceof UnfitDossierError) return null;
    throw error;
  }
}

const json = (value: unknown): Uint8Array => Buffer.from(`${JSON.stringify(value)}\n`);

function chunked<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size));
}

/** A file that gets its name only when it is whole and on disk. */
function writing(file: string): { add(bytes: Uint8Array): void; end(): void } {
  const temporary = `${file}.${process.pid}.part`;
  const handle = openSync(temporary, 'w', 0o600);
  let isOpen = true;
  const close = (): void => {
    if (isOpen) closeSync(handle);
    isOpen = false;
  };
  return {
    add: (bytes) => {
      try {
        for (let at = 0; at < bytes.length;) at += writeSync(handle, bytes, at);
      } catch (error) {
        close();
        rmSync(temporary, { force: true });
        throw error;
      }
    },
    end: () => {
      fsyncSync(handle);
      close();
      renameSync(temporary, file);
    },
  };
}

function put(file: string, pieces: readonly Uint8Array[]): void {
  const write = writing(file);
  for (const piece of pieces) write.add(piece);
  write.end();
}

function hashing() {
  const digest = createHash('sha256');
  let bytes = 0;
  return {
    of: (piece: Uint8Array): Uint8Array => {
      digest.update(piece);
      bytes += piece.length;
      return piece;
    },
    end: () => ({ bytes, sha256: digest.digest('hex') }),
  };
}
