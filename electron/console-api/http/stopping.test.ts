/** A request that began before the stop is answered as ever: the listener has no address of its own any more. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { beginRequest, refusesConnections } from '../../../test/support/half-request.ts';
import type { ConsoleApiService } from '../service.ts';
import { startService } from '../../../test/support/console-api/service.ts';
import { TestConsole } from '../../../test/support/console-api/console.ts';

let console: TestConsole;
let service: ConsoleApiService;
beforeAll(async () => {
  console = new TestConsole();
  service = await startService({ ledger: console.file });
});
afterAll(() => console.close());

test('a request that ends during the stop gets its answer', async () => {
  const port = Number(new URL(service.url).port);
  const end = await beginRequest(port, '/api/v1/auth/session');
  const stopped = service.stop();
  await refusesConnections(port);
  expect(await end()).toBe(401);
  await stopped;
});
