/** Internal notes on an item, and the timeline of notes, transitions, decisions and claims. */
import { z } from 'zod';
import { addNote, timelineOf } from '../../../agent/ledger/review/notes.ts';
import type { Page, ReviewNote, TimelineEntry } from '../../../shared/wire/console/console.ts';
import { pageOf } from '../../../shared/wire/console/common.ts';
import { reviewNoteSchema, timelineEntrySchema } from '../../../shared/wire/console/timeline.ts';
import { refuseUnseen } from './blind-reviews.ts';
import { actorOf } from '../context/context.ts';
import { endpoint } from '../http/endpoint.ts';
import { idPath, LONGEST, paging, requiredWrittenText } from '../http/schemas.ts';

export const noteHandlers = {
  'GET /api/v1/review/items/{id}/timeline': endpoint({
    refuses: [409],
    summary: 'Moves, decisions, notes and claims of an item, newest first, page by page',
    path: idPath,
    query: z.strictObject(paging),
    result: pageOf(timelineEntrySchema),
    handle: ({ path, query, caller, context }): Page<TimelineEntry> => {
      const { entries, total } = context.ledger.read((reader) => {
        refuseUnseen(reader, caller, path.id);
        return timelineOf(reader, path.id, query);
      });
      return { items: entries, page: query.page, size: query.size, total };
    },
  }),

  'POST /api/v1/review/items/{id}/notes': endpoint({
    summary: 'Add an internal note to an item; the item keeps its version',
    path: idPath,
    ifMatch: true,
    body: z.strictObject({ text: requiredWrittenText(LONGEST.note) }),
    result: reviewNoteSchema,
    handle: ({ path, body, caller, context, expected, write }): Promise<ReviewNote> => {
      const at = context.clock.now().toISOString();
      return write((tx) => addNote(tx, { id: path.id, actor: actorOf(caller), at, text: body.text, ...expected }));
    },
  }),
};
