/**
 * The backbone of the delivery (sync protocol 1): cloud, relay, Intake and provision as the processes that
 * they are in the field, over mutual TLS. The Intake's raw records are compared byte by byte with the
 * cloud's answers, and the tenant's exposed texts with the engine's loads.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { explanationId } from '../../../agent/ledger/explanations/explanations.ts';
import { openLedger, type Ledger } from '../../../agent/ledger/storage/ledger.ts';
import { sqlite } from '../../../agent/ledger/storage/query.ts';
import { historyOf } from '../../../agent/ledger/explanations/history.ts';
import { syncStatus } from '../../../agent/ledger/inbox/sync-state.ts';
import { verifyChain } from '../../../agent/ledger/audit/audit.ts';
import type { LineAnswer } from '../../../cloud/publication/load.ts';
import { live, paddedTo, withOutput } from '../../support/cloud/loads.ts';
import type { Bundle } from '../../../shared/wire/bundle.ts';
import {
  BUNDLE_PATH,
  FULL_BUNDLE_BYTES,
  HEAD_HEADER,
  MAX_BODY_DEPTH,
  MAX_ENTRY_BYTES,
} from '../../../shared/wire/bundle-endpoint.ts';
import { PROJECT, TestFixture, waitFor, type Part } from '../../support/process.ts';
import { startPostgres } from '../../support/postgres.ts';
import { runs } from '../../support/runs.ts';
import { startTap, type SentAnswer, type Tap } from './recording-tap.ts';

const TOKEN = 'contract-engine-token-of-32-characters';
/** Small, so that the loads need many bundles and the backlog must drain without waiting for periods. */
const LIMIT = 7;
const CHANNEL = { authorization: 'Bearer demo-mts' };

interface Installation {
  pki: { ca: string; serverCert: string; serverKey: string; clientCa: string; verifyKey: string };
  tenants: [{ tenantId: number; cert: string; key: string }];
}
/** A line of the engine's, as far as this test looks into it. */
interface DemoLoad {
  mode: string;
  run: { explanation_run_id: string };
  trigger: { trigger_id: string };
  instrument: { ticker: string };
  result?: { explanation_result_id: string; explanation_as_of: string; summary: string } | null;
  analysis?: { movement_analysis_id: string; summary: string };
}

const fixture = new TestFixture();
let home: string;
let postgres: Awaited<ReturnType<typeof startPostgres>>;
let installed: Installation;
let urls: { sync: string; engine: string; operator: string; relay: string; provision: string };
let tap: Tap;
let intake: Part;
let ledger: Ledger;
const loads = readFileSync(path.join(PROJECT, 'cloud/demo/loads.jsonl'), 'utf8')
  .split('\n')
  .filter((line) => line.trim() !== '' && !line.startsWith('#'));
/** Publications by the engine's door so far: id to text. */
const published = new Map<string, string>();

const read = (file: string): string => readFileSync(file, 'utf8');
const ledgerFile = (name: string): string => path.join(home, `${name}.sqlite`);
const tenant = () => installed.tenants[0];

function startIntake(name: string, env: Record<string, string>): Part {
  return fixture.start('agent/intake/main.ts', {
    env: {
      CAUSEWAY_LEDGER: ledgerFile(name),
      CAUSEWAY_DEMO: '1',
      CAUSEWAY_INTAKE_POLL_SECONDS: '1',
      CAUSEWAY_INTAKE_LIMIT: String(LIMIT),
      CAUSEWAY_INTAKE_VERIFY_KEY: installed.pki.verifyKey,
      ...env,
    },
  });
}

