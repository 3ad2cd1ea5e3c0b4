/** Requests of inspectors (D174): counted first, then made in the background, downloaded, cancelled and deleted. */
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { chainEnd } from '../../../agent/ledger/audit/audit.ts';
import { listInspected, refuseQuery, refuseTotal, type Listed } from '../../../agent/ledger/inspection/find.ts';
import {
  addRequest,
  continueRequest,
  listRequests,
  readyRequest,
  recordDownload,
  removeRequest,
  requestOf,
  toInspection,
  type RequestRow,
} from '../../../agent/ledger/inspection/requests.ts';
import { listColumns } from '../../../agent/ledger/inspection/list-row.ts';
import { isLaidOut } from '../../../agent/ledger/inspection/work.ts';
import { pageOf } from '../../../shared/wire/console/common.ts';
import { EXPLANATION_STATUSES, INSPECTION_FORMS, inspectionFileName } from '../../../shared/wire/console/constants.ts';
import type { Page } from '../../../shared/wire/console/console.ts';
import { AUDIT_LANGUAGES } from '../../../shared/wire/console/audit-words.ts';
import {
  inspectionCountsSchema,
  inspectionSchema,
  type Inspection,
  type InspectionCounts,
  type InspectionQuery,
} from '../../../shared/wire/console/inspection.ts';
import { ApiError } from '../../../shared/wire/envelope.ts';
import { XLSX } from '../../../shared/wire/media.ts';
import { actorOf, type Caller, type ConsoleContext } from '../context/context.ts';
import { preferred } from '../http/accept.ts';
import { endpoint } from '../http/endpoint.ts';
import { workbookAnswer } from '../http/workbook-answer.ts';
import { date, idPath, LONGEST, paging, requiredText } from '../http/schemas.ts';

const query = z.strictObject({
  from: date,
  to: date,
  ticker: requiredText(40).optional(),
  person: requiredText(LONGEST.displayName).optional(),
  outcomes: z.array(z.enum(EXPLANATION_STATUSES)).min(1).max(EXPLANATION_STATUSES.length).optional(),
  word: requiredText(LONGEST.search).optional(),
  reason: requiredText(LONGEST.search).optional(),
});

