/**
 * For every alert rule, series that make it fire and series that do not, as promtool writes them: one sample a minute;
 * `0+60x9` counts up by 60, nine times after the first. Time begins at 0.
 */
export interface AlertCase {
  series: Readonly<Record<string, string>>;
  /** Minutes after the first sample. */
  at: number;
}

export interface AlertCases {
  fires: readonly AlertCase[];
  quiet: readonly AlertCase[];
}

const one = (name: string, fires: string, quiet: string, at: number): AlertCases => ({
  fires: [{ series: { [name]: fires }, at }],
  quiet: [{ series: { [name]: quiet }, at }],
});

const provision = (outcome: string, channel = 'MTS'): string =>
  `causeway_provision_requests_total{instance="a",channel="${channel}",outcome="${outcome}"}`;

/** A duration as histogram buckets: every observation falls into the named bucket. */
const lasting = (name: string, bucket: string): Record<string, string> =>
  Object.fromEntries(
    ['0.1', '2.5', '5', '10', '+Inf'].map((le) => [
      `${name}_bucket{instance="a",le="${le}"}`,
      Number(le.replace('+Inf', 'Infinity')) < Number(bucket) ? '0x60' : '0+10x60',
    ]),
  );

const standing = (info: string): AlertCases => ({
  fires: [
    { series: { 'nodejs_eventloop_lag_p99_seconds{instance="a"}': '2x30', [`${info}{instance="a"}`]: '1x30' }, at: 10 },
  ],
  quiet: [
    { series: { 'nodejs_eventloop_lag_p99_seconds{instance="b"}': '2x30', [`${info}{instance="a"}`]: '1x30' }, at: 10 },
    { series: { 'nodejs_eventloop_lag_p99_seconds{instance="a"}': '0x30', [`${info}{instance="a"}`]: '1x30' }, at: 10 },
  ],
});

/** A start that has not signed a checkpoint yet reports 0. */
const shrinking = (rows: string): AlertCases => ({
  fires: [{ series: { [rows]: '100x9 0x2 99x60' }, at: 20 }],
  quiet: [{ series: { [rows]: '100x9 0x2 101x60' }, at: 20 }],
});

const loads = (outcome: string, reason = ''): string =>
  `causeway_cloud_loads_total{outcome="${outcome}",reason="${reason}"}`;

const restarting = (info: string): AlertCases => ({
  fires: [
    {
      series: { 'process_start_time_seconds{instance="a"}': '0+60x30', [`${info}{instance="a"}`]: '1x30' },
      at: 10,
    },
  ],
  quiet: [
    { series: { 'process_start_time_seconds{instance="a"}': '0x30', [`${info}{instance="a"}`]: '1x30' }, at: 10 },
    { series: { 'process_start_time_seconds{instance="b"}': '0+60x30', [`${info}{instance="a"}`]: '1x30' }, at: 10 },
  ],
});

const DAY = 86_400;

