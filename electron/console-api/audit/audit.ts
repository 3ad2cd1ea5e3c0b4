/** The audit log to browse and to export as CSV or XLSX (D17, D19, D214). */
import { Readable } from 'node:stream';
import { z } from 'zod';
import {
  actionsAfter,
  actorNames,
  explanationsOfTicker,
  listActions,
  type ActionFilter,
} from '../../../agent/ledger/audit/browse.ts';
import type { LedgerReader } from '../../../agent/ledger/storage/ledger.ts';
import { isGranted } from '../../../shared/policy/matrix.ts';
import type { AuditAction, AuditChain, Page } from '../../../shared/wire/console/console.ts';
import {
  auditActionSchema,
  auditChainSchema,
  auditCheckpointSchema,
  auditPeopleSchema,
  type AuditCheckpoint,
  type AuditPeople,
} from '../../../shared/wire/console/audit.ts';
import {
  AUDIT_LANGUAGES,
  fileCells,
  fileColumns,
  type AuditLanguage,
} from '../../../shared/wire/console/audit-words.ts';
import { pageOf } from '../../../shared/wire/console/common.ts';
import { CSV_MARK, csvLine } from '../../../shared/wire/csv.ts';
import { XLSX } from '../../../shared/wire/media.ts';
import type { SheetColumn } from '../../../shared/wire/workbook.ts';
import { allUnseenBy, refuseUnseen } from '../review/blind-reviews.ts';
import { preferred } from '../http/accept.ts';
import { endpoint } from '../http/endpoint.ts';
import { workbookAnswer } from '../http/workbook-answer.ts';
import { ApiError } from '../../../shared/wire/envelope.ts';
import { instant, LONGEST, paging, requiredText, switchedOnOr, wholeNumber } from '../http/schemas.ts';

const filterText = requiredText(LONGEST.search).optional();
const listQuery = z.strictObject({
  ...paging,
  /**
   * Includes the program's own actions, such as receiving explanations. Its actions on accounts are always included.
   */
  system: switchedOnOr(false),
  /** Whether the start and end of claims are included. */
  claims: switchedOnOr(true),
  /** Exact, or with `*` at the end: `explanation.*`. */
  action: filterText,
  /** Display name at that time. */
  actor: filterText,
  /** For the Tenant Admin only (D70). */
  actorId: filterText,
  targetType: filterText,
  targetId: filterText,
  /** The number of one row (D233). */
  seq: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional(),
  /** Rows about a ticker and about its explanations. */
  ticker: filterText,
  /** Rows that show this text, whatever its white space. */
  q: filterText,
  /** From this instant on, and before that one. */
  from: instant.optional(),
  to: instant.optional(),
  /**
   * For a file: actions in words and Korean time in this language, for people. Without it the fields of the JSON, for
   * programs.
   */
  language: z.enum(AUDIT_LANGUAGES).optional(),
});

/** Rows per read for a file. */
const STEP = 500;

