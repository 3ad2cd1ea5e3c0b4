/**
 * Alert rules and dashboards: a running part exports every metric that they name, and every rule fires when it should
 * and only then. Prometheus' own promtool tests the rules, if it is on the PATH.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LiveMetrics } from '../../../agent/intake/live-metrics.ts';
import { metricsText } from '../../../agent/intake/metrics.ts';
import { pullOnce } from '../../../agent/intake/receive/reception.ts';
import { bodyOf, bundleOf, newAt, readableLog } from '../../support/agent/intake.ts';
import { openLedger } from '../../../agent/ledger/storage/ledger.ts';
import { PROVISION_VARIABLES, startProvision } from '../../../agent/provision/provision.ts';
import { startRelay } from '../../../agent/relay/relay.ts';
import { readSettings } from '../../../agent/relay/settings.ts';
import { CloudMetrics } from '../../../cloud/operations/metrics.ts';
import { createOperationsServer } from '../../../cloud/operations/operations.ts';
import { embeddedKind } from '../../support/cloud/store.ts';
import { startService } from '../../support/console-api/service.ts';
import { readVariables } from '../../../shared/service/variables.ts';
import { systemClock, systemIds } from '../../../shared/time/clock.ts';
import { ALERT_CASES, type AlertCase } from '../../support/alert-cases.ts';
import { metricsIn, queriesIn } from '../../support/monitoring.ts';
import { makeAuthority, writePair, writeWhole } from '../../support/pki.ts';

const ROOT = path.join(import.meta.dirname, '../../..');
const RULES = [
  'agent/intake/monitoring/alerts.json',
  'agent/relay/monitoring/alerts.json',
  'electron/console-api/monitoring/alerts.json',
  'cloud/operations/monitoring/alerts.json',
].map((file) => path.join(ROOT, file));
const DASHBOARDS = ['agent/intake/monitoring/dashboard.json', 'cloud/operations/monitoring/dashboard.json'].map(
  (file) => path.join(ROOT, file),
);
const LOOPBACK = { host: '127.0.0.1', port: 0 };

let folder: string;
beforeAll(() => void (folder = mkdtempSync(path.join(tmpdir(), 'causeway-monitoring-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The metrics of each part, as it prints them. */
async function everyPart(): Promise<string[]> {
  const file = path.join(folder, 'ledger.sqlite');
  const { ca, client } = await makeAuthority();
  const pair = await client();
  return [
    await ofIntake(file, pair.cert),
    await ofProvision(file),
    await ofConsole(file),
    await ofRelay(ca, pair),
    await ofCloud(),
  ];
}

async function ofIntake(file: string, certificate: string): Promise<string> {
  const ledger = openLedger(file);
  try {
    const body = bodyOf(bundleOf(0, [newAt(3, 'a')]));
    const pull = () =>
      Promise.resolve({ status: 200, body, head: '8', signature: null, statement: null, retryAfter: null });
    const parts = { ledger, pull, clock: systemClock, log: readableLog().log, limit: 100, periodMs: 60_000 };
    await pullOnce({ ...parts, verification: null }, new AbortController().signal);
    const live = await new LiveMetrics(ledger, systemClock).registry.metrics();
    return `${await metricsText(ledger, certificate, new Date(), folder)}\n${live}`;
  } finally {
    ledger.close();
  }
}

async function ofProvision(ledger: string): Promise<string> {
  const values = readVariables(PROVISION_VARIABLES, {
    CAUSEWAY_LEDGER: ledger,
    CAUSEWAY_PROVISION_LISTEN: '127.0.0.1:0',
    CAUSEWAY_PROVISION_METRICS_LISTEN: '127.0.0.1:0',
  });
  const log = pino({ level: 'silent' });
  const provision = await startProvision(values, { clock: systemClock, ids: systemIds, log });
  try {
    return await (await fetch(`${provision.metricsUrl}/metrics`)).text();
  } finally {
    await provision.close();
  }
}

async function ofConsole(ledger: string): Promise<string> {
  const service = await startService({
    ledger,
    metricsListen: LOOPBACK,
    journal: { folder: path.join(folder, 'journal'), mode: 'require' },
  });
  try {
    await fetch(`${service.url}/api/v1/session`);
    return await (await fetch(`${service.metricsUrl}/metrics`)).text();
  } finally {
    await service.stop();
  }
}