export const ALERT_CASES: Readonly<Record<string, AlertCases>> = {
  CausewayNumbersAreOld: one('causeway_metrics_written_seconds', '0x60', '0+60x60', 20),
  CausewayBackupIsOld: one('causeway_backup_last_seconds', '0x3000', '0+60x3000', 2_200),
  CausewayNoGoodPull: one('causeway_sync_last_success_seconds', '0x60', '0+60x60', 25),
  CausewayNotPolling: one('causeway_sync_last_attempt_seconds', '0x60', '0+60x60', 25),
  CausewayPullFails: one('causeway_sync_ok', '0x60', '0x5 1x60', 15),
  CausewayStall: {
    fires: [{ series: { causeway_sync_head_cursor: '10x90', causeway_sync_committed_cursor: '5x90' }, at: 45 }],
    quiet: [
      { series: { causeway_sync_head_cursor: '200x90', causeway_sync_committed_cursor: '0+1x90' }, at: 45 },
      { series: { causeway_sync_head_cursor: '10x90', causeway_sync_committed_cursor: '10x90' }, at: 45 },
    ],
  },
  CausewayLag: {
    fires: [{ series: { causeway_sync_head_cursor: '1000x60', causeway_sync_committed_cursor: '0+1x60' }, at: 20 }],
    quiet: [{ series: { causeway_sync_head_cursor: '400x60', causeway_sync_committed_cursor: '0x60' }, at: 20 }],
  },
  CausewayNotApplied: {
    fires: [{ series: { causeway_sync_committed_cursor: '10x60', causeway_sync_applied_cursor: '5x60' }, at: 20 }],
    quiet: [
      { series: { causeway_sync_committed_cursor: '10x60', causeway_sync_applied_cursor: '5x10 10x50' }, at: 20 },
    ],
  },
  CausewayWithdrawalNotApplied: {
    fires: [
      { series: { 'causeway_sync_unapplied_withdrawal_seconds{instance="a"}': '0+60x9' }, at: 2 },
      // The file of an Intake that does not run, beside its listener of before.
      {
        series: {
          'causeway_sync_unapplied_withdrawal_seconds{instance="a"}': '0x9',
          'causeway_sync_unapplied_withdrawal_seconds{instance="b"}': '70x9',
        },
        at: 1,
      },
    ],
    quiet: [{ series: { 'causeway_sync_unapplied_withdrawal_seconds{instance="a"}': '0 60 0x9' }, at: 1 }],
  },
  CausewayCloudBehind: {
    fires: [{ series: { causeway_sync_head_cursor: '5x9', causeway_sync_committed_cursor: '10x9' }, at: 1 }],
    quiet: [{ series: { causeway_sync_head_cursor: '10x9', causeway_sync_committed_cursor: '10x9' }, at: 1 }],
  },
  CausewayAlarm: one('causeway_sync_alarm{alarm="STALLED"}', '1x60', '1x5 stale', 20),
  CausewayRejected: one('causeway_sync_rejected_entries', '1x9', '0x9', 1),
  CausewayHeld: one('causeway_sync_held_invalidations', '1x90', '1x30 0x60', 65),
  CausewayQuarantined: one('causeway_sync_quarantined_bundles', '0x9 1x60', '3x90', 15),
  CausewayChainBroken: one('causeway_audit_chain_whole', '0x9', '1x9', 1),
  CausewayPolicyAltered: one('causeway_policy_as_recorded', '0x9', '1x9', 1),
  CausewayCertificateDue: one('causeway_certificate_renewal_due', '1x9', '0x9', 1),
  CausewayCertificateEnds: one('causeway_certificate_end_seconds', `${7 * DAY}x9`, `${8 * DAY}x9`, 1),
  CausewayHeldTickers: one('causeway_held_tickers', '2x90', '2x30 0x60', 65),

  CausewayProvisionFails: one(provision('ERROR'), '0x9 1x30', '5x40', 15),
  CausewayProvisionRefuses: one(provision('UNAUTHORIZED', ''), '0+1x60', '0+0.5x60', 40),
  CausewayProvisionNotUnderstood: one(provision('BAD_REQUEST'), '0+1x60', '0+0.5x60', 40),
  CausewayProvisionNothingToShow: {
    fires: [{ series: { [provision('NOT_FOUND')]: '0+10x200', [provision('SERVED')]: '0+0.1x200' }, at: 130 }],
    quiet: [
      { series: { [provision('NOT_FOUND')]: '0+10x200', [provision('SERVED')]: '0+5x200' }, at: 130 },
      { series: { [provision('NOT_FOUND')]: '0+1x200', [provision('SERVED')]: '0x200' }, at: 130 },
      // Another channel's successful requests say nothing about this one, and vice versa.
      { series: { [provision('NOT_FOUND')]: '0+1x200', [provision('SERVED', 'WEB')]: '0+90x200' }, at: 130 },
    ],
  },

  CausewayRelayNoAnswer: one('causeway_relay_last_answer_seconds', '0x60', '0+60x60', 20),
  CausewayRelayFails: {
    fires: [{ series: { causeway_relay_failed_total: '0+1x30', causeway_relay_cut_total: '0x30' }, at: 15 }],
    quiet: [{ series: { causeway_relay_failed_total: '0+0.1x30', causeway_relay_cut_total: '2x30' }, at: 15 }],
  },
  CausewayRelayRefuses: one('causeway_relay_refused_total', '0+1x30', '0+0.5x30', 20),
  CausewayRelayCertificateEnds: one('causeway_relay_certificate_end_seconds', `${20 * DAY}x9`, `${22 * DAY}x9`, 1),
  CausewayRelayCertificateUnfit: one('causeway_relay_certificate_unfit', '1x20', '1x3 0x20', 10),

  CausewayConsoleGone: {
    fires: [{ series: { up: '0x30' }, at: 10 }],
    quiet: [{ series: { 'causeway_console_info{version="0.1.0"}': '1x30' }, at: 10 }],
  },
  CausewayConsoleFails: one('causeway_console_failures_total', '0x9 1x30', '4x30', 12),
  CausewayConsoleSlow: {
    fires: [{ series: lasting('causeway_console_request_seconds', '5'), at: 35 }],
    quiet: [{ series: lasting('causeway_console_request_seconds', '0.1'), at: 35 }],
  },
  CausewayConsoleStands: standing('causeway_console_info'),
  CausewayConsoleRestarts: restarting('causeway_console_info'),
  CausewayReviewWaits: one('causeway_review_oldest_waiting_seconds', '20000x60', '10000x60', 20),

  CausewayDecisionJournalFails: one('causeway_decision_journal_failing', '1x60', '1x1 0x60', 5),
  CausewayAuditCheckpointFails: one('causeway_audit_checkpoint_failing', '1x60', '1x5 0x60', 20),
  CausewayAuditLogDiffers: one('causeway_audit_checkpoint_differs', '1x9', '0x9', 1),
  CausewayAuditLogShrank: shrinking('causeway_audit_checkpoint_rows'),
  CausewayCloudAuditCheckpointFails: one('causeway_cloud_audit_checkpoint_failing', '1x60', '1x5 0x60', 20),
  CausewayCloudAuditLogDiffers: one('causeway_cloud_audit_checkpoint_differs', '1x9', '0x9', 1),
  CausewayCloudAuditLogShrank: shrinking('causeway_cloud_audit_checkpoint_rows'),

  CausewayCloudGone: {
    fires: [{ series: { up: '0x30' }, at: 10 }],
    quiet: [{ series: { 'causeway_cloud_info{version="0.1.0"}': '1x30' }, at: 10 }],
  },
  CausewayCloudNotReady: one('causeway_cloud_ready', '1x5 0x30', '1x5 0x1 1x30', 12),
  CausewayCloudRestarts: restarting('causeway_cloud_info'),
  CausewayLoadsFail: one(loads('FAILED', 'STORE_UNREACHABLE'), '0x5 1x5 2x30', '1x60', 12),
  CausewayLoadsRefused: one(loads('FAILED', 'DATE_AHEAD'), '0x5 1x30', '1x60', 10),
  CausewayVendorCertificateEnds: one(
    'causeway_cloud_certificate_end_seconds{certificate="bundle endpoint"}',
    `${20 * DAY}x9`,
    `${22 * DAY}x9`,
    1,
  ),
  CausewayCloudBackupIsOld: one('causeway_cloud_backup_last_seconds{folder="/b"}', '0x3000', '0+60x3000', 2_200),
  CausewayCloudFails: one('causeway_cloud_pulls_total{outcome="COMMON503"}', '0+1x30', '7x30', 15),
  CausewayNobodyPulls: one('causeway_cloud_pulls_total{outcome="COMMON200"}', '0x60', '0+1x60', 35),
  CausewayRefusesTenants: {
    fires: [{ series: { 'causeway_cloud_pulls_total{outcome="SYNC4011"}': '0+1x60' }, at: 35 }],
    quiet: [{ series: { 'causeway_cloud_pulls_total{outcome="COMMON200"}': '0+1x60' }, at: 35 }],
  },
  CausewayCloudWithdrawalWaits: {
    fires: [
      { series: { 'causeway_cloud_withdrawal_waiting_seconds{step="received"}': '61x9' }, at: 1 },
      { series: { 'causeway_cloud_withdrawal_waiting_seconds{step="applied"}': '0 61x9' }, at: 2 },
    ],
    // A tenant that is away, or tells nothing, has no number.
    quiet: [
      { series: { 'causeway_cloud_withdrawal_waiting_seconds{step="applied"}': '60x9' }, at: 2 },
      { series: { 'causeway_cloud_withdrawal_waiting_seconds{step="received"}': '61 stale' }, at: 6 },
    ],
  },
  CausewayFanOutSlow: {
    fires: [{ series: lasting('causeway_cloud_fan_out_seconds', '5'), at: 35 }],
    quiet: [{ series: lasting('causeway_cloud_fan_out_seconds', '0.1'), at: 35 }],
  },
  CausewayFanOutWaits: {
    fires: [{ series: lasting('causeway_cloud_fan_out_lock_wait_seconds', '10'), at: 35 }],
    quiet: [{ series: lasting('causeway_cloud_fan_out_lock_wait_seconds', '2.5'), at: 35 }],
  },
  CausewayDatabaseFull: one('causeway_cloud_database_connections{state="waiting"}', '1x20', '0x20', 10),
  CausewayCloudStands: standing('causeway_cloud_info'),
};
