/** The output of `intake metrics`. */
import { utimesSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { samplesIn } from '../../test/support/monitoring.ts';
import { DAY_MS, makeAuthority } from '../../test/support/pki.ts';
import { PRODUCT_VERSION } from '../../shared/wire/version.ts';
import { addChannel } from '../ledger/serving/channels.ts';
import { holdTickers } from '../ledger/serving/record.ts';
import type { Ledger } from '../ledger/storage/ledger.ts';
import { LEDGER_VERSION } from '../ledger/storage/migrate.ts';
import { publishPolicy } from '../ledger/policy/versions.ts';
import { testLedger } from '../../test/support/agent/ledger.ts';
import { SEED_POLICY } from '../screening/seed/seed-policy.ts';
import { addTraffic } from '../ledger/serving/traffic.ts';
import { addBackup } from './backup/backups.ts';
import { metricsText } from './metrics.ts';
import { pullOnce } from './receive/reception.ts';
import { bodyOf, bundleOf, changeOnDisk, newAt, readableLog } from '../../test/support/agent/intake.ts';

const NOW = new Date();
let ledger: Ledger;
beforeEach(() => {
  ({ ledger } = testLedger());
});

/** Name, with its labels, to value. */
async function metrics(certificate: string | null = null): Promise<Record<string, number>> {
  return samplesIn(await metricsText(ledger, certificate, NOW));
}
async function receive(): Promise<void> {
  const answer = {
    status: 200,
    body: bodyOf(bundleOf(0, [newAt(3, 'a')])),
    head: '8',
    signature: null,
    statement: null,
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
    verification: null,
  };
  await pullOnce(parts, new AbortController().signal);
}

test('a ledger before its first pull', async () => {
  const told = await metrics();
  expect(told).toMatchObject({
    causeway_sync_ok: 0,
    causeway_sync_last_success_seconds: 0,
    causeway_audit_chain_whole: 1,
  });
  expect(told).not.toHaveProperty('causeway_sync_head_cursor');
});

test('cursors, times and alarms of a ledger that has received', async () => {
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

test('whether the policy in force is as the audit log tells', async () => {
  const told = async () => (await metrics())['causeway_policy_as_recorded'];
  expect(await told()).toBe(1);
  ledger.write((tx) =>
    publishPolicy(tx, { snapshot: SEED_POLICY, changes: [], actor: { kind: 'SYSTEM' }, at: NOW.toISOString() }),
  );
  expect(await told()).toBe(1);
  changeOnDisk(
    ledger.file,
    `DROP TRIGGER policy_version_is_never_updated; UPDATE policy_version SET snapshot = json_set(snapshot, '$.words', json('[]'))`,
  );
  expect(await told()).toBe(0);
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

test('the age of the newest backup, where a folder is named', async () => {
  const folder = path.join(path.dirname(ledger.file), 'backups');
  const told = async () => samplesIn(await metricsText(ledger, null, NOW, folder))['causeway_backup_last_seconds'];
  expect(await told()).toBe(0);
  const { file } = await addBackup(ledger, folder, 2, NOW);
  utimesSync(file, NOW, NOW);
  expect(await told()).toBeCloseTo(NOW.getTime() / 1_000, 0);
  expect(await metrics()).not.toHaveProperty('causeway_backup_last_seconds');
});

test('every outcome of every channel is there from the start, and the version', async () => {
  ledger.write((tx) => {
    addChannel(tx, { channel: 'MTS', key: 'k', at: NOW.toISOString() });
    addTraffic(tx, [{ minute: 1, channel: 'MTS', outcome: 'ERROR', requests: 2 }]);
    addTraffic(tx, [{ minute: 1, channel: '', outcome: 'UNAUTHORIZED', requests: 3 }]);
    holdTickers(tx, ['069500'], NOW.toISOString());
  });
  const told = await metrics();
  const requests = Object.fromEntries(Object.entries(told).filter(([name]) => name.startsWith('causeway_provision_')));
  expect(requests).toEqual({
    'causeway_provision_requests_total{channel="",outcome="UNAUTHORIZED"}': 3,
    'causeway_provision_requests_total{channel="MTS",outcome="SERVED"}': 0,
    'causeway_provision_requests_total{channel="MTS",outcome="LISTED"}': 0,
    'causeway_provision_requests_total{channel="MTS",outcome="NOT_FOUND"}': 0,
    'causeway_provision_requests_total{channel="MTS",outcome="BAD_REQUEST"}': 0,
    'causeway_provision_requests_total{channel="MTS",outcome="ERROR"}': 2,
  });
  expect(told).toMatchObject({
    causeway_held_tickers: 1,
    [`causeway_intake_info{version="${PRODUCT_VERSION}",schema="${LEDGER_VERSION}"}`]: 1,
  });
});