beforeAll(async () => {
  home = fixture.folder('contract');
  postgres = await startPostgres();
  const env = { CAUSEWAY_HOME: home, CAUSEWAY_DATABASE_URL: await postgres.createDatabase(), CAUSEWAY_DEMO: '1' };
  const init = fixture.start('cloud/main.ts', { args: ['init'], env });
  expect(await init.ended()).toEqual({ code: 0, signal: null });
  installed = JSON.parse(init.stdout) as Installation;
  const { pki } = installed;
  const cloud = fixture.start('cloud/main.ts', {
    env: {
      ...env,
      CAUSEWAY_SYNC_LISTEN: '127.0.0.1:0',
      CAUSEWAY_OPERATOR_LISTEN: '127.0.0.1:0',
      CAUSEWAY_ENGINE_LISTEN: '127.0.0.1:0',
      CAUSEWAY_ENGINE_TOKEN: TOKEN,
      CAUSEWAY_SYNC_CERT: pki.serverCert,
      CAUSEWAY_SYNC_KEY: pki.serverKey,
      CAUSEWAY_SYNC_CLIENT_CA: pki.clientCa,
      CAUSEWAY_SYNC_CALCULATIONS: 'on',
    },
  });
  const [sync, engine, operator] = await Promise.all(
    (['sync', 'engine', 'operator'] as const).map(async (name) => (await cloud.listening(name)).url),
  );
  const server = { cert: read(pki.serverCert), key: read(pki.serverKey), ca: read(pki.clientCa) };
  const client = { cert: read(tenant().cert), key: read(tenant().key), ca: read(pki.ca) };
  tap = await startTap(sync ?? '', server, client);
  opened.push(() => tap.close());
  const relay = fixture.start('agent/relay/main.ts', {
    env: {
      CAUSEWAY_RELAY_LISTEN: '127.0.0.1:0',
      CAUSEWAY_RELAY_UPSTREAM: tap.url,
      CAUSEWAY_RELAY_CERT: tenant().cert,
      CAUSEWAY_RELAY_KEY: tenant().key,
      CAUSEWAY_RELAY_CA: pki.ca,
    },
  });
  const relayUrl = (await relay.listening('relay')).url;
  intake = startIntake('relayed', { CAUSEWAY_INTAKE_UPSTREAM: relayUrl });
  await intake.logLine('ready', (line) => line.msg === 'ready');
  const provision = fixture.start('agent/provision/main.ts', {
    env: { CAUSEWAY_LEDGER: ledgerFile('relayed'), CAUSEWAY_PROVISION_LISTEN: '127.0.0.1:0', CAUSEWAY_DEMO: '1' },
  });
  urls = {
    sync: sync ?? '',
    engine: engine ?? '',
    operator: operator ?? '',
    relay: relayUrl,
    provision: (await provision.listening('provision')).url,
  };
  ledger = openLedger(ledgerFile('relayed'));
  opened.push(() => ledger.close());
});

/** Other resources to close, after success and failure. */
const opened: (() => unknown)[] = [];
afterAll(async () => {
  try {
    await fixture.clear();
  } finally {
    for (const close of opened) await close();
    await postgres.stop();
  }
});

