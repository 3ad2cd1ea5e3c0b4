/** `GET /api/v1/events`: server-sent events that say "something changed, look again" (D17). */
import { z } from 'zod';
import { MARK } from '../../../agent/ledger/storage/watch.ts';
import { endpoint } from '../http/endpoint.ts';

export const eventHandlers = {
  'GET /api/v1/events': endpoint({
    summary: 'Server-sent events: something has changed, read it again',
    media: ['text/event-stream'],
    query: z.strictObject({ since: z.string().regex(MARK).optional() }),
    handle: ({ caller, context, query, reply }) => {
      const stream = context.events.open(caller.token, caller.member.id, query.since);
      void reply
        .header('content-type', 'text/event-stream; charset=utf-8')
        // A proxy in between must forward every line at once.
        .header('x-accel-buffering', 'no')
        // The connection carries nothing else, so that a stop of the server need not wait for it.
        .header('connection', 'close');
      return stream;
    },
  }),
};
