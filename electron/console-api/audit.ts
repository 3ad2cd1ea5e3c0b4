/** The audit log for people to browse and to take along as CSV (D17, D19). */
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { actionsAfter, listActions, type ActionFilter } from '../../agent/ledger/audit-log.ts';
import type { Ledger } from '../../agent/ledger/ledger.ts';
import { isGranted } from '../../shared/policy/matrix.ts';
import type { AuditAction, AuditChain, Page } from '../../shared/wire/console.ts';
import { auditActionSchema, auditChainSchema } from '../../shared/wire/console/audit.ts';
import { pageOf } from '../../shared/wire/console/common.ts';
import { endpoint } from './endpoint.ts';
import { instant, LONGEST, paging, requiredText, switchedOn } from './schemas.ts';

const filterText = requiredText(LONGEST.search).optional();
const listQuery = z.strictObject({
  ...paging,
  /** What the program did by itself as well, such as taking explanations in. */
  system: switchedOn.default(false),
  /** Exact, or with `*` at the end: `explanation.*`. */
  action: filterText,
  actorId: filterText,
  targetType: filterText,
  targetId: filterText,
  /** From this instant on, and before that one. */
  from: instant.optional(),
  to: instant.optional(),
});

/** Rows that are read at a time for a CSV. */
const STEP = 500;

export const auditHandlers = {
  'GET /api/v1/audit/actions': endpoint({
    summary: 'Who did what, newest first; as CSV, oldest first, by Accept: text/csv',
    query: listQuery,
    result: pageOf(auditActionSchema),
    handle: ({ query, caller, context, request, reply }): Page<AuditAction> | Readable => {
      const { page, size, ...asked } = query;
      const filter: ActionFilter = {
        system: asked.system,
        accounts: isGranted('members.manage', caller.member.role),
        ...given('action', asked.action),
        ...given('actorId', asked.actorId),
        ...given('targetType', asked.targetType),
        ...given('targetId', asked.targetId),
        ...given('from', asked.from),
        ...given('to', asked.to),
      };
      if (request.headers.accept?.split(',').some((type) => type.trim().startsWith('text/csv')) === true) {
        void reply
          .header('content-type', 'text/csv; charset=utf-8; header=present')
          .header('content-disposition', 'attachment; filename="console-action-log.csv"');
        return Readable.from(csv(context.ledger, filter));
      }
      const { rows, total } = context.ledger.read((reader) => listActions(reader, filter, { page, size }));
      return { items: rows, page, size, total };
    },
  }),

  'GET /api/v1/audit/chain': endpoint({
    summary: 'Whether the audit log is whole, with the first row that is not',
    result: auditChainSchema,
    handle: ({ context }): Promise<AuditChain> => context.chainCheck.run(context),
  }),
};

function given<K extends string>(key: K, value: string | undefined): Partial<Record<K, string>> {
  return value === undefined ? {} : ({ [key]: value } as Record<K, string>);
}

const COLUMNS = [
  'seq',
  'at',
  'actor',
  'actorId',
  'actorRole',
  'action',
  'targetType',
  'targetId',
  'detail',
  'hash',
] as const satisfies readonly (keyof AuditAction)[];

/** Read in steps, so that a long log neither fills the memory nor holds up others. */
async function* csv(ledger: Ledger, filter: ActionFilter): AsyncGenerator<string> {
  // Spreadsheets take a file for UTF-8 by this mark alone.
  yield `\ufeff${COLUMNS.join(',')}\r\n`;
  let last = 0;
  for (;;) {
    const rows = actionsAfter(ledger, filter, last, STEP);
    if (rows.length === 0) return;
    yield rows.map((row) => `${COLUMNS.map((column) => cell(row[column])).join(',')}\r\n`).join('');
    last = rows.at(-1)?.seq ?? last;
    await nextTurn();
  }
}

/** RFC 4180; a text that a spreadsheet would take for a formula is kept from being one. */
function cell(value: AuditAction[(typeof COLUMNS)[number]]): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
