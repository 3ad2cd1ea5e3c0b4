/**
 * `intake metrics`: exports the state of the ledger and its files as a Prometheus text file (textfile collector of
 * node_exporter). So the Intake needs no listener, and numbers come also while it does not run, which is when they
 * matter.
 */
import { X509Certificate } from 'node:crypto';
import { statSync } from 'node:fs';
import { Counter, Gauge, Registry } from 'prom-client';
import { variable } from '../../shared/service/variables.ts';
import { renewalOf } from '../../shared/time/certificate-life.ts';
import { TRAFFIC_OUTCOMES } from '../../shared/wire/console/console.ts';
import { PRODUCT_VERSION } from '../../shared/wire/version.ts';
import { verifyChain } from '../ledger/audit/audit.ts';
import { policyFaults } from '../ledger/audit/single-things.ts';
import { readRecordKey, recordKeyFile } from '../ledger/made/record-key.ts';
import { activePolicyVersion } from '../ledger/policy/versions.ts';
import { channelNames } from '../ledger/serving/channels.ts';
import { heldTickers } from '../ledger/serving/record.ts';
import { LEDGER_VERSION } from '../ledger/storage/migrate.ts';
import type { Ledger, LedgerReader } from '../ledger/storage/ledger.ts';
import { trafficTotals } from '../ledger/serving/traffic.ts';
import { syncStatus } from '../ledger/inbox/sync-state.ts';
import { lastBackupAt } from './backup/backups.ts';
import { OldestUnapplied } from './apply/entry-lags.ts';
import { unappliedMetrics } from './live-metrics.ts';
import { INTAKE_VARIABLES } from './settings.ts';

export const METRICS_VARIABLES = {
  CAUSEWAY_LEDGER: variable.required('file of the ledger', variable.text),
  CAUSEWAY_INTAKE_CERT: variable.optional('file of the client certificate (PEM)', variable.text),
  CAUSEWAY_BACKUP_FOLDER: INTAKE_VARIABLES.CAUSEWAY_BACKUP_FOLDER,
};

/**
 * @param certificate PEM, or null where the Intake shows none
 * @param backups the folder of the backups; null: none is named
 * @param isLedgerHeld whether another program holds the write lock
 * @returns the text of the file
 */
export function metricsText(
  ledger: Ledger,
  certificate: string | null,
  now: Date,
  backups: string | null = null,
  isLedgerHeld = false,
): Promise<string> {
  const registry = new Registry();
  ledgerMetrics(registry, ledger, now, isLedgerHeld);
  if (backups !== null)
    new Gauge({
      name: 'causeway_backup_last_seconds',
      help: 'When the newest backup was written, Unix time; 0: there is none, or its folder cannot be read.',
      registers: [registry],
    }).set((lastBackupAt(backups)?.getTime() ?? 0) / 1_000);
  if (certificate !== null) certificateMetrics(registry, certificate, now);
  return registry.metrics();
}

