/** What `intake metrics` prints, and that alerts and dashboard ask for nothing else. */
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { metricsIn, queriesIn } from '../../test/support/monitoring.ts';
import { DAY_MS, makeAuthority } from '../../test/support/pki.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { temporaryLedger } from '../ledger/testing.ts';
import { metricsText } from './metrics.ts';
import { pullOnce } from './reception.ts';
import { bodyOf, bundleOf, newAt, readableLog } from './testing.ts';

const NOW = new Date();
let ledger: Ledger;
let dispose: () => void;
beforeEach(() => {
  ({ ledger, dispose } = temporaryLedger());
});
afterEach(() => dispose());

/** Name, with its labels, to value. */
async function metrics(certificate: string | null = null): Promise<Record<string, number>> {
  const lines = (await metricsText(ledger, certificate, NOW)).split('\n');
  return Object.fromEntries(
    lines.filter((line) => /^\w/.test(line)).map((line) => [line.replace(/ \S+$/, ''), Number(/\S+$/.exec(line)?.[0])]),
  );
}
async function receive(): Promise<void> {
  const answer = {
    status: 200,
    body: bodyOf(bundleOf(0, [newAt(3, 'a')])),
    head: '8',
    signature: null,
    retryAfter: null,
  };
  const pull = () => Promise.resolve(answer);
  const parts = {
    ledger,
    pull,
    clock: { now: () => NOW },
    log: readableLog().log,
    limit: 100,
    periodMs: 60_000,
    verifyKey: null,
  };
  await pullOnce(parts, new AbortController().signal);
}

test('a ledger that has asked for nothing yet', async () => {
  const told = await metrics();
  expect(told).toMatchObject({
    causeway_sync_ok: 0,
    causeway_sync_last_success_seconds: 0,
    causeway_audit_chain_whole: 1,
  });
  expect(told).not.toHaveProperty('causeway_sync_head_cursor');
});

test('cursors, times and alarms of one that has received', async () => {
  await receive();
  expect(await metrics()).toMatchObject({
    causeway_sync_ok: 1,
    causeway_sync_committed_cursor: 3,
    causeway_sync_applied_cursor: 0,
    causeway_sync_head_cursor: 8,
    causeway_sync_last_success_seconds: NOW.getTime() / 1_000,
    'causeway_sync_alarm{alarm="NOT_APPLIED"}': 1,
    causeway_metrics_written_seconds: NOW.getTime() / 1_000,
  });
});

test.each([
  [-70, 30, 1],
  [-10, 90, 0],
])('a certificate from day %d to day %d is due for renewal: %d', async (from, to, due) => {
  const { cert } = await (await makeAuthority()).client({ from: from * DAY_MS, to: to * DAY_MS });
  const told = await metrics(cert);
  expect(told['causeway_certificate_renewal_due']).toBe(due);
  expect(Math.round(((told['causeway_certificate_end_seconds'] ?? 0) - NOW.getTime() / 1_000) / 86_400)).toBe(to);
});

test('alerts and dashboard name only what is printed', async () => {
  await receive();
  const { cert } = await (await makeAuthority()).client();
  const printed = new Set(Object.keys(await metrics(cert)).map((name) => name.replace(/\{.*/, '')));
  const folder = path.join(import.meta.dirname, 'monitoring');
  const asked = queriesIn(path.join(folder, 'alerts.json'), path.join(folder, 'dashboard.json')).map(metricsIn);
  expect(asked.length).toBeGreaterThan(20);
  for (const names of asked) expect(names).not.toEqual([]);
  expect(asked.flat().filter((name) => !printed.has(name))).toEqual([]);
});
