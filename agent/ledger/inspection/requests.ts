/** The requests of inspectors on record: who asked for what, and what became of it. Each act is in the audit log. */
import { sql } from 'kysely';
import type { AuditLanguage } from '../../../shared/wire/console/audit-words.ts';
import {
  INSPECTION_KEPT_DAYS,
  INSPECTION_STATES,
  type InspectionForm,
  type InspectionStop,
  isInspectionOver,
} from '../../../shared/wire/console/constants.ts';
import type { Inspection, InspectionOutcomes, InspectionQuery } from '../../../shared/wire/console/inspection.ts';
import { recordAction, type Actor } from '../audit/audit.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { sqlite } from '../storage/query.ts';
import type { InspectionRequestTable } from '../storage/inspection-table.ts';
import { InspectionStateError, UnknownInspectionError } from './errors.ts';
import type { Made } from './work.ts';

export type Member = Extract<Actor, { kind: 'MEMBER' }>;
export type RequestRow = InspectionRequestTable;

const DAY_MS = 86_400_000;

export interface NewRequest {
  id: string;
  form: InspectionForm;
  language: AuditLanguage;
  query: InspectionQuery;
  total: number;
  outcomes: InspectionOutcomes;
}

export function addRequest(
  tx: LedgerTransaction,
  { query, outcomes, ...request }: NewRequest,
  actor: Member,
  at: string,
): void {
  tx.run(
    sqlite.insertInto('inspection_request').values({
      ...request,
      query: JSON.stringify(query),
      outcomes: JSON.stringify(outcomes),
      asked_by_id: actor.id,
      asked_by: actor.displayName,
      asked_at: at,
      for_id: actor.id,
      state: 'OPEN',
      stop: null,
      message: null,
      ended_at: null,
      bytes: null,
      sha256: null,
      kept_until: null,
    }),
  );
  record(tx, 'inspection.ask', { ...request, query: JSON.stringify(query) }, actor, at, { total: request.total });
}

/** @throws UnknownInspectionError */
export function requestOf(reader: LedgerReader, id: string): RequestRow {
  const row = reader.first(sqlite.selectFrom('inspection_request').selectAll().where('id', '=', id));
  if (row === undefined) throw new UnknownInspectionError(id);
  return row;
}

/** Newest first. */
export function listRequests(
  reader: LedgerReader,
  { page, size }: { page: number; size: number },
): { rows: RequestRow[]; total: number } {
  const rows = reader.all(
    sqlite
      .selectFrom('inspection_request')
      .selectAll()
      .orderBy('asked_at', 'desc')
      .orderBy('id')
      .limit(size)
      .offset((page - 1) * size),
  );
  const counted = reader.first(sqlite.selectFrom('inspection_request').select(sql<number>`count(*)`.as('n')));
  return { rows, total: counted?.n ?? 0 };
}

/** The request whose turn is next. */
export const nextOpen = (reader: LedgerReader): RequestRow | undefined =>
  reader.first(
    sqlite
      .selectFrom('inspection_request')
      .selectAll()
      .where('state', '=', sql.lit('OPEN'))
      .orderBy('asked_at')
      .orderBy('id')
      .limit(1),
  );

const WITH_FILES = INSPECTION_STATES.filter((state) => !isInspectionOver(state));

/** All whose files may be there. */
export const storedRequests = (reader: LedgerReader): RequestRow[] =>
  reader.all(sqlite.selectFrom('inspection_request').selectAll().where('state', 'in', WITH_FILES));

/** Parts of a request that has stopped are kept as long as a file. */
const keptUntil = (at: string): string => new Date(Date.parse(at) + INSPECTION_KEPT_DAYS * DAY_MS).toISOString();

/** The file is made: the row of the export says what it holds. */
export function finishRequest(tx: LedgerTransaction, id: string, made: Made, actor: Actor, at: string): void {
  const row = requestOf(tx, id);
  if (row.state !== 'OPEN') throw new InspectionStateError('The request is not being made.');
  set(tx, id, {
    state: 'READY',
    ended_at: at,
    bytes: made.bytes,
    sha256: made.sha256,
    outcomes: JSON.stringify(made.outcomes),
    kept_until: keptUntil(at),
  });
  record(tx, 'inspection.make', row, actor, at, {
    explanations: made.explanations,
    outcomes: made.outcomes,
    bytes: made.bytes,
    sha256: made.sha256,
    listSha256: made.listSha256,
  });
}

