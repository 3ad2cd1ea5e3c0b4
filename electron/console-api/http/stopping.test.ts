/** A request that began before the stop is answered as ever: the listener has no address of its own any more. */
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock, systemIds } from '../../../shared/time/clock.ts';
import { beginRequest, refusesConnections } from '../../../test/support/half-request.ts';
import { startConsoleApi, type ConsoleApiService } from '../service.ts';
import { LIMITS, TestConsole } from '../testing.ts';

let console: TestConsole;
let service: ConsoleApiService;
beforeAll(async () => {
  console = new TestConsole();
  service = await startConsoleApi({
    ledger: console.file,
    listen: { host: '127.0.0.1', port: 0 },
    demo: false,
    metricsListen: null,
    limits: LIMITS,
    relay: null,
    checkpoints: null,
    sso: null,
    pages: path.join(console.folder, 'pages'),
    clock: systemClock,
    ids: systemIds,
    log: false,
  });
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