export const inspectionHandlers = {
  'GET /api/v1/inspections': endpoint({
    summary: 'Requests of inspectors, newest first, with how far each is',
    query: z.strictObject(paging),
    result: pageOf(inspectionSchema),
    handle: ({ query: { page, size }, context }): Page<Inspection> => {
      const { rows, total } = context.ledger.read((reader) => listRequests(reader, { page, size }));
      return { items: rows.map((row) => told(context, row)), page, size, total };
    },
  }),
  'POST /api/v1/inspections/counts': endpoint({
    summary: 'How many explanations a request of an inspector means; nothing is made',
    body: query,
    refuses: [404],
    result: inspectionCountsSchema,
    handle: async ({ body, context, caller, confirm }): Promise<InspectionCounts> => {
      const { total, outcomes } = await found(context, caller, given(body), confirm);
      return { total, outcomes };
    },
  }),
  'POST /api/v1/inspections': endpoint({
    summary: 'Ask for a list of explanations, or for one archive of their dossiers; it is made in the background',
    body: query.extend({ form: z.enum(INSPECTION_FORMS), language: z.enum(AUDIT_LANGUAGES) }),
    refuses: [404],
    result: inspectionSchema,
    handle: async ({ body, context, caller, write, confirm }): Promise<Inspection> => {
      const { form, language, ...asked } = body;
      const wanted = given(asked);
      const { ids, total, outcomes } = await found(context, caller, wanted, confirm);
      refuseTotal(total, form);
      const id = context.ids.uuid();
      const head = chainEnd(context.ledger);
      const { displayName: madeBy } = caller.member;
      context.inspections.layOut({ id, form, language, query: wanted, madeBy, ids, head });
      let row: RequestRow;
      try {
        row = await write((tx) => {
          addRequest(tx, { id, form, language, query: wanted, total, outcomes }, actorOf(caller), now(context));
          return requestOf(tx, id);
        });
      } catch (error) {
        context.inspections.discard(id);
        throw error;
      }
      context.inspections.wake();
      return told(context, row);
    },
  }),
  'POST /api/v1/inspections/{id}/continue': endpoint({
    summary: 'Continue a request that has stopped, where it stood',
    path: idPath,
    refuses: [404, 409],
    result: inspectionSchema,
    handle: async ({ path: { id }, context, caller, write, confirm }): Promise<Inspection> => {
      const { inspections } = context;
      const before = requestOf(context.ledger, id);
      // After a restore the list is made anew: the parts are of a ledger that is no more.
      if (before.stop === 'RESTORED' || (before.state === 'STOPPED' && !isLaidOut(inspections.folderOf(id)))) {
        const wanted = JSON.parse(before.query) as InspectionQuery;
        const { ids, total } = await found(context, caller, wanted, confirm);
        refuseTotal(total, before.form);
        inspections.discard(id);
        const { form, language } = before;
        const order = { id, form, language, query: wanted, madeBy: caller.member.displayName, ids };
        inspections.layOut({ ...order, head: chainEnd(context.ledger) });
      } else if (before.state === 'STOPPED') inspections.handOver(id, caller.member.displayName);
      const row = await write((tx) => {
        continueRequest(tx, id, actorOf(caller), now(context));
        return requestOf(tx, id);
      });
      inspections.wake();
      return told(context, row);
    },
  }),
  'POST /api/v1/inspections/{id}/download': endpoint({
    summary: 'The file of a finished request, a list as CSV or XLSX by Accept; each download is put on record',
    path: idPath,
    refuses: [404, 409],
    media: ['application/zip', 'text/csv', XLSX],
    handle: async ({ path: { id }, context, caller, request, write, reply }): Promise<Readable> => {
      const ready = readyRequest(context.ledger, id);
      const isWorkbook = ready.form === 'LIST' && preferred(request.headers.accept, 'text/csv', [XLSX]) !== null;
      const place = isWorkbook ? null : await context.inspections.placeOf(ready);
      const rows = isWorkbook ? await context.inspections.rowsOf(ready) : null;
      if (place === null && rows === null)
        throw new ApiError(
          'COMMON404',
          'The file is no longer there as it was made: delete the request and ask again.',
        );
      const row = await write((tx) => recordDownload(tx, id, actorOf(caller), now(context), isWorkbook));
      const isList = row.form === 'LIST';
      const name = inspectionFileName({ id, form: row.form, at: row.asked_at, isWorkbook });
      if (place === null)
        return workbookAnswer(reply, name, {
          name: row.language === 'ko' ? '목록' : 'List',
          columns: listColumns(row.language),
          rows: rows ?? [],
        });
      void reply
        .header('content-type', isList ? 'text/csv; charset=utf-8; header=present' : 'application/zip')
        .header('content-length', row.bytes ?? 0)
        .header('content-disposition', `attachment; filename="${name}"`);
      return createReadStream(place);
    },
  }),
  'DELETE /api/v1/inspections/{id}': endpoint({
    summary: 'Cancel a request, or delete its file; who asked for what stays on record',
    path: idPath,
    refuses: [404, 409],
    handle: async ({ path: { id }, context, caller, write }): Promise<void> => {
      await write((tx) => removeRequest(tx, id, actorOf(caller), now(context)));
      context.inspections.discard(id);
    },
  }),
};

const now = ({ clock }: ConsoleContext): string => clock.now().toISOString();

const told = ({ inspections }: ConsoleContext, row: RequestRow): Inspection =>
  toInspection(row, inspections.doneOf(row.id));

type Given = { [K in keyof InspectionQuery]: InspectionQuery[K] | undefined };

/** Without the conditions that were not given. */
const given = (asked: Given): InspectionQuery =>
  Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined)) as InspectionQuery;

/** Between two steps other people's requests are answered. */
async function found(
  context: ConsoleContext,
  caller: Caller,
  wanted: InspectionQuery,
  confirm: (reader: ConsoleContext['ledger']) => Caller | null,
): Promise<Listed> {
  refuseQuery(context.ledger, wanted, context.clock.now());
  const listed = await listInspected(context.ledger, wanted, () => context.readQueue.next(caller.member.id));
  confirm(context.ledger);
  return listed;
}