function ledgerMetrics(registry: Registry, ledger: Ledger, now: Date, isHeld: boolean): void {
  const status = ledger.read((reader) => syncStatus(reader, now, isHeld));
  const seconds = (at: string | null): number => (at === null ? 0 : Date.parse(at) / 1_000);
  const set = (name: string, help: string, value: number): void =>
    new Gauge({ name, help, registers: [registry] }).set(value);
  set('causeway_sync_ok', '1 when the last pull was good.', status.state === 'OK' ? 1 : 0);
  set('causeway_sync_committed_cursor', 'Cursor up to which bundles are kept.', status.committedCursor);
  set('causeway_sync_applied_cursor', 'Cursor up to which entries are applied.', status.appliedCursor);
  if (status.head !== null)
    set('causeway_sync_head_cursor', 'Highest cursor that the cloud has reported.', status.head);
  set(
    'causeway_sync_last_attempt_seconds',
    'When the last pull was made, Unix time; 0: never.',
    seconds(status.lastAttemptAt),
  );
  set(
    'causeway_sync_last_success_seconds',
    'When the last good pull was made, Unix time; 0: never.',
    seconds(status.lastSuccessAt),
  );
  set(
    'causeway_sync_waiting',
    '1 while the reception is connected and waits for news; 0: it polls.',
    status.waitSeconds === null ? 0 : 1,
  );
  set(
    'causeway_sync_wait_cut_seconds',
    'After how many seconds something on the way ends waits; 0: nothing is known to.',
    status.waitCutSeconds ?? 0,
  );
  const oldest = new OldestUnapplied();
  unappliedMetrics(registry, () => ledger.read((reader) => oldest.at(reader, now)));
  set('causeway_sync_rejected_entries', 'Entries on record as rejected.', status.rejectedEntries);
  set('causeway_sync_held_invalidations', 'Withdrawals without their original.', status.heldInvalidations);
  set(
    'causeway_sync_quarantined_bundles',
    'Answers that broke the rules and are kept apart.',
    status.quarantinedBundles,
  );
  set('causeway_sync_quarantined_unseen', 'Unacknowledged answers that broke the rules.', status.quarantinedUnseen);
  const alarms = new Gauge({
    name: 'causeway_sync_alarm',
    help: 'Alarms of the sync status that are on.',
    labelNames: ['alarm'],
    registers: [registry],
  });
  for (const alarm of status.alarms) alarms.set({ alarm }, 1);
  set(
    'causeway_held_tickers',
    'Tickers of which nothing is provided, because a rebuild hides them.',
    ledger.read(heldTickers),
  );
  provisionMetrics(registry, ledger);
  new Gauge({
    name: 'causeway_intake_info',
    help: 'Always 1; the version of the program and the schema version that it writes.',
    labelNames: ['version', 'schema'],
    registers: [registry],
  }).set({ version: PRODUCT_VERSION, schema: String(LEDGER_VERSION) }, 1);
  const chain = ledger.read((reader) => verifyChain(reader));
  set('causeway_audit_chain_whole', '1 when the chain of the audit log is whole.', chain.ok ? 1 : 0);
  set(
    'causeway_policy_as_recorded',
    '1 while the policy in force, if any, is as the audit log tells; 0: no new text is provided without a reviewer.',
    ledger.read((reader) => isPolicyAsRecorded(reader, ledger.file)) ? 1 : 0,
  );
  set('causeway_ledger_bytes', 'Size of the ledger file in bytes.', statSync(ledger.file).size);
  set('causeway_metrics_written_seconds', 'When these numbers were read, Unix time.', now.getTime() / 1_000);
}

function isPolicyAsRecorded(reader: LedgerReader, file: string): boolean {
  const version = activePolicyVersion(reader);
  return version === null || policyFaults(reader, readRecordKey(recordKeyFile(file)), version).length === 0;
}

/**
 * Every outcome of every channel, even without an occurrence: Prometheus sees no increase in a series that has just
 * begun.
 */
function provisionMetrics(registry: Registry, ledger: Ledger): void {
  const requests = new Counter({
    name: 'causeway_provision_requests_total',
    help: 'Requests of channels that were ever counted, by outcome; an empty channel: without a valid key.',
    labelNames: ['channel', 'outcome'],
    registers: [registry],
  });
  const { channels, totals } = ledger.read((reader) => ({
    channels: channelNames(reader),
    totals: trafficTotals(reader),
  }));
  requests.inc({ channel: '', outcome: 'UNAUTHORIZED' }, 0);
  for (const channel of channels)
    for (const outcome of TRAFFIC_OUTCOMES) if (outcome !== 'UNAUTHORIZED') requests.inc({ channel, outcome }, 0);
  for (const { channel, outcome, requests: count } of totals) requests.inc({ channel, outcome }, count);
}

function certificateMetrics(registry: Registry, pem: string, now: Date): void {
  const { validFromDate, validToDate } = new X509Certificate(pem);
  const set = (name: string, help: string, value: number): void =>
    new Gauge({ name, help, registers: [registry] }).set(value);
  set(
    'causeway_certificate_end_seconds',
    'When the client certificate ends, Unix time.',
    validToDate.getTime() / 1_000,
  );
  const { state } = renewalOf(validFromDate, validToDate, now);
  set(
    'causeway_certificate_renewal_due',
    '1 when two thirds of its life are over.',
    state === 'GOOD' || state === 'NOT_YET' ? 0 : 1,
  );
}