export function stopRequest(
  tx: LedgerTransaction,
  id: string,
  { stop, message }: { stop: InspectionStop; message: string | null },
  at: string,
): void {
  if (requestOf(tx, id).state === 'OPEN')
    set(tx, id, { state: 'STOPPED', stop, message, ended_at: at, kept_until: keptUntil(at) });
}

/** @throws InspectionStateError */
export function continueRequest(tx: LedgerTransaction, id: string, actor: Member, at: string): void {
  const row = requestOf(tx, id);
  if (row.state !== 'STOPPED') throw new InspectionStateError('Only a request that has stopped can be continued.');
  set(tx, id, { state: 'OPEN', stop: null, message: null, ended_at: null, kept_until: null, for_id: actor.id });
  record(tx, 'inspection.continue', row, actor, at, {});
}

/** Ends a request or removes its file; its row stays. @throws InspectionStateError */
export function removeRequest(tx: LedgerTransaction, id: string, actor: Actor, at: string): void {
  const row = requestOf(tx, id);
  if (isInspectionOver(row.state)) throw new InspectionStateError('The request has been cancelled or deleted already.');
  const isReady = row.state === 'READY';
  set(tx, id, {
    state: isReady ? 'DELETED' : 'CANCELLED',
    stop: null,
    message: null,
    ended_at: at,
  });
  record(tx, isReady ? 'inspection.delete' : 'inspection.cancel', row, actor, at, fileOf(row));
}

/** A request whose file is made. @throws UnknownInspectionError, InspectionStateError */
export function readyRequest(reader: LedgerReader, id: string): RequestRow {
  const row = requestOf(reader, id);
  if (row.state !== 'READY') throw new InspectionStateError('The request has no file.');
  return row;
}

/**
 * @param isWorkbook the rows of the list as an XLSX; the hash on record is that of the CSV, which the rows make
 * @throws UnknownInspectionError, InspectionStateError
 */
export function recordDownload(
  tx: LedgerTransaction,
  id: string,
  actor: Actor,
  at: string,
  isWorkbook: boolean,
): RequestRow {
  const row = readyRequest(tx, id);
  record(tx, 'inspection.download', row, actor, at, { ...fileOf(row), ...(isWorkbook ? { as: 'XLSX' } : {}) });
  return row;
}

const fileOf = ({ bytes, sha256 }: RequestRow): object => (sha256 === null ? {} : { bytes, sha256 });

function set(tx: LedgerTransaction, id: string, change: Partial<RequestRow>): void {
  tx.run(sqlite.updateTable('inspection_request').set(change).where('id', '=', id));
}

function record(
  tx: LedgerTransaction,
  action: string,
  { id, form, query }: Pick<RequestRow, 'id' | 'form' | 'query'>,
  actor: Actor,
  at: string,
  detail: object,
): void {
  recordAction(tx, {
    ...{ at, actor, action },
    targetType: 'inspection',
    targetId: id,
    detail: { form, query: JSON.parse(query) as unknown, ...detail },
  });
}

/** @param done explanations whose part is finished */
export function toInspection(row: RequestRow, done: number): Inspection {
  return {
    id: row.id,
    form: row.form,
    language: row.language,
    query: JSON.parse(row.query) as InspectionQuery,
    total: row.total,
    outcomes: JSON.parse(row.outcomes) as InspectionOutcomes,
    askedBy: row.asked_by,
    askedAt: row.asked_at,
    state: row.state,
    done: row.state === 'READY' || row.state === 'DELETED' ? row.total : Math.min(done, row.total),
    stop: row.stop,
    message: row.message,
    endedAt: row.ended_at,
    bytes: row.bytes,
    sha256: row.sha256,
    keptUntil: isInspectionOver(row.state) ? null : row.kept_until,
  };
}