async function ofRelay(ca: string, pair: { cert: string; key: string }): Promise<string> {
  const files = writePair(folder, 'relay', pair);
  const settings = readSettings({
    CAUSEWAY_RELAY_LISTEN: '127.0.0.1:0',
    CAUSEWAY_RELAY_UPSTREAM: 'https://127.0.0.1:7',
    CAUSEWAY_RELAY_CERT: files.cert,
    CAUSEWAY_RELAY_KEY: files.key,
    CAUSEWAY_RELAY_CA: writeWhole(folder, 'ca.crt', ca),
  });
  const relay = await startRelay(settings, { clock: systemClock, ids: systemIds, log: pino({ level: 'silent' }) });
  try {
    return await (await fetch(`${relay.url}/metrics`)).text();
  } finally {
    await relay.stop();
  }
}

async function ofCloud(): Promise<string> {
  const { store } = await (await embeddedKind()).open();
  const metrics = new CloudMetrics(() => ({ total: 1, idle: 1, waiting: 0 }));
  const server = createOperationsServer({ store, metrics, clock: systemClock, ids: systemIds, log: false });
  try {
    return (await server.inject('/metrics')).body;
  } finally {
    await server.close();
    await store.close();
  }
}

test('a running part exports every metric of every rule and panel', async () => {
  const told = new Set(
    (await everyPart()).flatMap((text) => [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)),
  );
  const queries = queriesIn(...RULES, ...DASHBOARDS);
  expect(queries.length).toBeGreaterThan(80);
  for (const query of queries) expect([query, metricsIn(query)]).not.toEqual([query, []]);
  expect([...new Set(queries.flatMap(metricsIn))].filter((name) => !told.has(name))).toEqual([]);
});

interface Rule {
  alert: string;
  expr: string;
}

const rulesIn = (file: string): Rule[] =>
  (JSON.parse(readFileSync(file, 'utf8')) as { groups: { rules: Rule[] }[] }).groups.flatMap(({ rules }) => rules);

test('every rule has series for which it fires, and others for which it does not', () => {
  const alerts = RULES.flatMap(rulesIn).map(({ alert }) => alert);
  expect(Object.keys(ALERT_CASES).toSorted()).toEqual(alerts.toSorted());
  for (const { alert, expr } of RULES.flatMap(rulesIn)) {
    const { fires, quiet } = ALERT_CASES[alert] ?? { fires: [], quiet: [] };
    expect([alert, fires.length > 0, quiet.length > 0]).toEqual([alert, true, true]);
    // A case that stays quiet because it is about something else shows nothing.
    const names = metricsIn(expr);
    for (const { series } of quiet)
      expect([alert, Object.keys(series).flatMap(metricsIn)]).toEqual([alert, expect.arrayContaining([names[0]])]);
  }
});

/** In promtool's format. A series of Prometheus' own shows a firing alert. */
function unitTest(file: string): object {
  const cases = rulesIn(file).flatMap(({ alert }) => {
    const { fires = [], quiet = [] } = ALERT_CASES[alert] ?? {};
    return [...fires.map((one) => ofCase(alert, one, 1)), ...quiet.map((one) => ofCase(alert, one, 0))];
  });
  return { rule_files: [file], evaluation_interval: '1m', tests: cases };
}

function ofCase(alert: string, { series, at }: AlertCase, firing: 0 | 1): object {
  return {
    name: `${alert} ${firing === 1 ? 'fires' : 'is quiet'}`,
    interval: '1m',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    promql_expr_test: [
      {
        expr: `count(ALERTS{alertname="${alert}",alertstate="firing"}) or vector(0)`,
        eval_time: `${at}m`,
        exp_samples: [{ labels: '{}', value: firing }],
      },
    ],
  };
}

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
if (!hasPromtool) console.warn('promtool (of Prometheus) is not on the PATH: the alert rules are not tried on series.');

test.skipIf(!hasPromtool).each(RULES)('promtool accepts %s and finds that its rules fire when they should', (file) => {
  const checked = spawnSync('promtool', ['check', 'rules', file], { encoding: 'utf8' });
  expect([checked.status, checked.stderr]).toEqual([0, '']);
  const tests = path.join(folder, 'tests.json');
  writeFileSync(tests, JSON.stringify(unitTest(file)));
  const tried = spawnSync('promtool', ['test', 'rules', tests], { encoding: 'utf8' });
  expect([tried.status, tried.stdout + tried.stderr]).toEqual([0, expect.stringContaining('SUCCESS')]);
});