export const auditHandlers = {
  'GET /api/v1/audit/actions': endpoint({
    refuses: [409],
    summary: 'The audit log, newest first; as CSV or XLSX, oldest first, by Accept',
    query: listQuery,
    result: pageOf(auditActionSchema),
    media: ['text/csv', XLSX],
    handle: ({ query, caller, context, request, reply, confirm }): Page<AuditAction> | Readable => {
      const { page, size, language, ...asked } = query;
      const accounts = isGranted('members.manage', caller.member.role);
      if (asked.actorId !== undefined && !accounts)
        throw new ApiError('COMMON403', 'Accounts are for the Tenant Admin: filter by the name of the person.');
      const filter: ActionFilter = {
        system: asked.system,
        claims: asked.claims,
        accounts,
        ...given('action', asked.action),
        ...given('actor', asked.actor),
        ...given('actorId', asked.actorId),
        ...given('targetType', asked.targetType),
        ...given('targetId', asked.targetId),
        ...given('seq', asked.seq),
        ...given('ticker', asked.ticker),
        ...given('words', asked.q),
        // Neither is what was decided about a text that it names.
        ...(asked.q === undefined ? {} : { withoutExplanations: allUnseenBy(context.ledger, caller) }),
        ...given('from', asked.from),
        ...given('to', asked.to),
      };
      if (asked.targetId !== undefined) refuseUnseen(context.ledger, caller, asked.targetId);
      // As for each of them: what was decided about one ticker is no log to browse.
      if (asked.ticker !== undefined)
        for (const id of explanationsOfTicker(context.ledger, asked.ticker)) refuseUnseen(context.ledger, caller, id);
      const form = preferred(request.headers.accept, 'application/json', ['text/csv', XLSX]);
      if (form !== null) {
        const nextTurn = async (): Promise<void> => {
          await context.readQueue.next(caller.member.id);
          // A slow reader's role may change: then the export breaks off.
          if (confirm(context.ledger)?.member.role !== caller.member.role) throw new ApiError('COMMON403');
        };
        const { columns, cells } = language === undefined ? fieldsFor(accounts) : wordsFor(language, accounts);
        const steps = stepsOf(nextTurn, context.ledger, filter);
        if (form === XLSX)
          return workbookAnswer(reply, 'console-action-log.xlsx', {
            name: SHEET_NAMES[language ?? 'en'],
            columns,
            rows: flat(steps, cells),
          });
        void reply
          .header('content-type', 'text/csv; charset=utf-8; header=present')
          .header('content-disposition', 'attachment; filename="console-action-log.csv"');
        return Readable.from(csv(steps, { columns, cells }));
      }
      const { rows, total } = context.ledger.read((reader) => listActions(reader, filter, { page, size }));
      return { items: rows, page, size, total };
    },
  }),

  'GET /api/v1/audit/people': endpoint({
    summary: 'The display names by which the audit log can be filtered',
    result: auditPeopleSchema,
    handle: ({ caller, context }): AuditPeople => {
      const accounts = isGranted('members.manage', caller.member.role);
      return { names: context.ledger.read((reader) => actorNames(reader, { accounts })) };
    },
  }),

  'GET /api/v1/audit/chain': endpoint({
    summary: 'Whether the audit log is whole, with the first row that is not, and what differs from what it tells',
    result: auditChainSchema,
    handle: async ({ caller, context }): Promise<AuditChain> => {
      const chain = await context.chainCheck.run(context);
      if (isGranted('members.manage', caller.member.role)) return chain;
      return {
        ...chain,
        altered: chain.altered.map((thing) => (thing.kind === 'ACCOUNT' ? { ...thing, name: null } : thing)),
      };
    },
  }),

  'GET /api/v1/audit/checkpoint': endpoint({
    summary: 'Where signed checkpoints of the audit log go, when the last was written, and whether the log differs',
    result: auditCheckpointSchema,
    handle: ({ context: { checkpoints } }): AuditCheckpoint => {
      if (checkpoints === null) return { place: null, lastAt: null, rows: null, failingSince: null, difference: null };
      const { lastAt, rows, failingSince, difference } = checkpoints.state();
      return { place: checkpoints.name, lastAt, rows: lastAt === null ? null : rows, failingSince, difference };
    },
  }),
};

function given<K extends string, V>(key: K, value: V | undefined): Partial<Record<K, V>> {
  return value === undefined ? {} : ({ [key]: value } as Record<K, V>);
}

const SHEET_NAMES: Readonly<Record<AuditLanguage, string>> = { ko: '감사 기록', en: 'Audit log' };

/** Turns a row into one of a file. */
interface FileForm {
  columns: readonly SheetColumn[];
  cells(row: AuditAction): readonly unknown[];
}

const COLUMNS = [
  'seq',
  'at',
  'actor',
  'actorId',
  'actorRole',
  'sourceAddress',
  'action',
  'targetType',
  'targetId',
  'detail',
  'hash',
] as const satisfies readonly (keyof AuditAction)[];

/** Columns about accounts, for the Tenant Admin only (D70). */
const OF_ACCOUNTS: ReadonlySet<(typeof COLUMNS)[number]> = new Set(['actorId', 'actorRole', 'sourceAddress']);

/** The fields of the JSON. */
function fieldsFor(accounts: boolean): FileForm {
  const fields = COLUMNS.filter((column) => accounts || !OF_ACCOUNTS.has(column));
  return {
    columns: fields.map((heading) => ({ heading, isNumber: heading === 'seq' })),
    cells: (row) => fields.map((field) => row[field]),
  };
}

const wordsFor = (language: AuditLanguage, accounts: boolean): FileForm => ({
  columns: fileColumns(language, accounts),
  cells: (row) => fileCells(row, language, accounts),
});

/** Read in steps, so that a long log neither fills the memory nor blocks other requests. */
async function* stepsOf(
  nextTurn: () => Promise<void>,
  ledger: LedgerReader,
  filter: ActionFilter,
): AsyncGenerator<AuditAction[]> {
  let last = 0;
  for (;;) {
    const rows = actionsAfter(ledger, filter, last, STEP);
    if (rows.length === 0) return;
    yield rows;
    last = rows.at(-1)?.seq ?? last;
    await nextTurn();
  }
}

async function* csv(steps: AsyncIterable<AuditAction[]>, { columns, cells }: FileForm): AsyncGenerator<string> {
  yield `${CSV_MARK}${csvLine(columns.map(({ heading }) => heading))}`;
  for await (const rows of steps) yield rows.map((row) => csvLine(cells(row))).join('');
}

async function* flat(
  steps: AsyncIterable<AuditAction[]>,
  cells: FileForm['cells'],
): AsyncGenerator<readonly unknown[]> {
  for await (const rows of steps) yield* rows.map(cells);
}
