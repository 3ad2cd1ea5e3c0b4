/** The console API's metrics: counts of its requests, without personal data. */
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { seedDemo } from '../../../agent/ledger/demo/seed.ts';
import { openLedger } from '../../../agent/ledger/storage/ledger.ts';
import { newEntry, receive } from '../../../test/support/agent/ledger.ts';
import { TestFixture } from '../../../test/support/process.ts';
import { samplesIn } from '../../../test/support/monitoring.ts';
import { systemClock, systemIds } from '../../../shared/time/clock.ts';
import { OWN_VERSIONS, VERSION_HEADER, versionsText } from '../../../shared/wire/version.ts';
import type { ConsoleApiService } from '../service.ts';
import { startService } from '../../../test/support/console-api/service.ts';

const HOST = '127.0.0.1';
let fixture: TestFixture;
let service: ConsoleApiService;
beforeEach(async () => {
  fixture = new TestFixture();
  const file = path.join(fixture.folder(), 'ledger.sqlite');
  const ledger = openLedger(file);
  seedDemo(ledger, systemClock, systemIds);
  const since = new Date(Date.now() - 600_000).toISOString();
  ledger.write((tx) => receive(tx, newEntry('waits', {}, { cursor: 1 }), 'PENDING_REVIEW', since));
  ledger.close();
  service = await startService({ ledger: file, metricsListen: { host: HOST, port: 0 }, demo: true });
});
afterEach(async () => {
  await service.stop();
  await fixture[Symbol.asyncDispose]();
});

async function scrape(): Promise<{ text: string; samples: Record<string, number> }> {
  const text = await (await fetch(`${service.metricsUrl}/metrics`)).text();
  return { text, samples: samplesIn(text) };
}

test('requests by surface and route, sessions, streams, and waiting items; none names a person', async () => {
  const login = await fetch(`${service.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'reviewer', password: 'causeway-demo' }),
  });
  const cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  await fetch(`${service.url}/api/v1/explanations/none-such`, { headers: { cookie } });
  await fetch(`${service.url}/api/v1/session`);
  await fetch(`${service.url}/api/v1/secret-${cookie.slice(-9)}`, { headers: { cookie } });
  const leaving = new AbortController();
  const stream = await fetch(`${service.url}/api/v1/events`, { headers: { cookie }, signal: leaving.signal });
  const { text, samples } = await scrape();
  expect(samples).toMatchObject({
    'causeway_console_requests_total{surface="write",route="/api/v1/auth/login",status="200"}': 1,
    'causeway_console_requests_total{surface="read",route="/api/v1/explanations/:id",status="404"}': 1,
    'causeway_console_requests_total{surface="read",route="/api/v1/session",status="401"}': 1,
    'causeway_console_requests_total{surface="read",route="",status="403"}': 1,
    'causeway_console_request_seconds_count{surface="read"}': 3,
    causeway_console_sessions: 1,
    causeway_console_event_streams: 1,
    causeway_review_waiting: 1,
  });
  const waited = samples['causeway_review_oldest_waiting_seconds'] ?? 0;
  expect(waited).toBeGreaterThanOrEqual(600);
  expect(text).not.toMatch(/reviewer|causeway_session|secret-/);
  expect(text).not.toContain(cookie.split('=')[1]);
  leaving.abort();
  await stream.text().catch(() => undefined);
});

test('the listener has only health and metrics, and its own requests are not counted', async () => {
  const health = await fetch(`${service.metricsUrl}/health`);
  expect(health.headers.get(VERSION_HEADER)).toBe(versionsText(OWN_VERSIONS));
  expect([health.status, await health.json()]).toMatchObject([200, { result: { status: 'alive' } }]);
  for (const method of ['HEAD', 'OPTIONS'])
    expect((await fetch(`${service.metricsUrl}/health`, { method })).status).toBe(200);
  for (const place of ['/', '/api/v1/session', '/metrics/'])
    expect((await fetch(`${service.metricsUrl}${place}`)).status).toBe(403);
  // The console itself has no such path.
  expect((await fetch(`${service.url}/metrics`)).status).toBe(401);
  const { samples } = await scrape();
  expect(Object.keys(samples).filter((name) => name.startsWith('causeway_console_requests_total'))).toHaveLength(1);
});
