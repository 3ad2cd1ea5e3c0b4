/** The end of an answer, also for whom it has come already. */
import type { ServerResponse } from 'node:http';

/**
 * Calls `end` once when the last byte of an answer has left or its connection has ended. The caller may have gone while
 * something was awaited, and `close` is not told a second time.
 */
export function whenOver(response: ServerResponse, end: () => void): void {
  if (response.closed) end();
  else response.once('close', end);
}
