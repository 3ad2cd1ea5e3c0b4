/** `GET /api/v1/events`: server-sent events that say "something changed, look again" (D17). */
import { endpoint } from '../http/endpoint.ts';

export const eventHandlers = {
  'GET /api/v1/events': endpoint({
    summary: 'Server-sent events: something has changed, read it again',
    media: 'text/event-stream',
    handle: ({ caller, context, reply }) => {
      const stream = context.events.open(caller.token, caller.member.id);
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