/** Hands loads in at the engine's door, and remembers the published ones. */
async function handIn(lines: readonly string[]): Promise<LineAnswer[]> {
  const answer = await fetch(`${urls.engine}/internal/v1/loads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/x-ndjson' },
    body: lines.join('\n'),
  });
  expect(answer.status).toBe(200);
  const told = ((await answer.json()) as { result: { lines: LineAnswer[] } }).result.lines;
  expect(told).toHaveLength(lines.length);
  for (const { line, outcome, id, repeated } of told) {
    const load = JSON.parse(lines[line - 1] ?? '') as DemoLoad;
    const summary = load.result?.summary ?? load.analysis?.summary;
    if (outcome === 'PUBLISHED' && !repeated && id !== null && summary !== undefined) published.set(id, summary);
  }
  return told;
}

/** Waits until a ledger holds and has applied everything that the cloud has for the tenant at this moment. */
async function caughtUp(store: Ledger): Promise<void> {
  const answer = await fetch(`${urls.relay}${BUNDLE_PATH}?after=${Number.MAX_SAFE_INTEGER}`);
  const head = Number(answer.headers.get(HEAD_HEADER));
  expect(head).toBeGreaterThan(0);
  await waitFor(`the ledger to reach ${head}`, () => {
    const { committedCursor, appliedCursor } = syncStatus(store, new Date());
    return committedCursor >= head && appliedCursor === committedCursor;
  });
}
const rawBundles = (store: Ledger) => store.all(sqlite.selectFrom('raw_bundle').selectAll().orderBy('cursor_from'));
const explanations = (store: Ledger) => store.all(sqlite.selectFrom('explanation').selectAll().orderBy('id'));
const statusOf = (id: string) => explanations(ledger).find((row) => row.explanation_result_id === id)?.status;
const bundleIn = (body: Uint8Array): Bundle | undefined =>
  (JSON.parse(Buffer.from(body).toString()) as { result?: Bundle }).result;

/** Every bundle that left the cloud is in the ledger with the same bytes, in order and without a hole. */
function expectSameBytes(store: Ledger, sent: readonly SentAnswer[]): void {
  const kept = rawBundles(store);
  const originals = new Map<string | undefined, Buffer>();
  // The first answer with a bundle, as the Intake got it.
  for (const { status, body } of sent.toReversed()) if (status === 200) originals.set(bundleIn(body)?.bundle_id, body);
  expect(kept.length).toBeGreaterThan(5);
  expect(kept.map((raw) => raw.cursor_from)).toEqual([0, ...kept.slice(0, -1).map((raw) => raw.cursor_to)]);
  for (const raw of kept) {
    const original = originals.get(raw.bundle_id);
    expect(original?.equals(Buffer.from(raw.body)), `bundle after ${raw.cursor_from}`).toBe(true);
  }
}

describe('loads at the engine’s door arrive in the tenant’s ledger', () => {
  test('all of them, through bundles that are full until nothing is left', async () => {
    const told = await handIn(loads);
    // The demo shows one window of a backfill that failed in the engine; nothing else may fail.
    expect(told.filter(({ outcome, reason }) => outcome === 'FAILED' && reason !== 'BACKFILL_FAILED')).toEqual([]);
    expect(published.size).toBeGreaterThanOrEqual(40);
    await caughtUp(ledger);
    const deliveries = told.reduce((sum, line) => sum + line.deliveries, 0);
    expect(syncStatus(ledger, new Date()).committedCursor).toBeGreaterThanOrEqual(deliveries);
    const kept = rawBundles(ledger);
    expect(kept.every((raw) => raw.entry_count <= LIMIT)).toBe(true);
    expect(kept.some((raw) => raw.entry_count === LIMIT)).toBe(true);
  });

  test('with every byte as it left the cloud', () => {
    expectSameBytes(ledger, tap.answers());
    const cursors = rawBundles(ledger).flatMap((raw) => bundleIn(raw.body)?.entries.map((entry) => entry.cursor) ?? []);
    expect(new Set(cursors).size).toBe(cursors.length);
    expect(cursors.at(-1)).toBe(syncStatus(ledger, new Date()).committedCursor);
    // Each was sent once: nothing was asked for twice.
    const bundles = tap.answers().filter(({ body }) => bundleIn(body) !== undefined);
    expect(bundles).toHaveLength(rawBundles(ledger).length);
  });

  test('as what the engine wrote, each with its state', () => {
    expect(syncStatus(ledger, new Date())).toMatchObject({
      state: 'OK',
      lastError: null,
      rejectedEntries: 0,
      heldInvalidations: 0,
      quarantinedBundles: 0,
      quarantinedUnseen: 0,
      quarantinedDropped: 0,
      waitSeconds: 25,
      waitCutSeconds: null,
      darkTickers: [],
    });
    const rows = explanations(ledger);
    expect(new Map(rows.map((row) => [row.explanation_result_id, row.summary]))).toEqual(published);
    const v2 = rows.filter((row) => row.analysis_engine === 'v2');
    expect(v2.length).toBeGreaterThan(0);
    expect(v2.every((row) => row.status === 'AUTO_PUBLISHED' || row.status === 'INVALIDATED')).toBe(true);
    const found = new Set(rows.map((row) => row.status));
    for (const status of ['AUTO_PUBLISHED', 'PENDING_REVIEW', 'BLOCKED'] as const) expect(found).toContain(status);
    expect(rows.every((row) => JSON.parse(row.evidences) instanceof Array)).toBe(true);
    expect(verifyChain(ledger)).toMatchObject({ ok: true });
  });
});

describe('the relay alone', () => {
  test.each([
    ['/api/v1/sync/bundle?after=0&limit=3', 200],
    ['/api/v1/sync/bundle?after=9007199254740991', 200],
    ['/api/v1/sync/bundle?after=-1', 400],
    ['/api/v1/sync/bundle?after=0&limit=501', 400],
    ['/api/v1/sync/bundle?after=one', 400],
  ])('passes the answer to %s on unchanged', async (target, status) => {
    const answer = await fetch(urls.relay + target);
    const body = Buffer.from(await answer.arrayBuffer());
    expect(answer.status).toBe(status);
    // The Intake pulls too, and gets other bytes: its answers are filtered out by comparison.
    const sent = tap.answers().filter((original) => original.body.equals(body));
    expect(sent.length).toBeGreaterThan(0);
    const last = sent.at(-1);
    expect(last?.status).toBe(status);
    for (const name of ['content-type', 'content-length', 'x-causeway-head'])
      expect(answer.headers.get(name)).toBe(last?.headers.get(name) ?? null);
  });
});

describe('an invalidation', () => {
  test('withdraws a text that a channel was served a moment before', async () => {
    const shown = explanations(ledger).find((row) => row.status === 'AUTO_PUBLISHED' && row.analysis_engine === 'v1');
    const { explanation_result_id: id = '', etf_ticker: ticker = '' } = shown ?? {};
    expect(ticker).not.toBe('');
    const served = async (): Promise<string | undefined> => {
      const answer = await fetch(`${urls.provision}/v1/explanations/${ticker}`, { headers: CHANNEL });
      return ((await answer.json()) as { result?: { text: string } }).result?.text;
    };
    // The withdrawn explanation is the one that channels get now; it may be a later one of the ticker.
    const before = await served();
    expect(before).toBeDefined();
    const target =
      explanations(ledger).find((row) => row.published_summary === before && row.etf_ticker === ticker)
        ?.explanation_result_id ?? id;

    await invalidate(target, '근거 기사가 정정되었습니다.');
    await waitFor('the withdrawal', () => statusOf(target) === 'INVALIDATED');
    expect(await served()).not.toBe(before);
    expect(historyOf(ledger, explanationId(target)).at(-1)).toMatchObject({
      move: 'invalidate',
      actor: 'SYSTEM',
      reason: '근거 기사가 정정되었습니다.',
    });
  });
});

async function invalidate(id: string, reason: string): Promise<void> {
  const login = await fetch(`${urls.operator}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'operator', password: 'causeway-demo' }),
  });
  expect(login.status).toBe(200);
  const cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const answer = await fetch(`${urls.operator}/api/v1/analyses/${encodeURIComponent(id)}/invalidate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie },
    body: JSON.stringify({ reason }),
  });
  expect(await answer.json()).toMatchObject({ isSuccess: true });
}

describe('an Intake that is killed', () => {
  test('continues at the ledger’s cursor, without a hole and without a second copy', async () => {
    const before = syncStatus(ledger, new Date()).committedCursor;
    // Enough for several bundles: the first of them starts the kill.
    const again = loads.slice(0, runs(30, loads.length));
    const handing = handIn(again.map((line) => renamed(line, 'again')));
    await waitFor('a bundle of the new loads', () => syncStatus(ledger, new Date()).committedCursor > before);
    await intake.kill();
    const told = await handing;
    expect(told.filter(({ outcome }) => outcome === 'PUBLISHED').length).toBeGreaterThan(again.length * 0.4);
    intake = startIntake('relayed', { CAUSEWAY_INTAKE_UPSTREAM: urls.relay });
    await caughtUp(ledger);
    expectSameBytes(ledger, tap.answers());
    expect(new Map(explanations(ledger).map((row) => [row.explanation_result_id, row.summary]))).toEqual(published);
    expect(verifyChain(ledger)).toMatchObject({ ok: true });
  });
});

/** The same load as if another run had made it for another firing. */
function renamed(line: string, suffix: string): string {
  const load = JSON.parse(line) as DemoLoad;
  load.run.explanation_run_id += `-${suffix}`;
  load.trigger.trigger_id += `-${suffix}`;
  if (load.analysis !== undefined) load.analysis.movement_analysis_id += `-${suffix}`;
  if (load.result !== undefined && load.result !== null) {
    load.result.explanation_result_id += `-${suffix}`;
    // At most one of a grain is published (sync protocol 3).
    load.result.explanation_as_of = new Date(Date.parse(load.result.explanation_as_of) + 1_000).toISOString();
  }
  return JSON.stringify(load);
}

describe('the single-module option', () => {
  test('the same Intake pulls from the cloud itself with the tenant’s certificate, into an equal ledger', async () => {
    const part = startIntake('direct', {
      CAUSEWAY_INTAKE_UPSTREAM: urls.sync,
      CAUSEWAY_INTAKE_CERT: tenant().cert,
      CAUSEWAY_INTAKE_KEY: tenant().key,
      CAUSEWAY_INTAKE_CA: installed.pki.ca,
    });
    await part.logLine('ready', (line) => line.msg === 'ready');
    const direct = openLedger(ledgerFile('direct'));
    try {
      await caughtUp(direct);
      const facts = (store: Ledger) =>
        explanations(store).map(({ id, summary, status, evidences, cursor }) => ({
          id,
          summary,
          status,
          evidences,
          cursor,
        }));
      expect(facts(direct)).toEqual(facts(ledger));
    } finally {
      direct.close();
    }
    expect(await part.stop()).toEqual({ code: 0, signal: null });
  });
  test('without a certificate the state reports it missing', async () => {
    const part = startIntake('stranger', { CAUSEWAY_INTAKE_UPSTREAM: urls.sync, CAUSEWAY_INTAKE_CA: installed.pki.ca });
    await part.logLine('ready', (line) => line.msg === 'ready');
    const stranger = openLedger(ledgerFile('stranger'));
    await waitFor('the refusal', () => syncStatus(stranger, new Date()).state !== 'NEVER');
    expect(syncStatus(stranger, new Date())).toMatchObject({
      state: 'UNAUTHORIZED',
      committedCursor: 0,
      lastError: { code: 'SYNC4011' },
    });
    stranger.close();
  });
});

describe('the bounds of the wire', () => {
  test('the deepest and the largest load that the door takes arrive; one level or one byte more is refused at the door', async () => {
    // In a body an output is nested six levels deep.
    const nested = (levels: number): string => '{"a":'.repeat(levels - 1) + '{}' + '}'.repeat(levels - 1);
    // The demo has its own instruments under theirs.
    const made = (key: string) => live({ key, ticker: '900200' });
    const deep = (key: string, levels: number): string => withOutput(made(key), nested(levels));
    // Two of them fill a bundle.
    const large = ['large-1', 'large-2', 'large-3', 'large-4', 'large-5'].slice(0, runs(3, 5));
    const before = syncStatus(ledger, new Date()).committedCursor;
    const told = await handIn([
      deep('deep', MAX_BODY_DEPTH - 6),
      deep('too-deep', MAX_BODY_DEPTH - 5),
      ...large.map((key) => paddedTo(made(key), MAX_ENTRY_BYTES)),
      paddedTo(made('too-large'), MAX_ENTRY_BYTES + 1),
    ]);
    expect(told.map(({ outcome, reason, id }) => [outcome, reason, id])).toEqual([
      ['PUBLISHED', null, 'res-deep'],
      ['FAILED', 'LOAD_INVALID', 'res-too-deep'],
      ...large.map((key) => ['PUBLISHED', null, `res-${key}`]),
      ['FAILED', 'LOAD_INVALID', 'res-too-large'],
    ]);
    await caughtUp(ledger);
    expect(syncStatus(ledger, new Date())).toMatchObject({ state: 'OK', rejectedEntries: 0, quarantinedBundles: 0 });
    const evidences = new Map(explanations(ledger).map((row) => [row.explanation_result_id, row.evidences]));
    expect(evidences.get('res-deep')).toContain(nested(MAX_BODY_DEPTH - 6));
    for (const key of large) expect(evidences.get(`res-${key}`)).toMatch(/x{1000000}/);
    // Cut by bytes: no bundle has them all, and none leaves a gap.
    const bundles = rawBundles(ledger).filter((raw) => raw.cursor_from >= before);
    expect(bundles.length).toBeGreaterThan(1);
    for (const raw of bundles) expect(raw.body.length).toBeLessThan(FULL_BUNDLE_BYTES + MAX_ENTRY_BYTES + 1_024);
    expectSameBytes(ledger, tap.answers());
  });
});
