/**
 * Pulls that wait (D223) on the whole way: an Intake at work, a relay, and the bundle endpoint over mutual TLS, while
 * parts end and come back, and devices in between cut what is idle. Time runs faster: the Intake's clocks and the
 * cloud's seconds.
 */
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { applyNext } from '../../../agent/intake/apply/apply.ts';
import { createEntryScreening } from '../../../agent/intake/apply/screening.ts';
import { runLoop } from '../../../agent/intake/loop.ts';
import { createUpstream } from '../../../agent/intake/receive/pull.ts';
import { pullOnce } from '../../../agent/intake/receive/reception.ts';
import { Waits } from '../../../agent/intake/receive/waits.ts';
import { readableLog } from '../../support/agent/intake.ts';
import { explanationId } from '../../../agent/ledger/explanations/explanations.ts';
import { openLedger, type Ledger } from '../../../agent/ledger/storage/ledger.ts';
import { sqlite } from '../../../agent/ledger/storage/query.ts';
import { syncStatus } from '../../../agent/ledger/inbox/sync-state.ts';
import { TestRelay } from '../../support/agent/relay-process.ts';
import { withdraw } from '../../../cloud/publication/withdraw.ts';
import { AT } from '../../support/cloud/store.ts';
import { systemClock, type Clock } from '../../../shared/time/clock.ts';
import type { SyncStatus } from '../../../shared/wire/console/console.ts';
import { freePort, waitFor, TestFixture, type Part } from '../../support/process.ts';
import { IdentityCloud, relayEnvironment } from '../identity/identity-fixture.ts';
import type { Issued } from '../../support/pki.ts';
import { some } from '../../support/runs.ts';

/** A second of the field takes so many ms here. */
const SECOND = 10;
const PERIOD_MS = 3_600_000;
const DAY_MS = 86_400_000;
const PACE = { second: SECOND, gather: 2, look: 15 * SECOND };

const fixture = new TestFixture();
let cloud: IdentityCloud;
let shown: Issued;
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  cloud = await IdentityCloud.open();
  // Valid, too, by a clock that is off by a day.
  shown = await cloud.authority.client({ name: 'tenant 1', from: -2 * DAY_MS, to: 2 * DAY_MS });
  await cloud.register(1, shown);
});
beforeEach(() => cloud.listen({ waitPace: PACE }));
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});
afterAll(async () => {
  await cloud.close();
  await fixture.clear();
});

async function startRelay(more: Record<string, string> = {}): Promise<{ relay: TestRelay; url: string }> {
  const relay = new TestRelay({ ...relayEnvironment(cloud, fixture.folder('relay'), shown), ...more });
  ends.push(() => relay.stop());
  return { relay, url: await relay.listening() };
}

interface RunningIntake {
  ledger: Ledger;
  pulls: number;
  status(): SyncStatus;
  /** How far its clock is off, in ms. */
  clockOffMs: number;
  /** Whether what is received stays so. */
  isApplyingHeld: boolean;
  stop(): Promise<void>;
}

interface IntakeOptions {
  seconds?: number;
  periodMs?: number;
  file?: string;
  isApplyingHeld?: boolean;
}

const newFile = (): string => path.join(fixture.folder('intake'), 'ledger.sqlite');

/** An Intake that polls once in an hour: whatever comes earlier has been waited for. */
function startIntake(
  url: string,
  { seconds = 25, periodMs = PERIOD_MS, file = newFile(), isApplyingHeld = false }: IntakeOptions = {},
): RunningIntake {
  const ledger = openLedger(file);
  const upstream = createUpstream(new URL(url), {});
  const { log } = readableLog();
  const ending = new AbortController();
  const clock: Clock = { now: () => new Date(Date.now() + intake.clockOffMs) };
  const random = Math.random;
  const elapsedMs = (): number => (performance.now() * 1_000) / SECOND;
  const waits = new Waits({ seconds, periodMs, elapsedMs, random });
  const reception = {
    ledger,
    pull: upstream.pull,
    clock,
    log,
    limit: 100,
    periodMs,
    verification: null,
    tenantId: 1,
    waits,
  };
  const application = { ledger, screenEntry: createEntryScreening(log), clock, log };
  const intake: RunningIntake = {
    ledger,
    pulls: 0,
    status: () => syncStatus(ledger, clock.now()),
    clockOffMs: 0,
    isApplyingHeld,
    stop: () => Promise.resolve(),
  };
  const running = runLoop(
    {
      receive: (signal) => {
        intake.pulls += 1;
        return pullOnce(reception, signal);
      },
      apply: () => !intake.isApplyingHeld && applyNext(application),
      isBatchFull: () => true,
      leaveMs: () => 0,
      rest: () => undefined,
      random,
      wait: (ms, signal) => sleep((ms * SECOND) / 1_000, undefined, { signal }).catch(() => undefined),
      file: 'x',
      periodMs,
      log,
    },
    ending.signal,
  );
  let stopped: Promise<void> | null = null;
  intake.stop = () =>
    (stopped ??= (async () => {
      ending.abort();
      await running;
      await upstream.close();
      ledger.close();
    })());
  ends.push(intake.stop);
  return intake;
}

const applied = (intake: RunningIntake) => intake.status().appliedCursor;
const head = async (): Promise<number> => (await cloud.everything(shown)).cursor_to;
const caughtUp = (intake: RunningIntake, what: string): Promise<unknown> =>
  waitFor(what, async () => applied(intake) === (await head()));
/** The first records have come, and the Intake waits for more. */
async function settled(intake: RunningIntake): Promise<void> {
  await caughtUp(intake, 'the first records');
  await waitFor('it waits', () => intake.status().waitSeconds !== null);
}

test('a text and its withdrawal arrive without a poll, and few pulls are made while nothing happens', async () => {
  await cloud.publishMore(1);
  const { url } = await startRelay();
  const intake = startIntake(url);
  await settled(intake);
  expect(intake.status()).toMatchObject({ state: 'OK', waitSeconds: 25, waitCutSeconds: null, alarms: [] });
  await cloud.publishMore(1);
  await caughtUp(intake, 'the text');
  await cloud.store.transaction((trx) => withdraw(trx, { explanationResultId: 'res-k1' }, 'r', AT));
  await caughtUp(intake, 'the withdrawal');
  const off = sqlite.selectFrom('explanation').select('status').where('id', '=', explanationId('res-k1'));
  expect(intake.ledger.first(off)?.status).toBe('INVALIDATED');
  const [before, began] = [intake.pulls, performance.now()];
  await sleep(100 * SECOND);
  const waits = (performance.now() - began) / (25 * SECOND);
  expect(intake.pulls - before).toBeLessThanOrEqual(Math.ceil(waits) + 1);
  expect(intake.status().state).toBe('OK');
});

test('a relay that ends and comes back costs seconds', async () => {
  await cloud.publishMore(1);
  const { relay, url } = await startRelay();
  const intake = startIntake(url);
  await settled(intake);
  await relay.stop();
  await waitFor('the break is told', () => intake.status().state === 'RETRYING');
  await cloud.publishMore(1);
  await startRelay({ CAUSEWAY_RELAY_LISTEN: new URL(url).host });
  await settled(intake);
});

test('a relay that is killed while a pull waits, and comes back, costs seconds', async () => {
  await cloud.publishMore(1);
  const listen = `127.0.0.1:${await freePort()}`;
  const env = { ...relayEnvironment(cloud, fixture.folder('relay'), shown), CAUSEWAY_RELAY_LISTEN: listen };
  const startPart = async (): Promise<Part> => {
    const relay = fixture.start('agent/relay/main.ts', { env });
    ends.push(() => relay.kill());
    await relay.listening('relay');
    return relay;
  };
  const relay = await startPart();
  const intake = startIntake(`http://${listen}`);
  await settled(intake);
  await relay.kill();
  await waitFor('the break is told', () => intake.status().state === 'RETRYING');
  await cloud.publishMore(1);
  await startPart();
  await settled(intake);
});

test('a relay that answers at once and forges the header makes no loop: the period serves', async () => {
  const answer = '{"isSuccess":true,"code":"COMMON200","message":"OK"}';
  const relay = createHttpServer((_, response) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': answer.length,
      'preference-applied': 'wait=25',
    };
    response.writeHead(200, headers).end(answer);
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  ends.push(() => new Promise<void>((resolve) => relay.close(() => resolve())));
  const intake = startIntake(`http://127.0.0.1:${(relay.address() as AddressInfo).port}`, { periodMs: 60_000 });
  const began = performance.now();
  await waitFor('three pulls', () => intake.pulls >= 3);
  // The period is shortened by a tenth at most.
  expect(performance.now() - began).toBeGreaterThan(2 * 0.9 * 60 * SECOND);
  expect(intake.status().waitSeconds).toBeNull();
});

const CLOCKS = [
  ['Intake', 1],
  ['Intake', -1],
  ['cloud', 1],
  ['cloud', -1],
] as const;

test.each(some(1, CLOCKS))(
  'the clock of the %s moves by %d day while a pull waits: news comes, and no loop',
  async (whose, days) => {
    await cloud.publishMore(1);
    const { url } = await startRelay();
    const intake = startIntake(url);
    await settled(intake);
    if (whose === 'Intake') intake.clockOffMs = days * DAY_MS;
    else cloud.clock = { now: () => new Date(Date.now() + days * DAY_MS) };
    ends.push(() => Promise.resolve((cloud.clock = systemClock)));
    await cloud.publishMore(1);
    await caughtUp(intake, 'the text');
    const [before, began] = [intake.pulls, performance.now()];
    await waitFor('two waits', () => intake.pulls >= before + 2);
    expect(performance.now() - began).toBeGreaterThan(20 * SECOND);
    expect(intake.status().state).toBe('OK');
  },
);

test('a withdrawal that was received and not applied is applied after a start, while the first pull waits', async () => {
  await cloud.publishMore(1);
  const { url } = await startRelay();
  const file = newFile();
  const first = startIntake(url, { file });
  await settled(first);
  const last = (await cloud.everything(shown)).entries.at(-1) as Partial<
    Record<string, { explanation_result_id: string }>
  >;
  const explanationResultId = last['explanation_result']?.explanation_result_id ?? '';
  const status = sqlite.selectFrom('explanation').select('status').where('id', '=', explanationId(explanationResultId));
  first.isApplyingHeld = true;
  await cloud.store.transaction((trx) => withdraw(trx, { explanationResultId }, 'r', AT));
  const { committedCursor } = first.status();
  await waitFor('the commit', () => first.status().committedCursor > committedCursor);
  await first.stop();
  const second = startIntake(url, { file });
  await waitFor('the withdrawal', () => second.ledger.first(status)?.status === 'INVALIDATED');
  expect(second.pulls).toBeLessThanOrEqual(1);
});

test('a cloud that stops and comes back costs seconds; the stop is no failure of the tenant’s', async () => {
  await cloud.publishMore(1);
  const { url } = await startRelay();
  const intake = startIntake(url);
  await settled(intake);
  await cloud.server?.close();
  await cloud.parts.pullLog.flush();
  const state = cloud.store.db.selectFrom('tenant_pull_state').select('last_error_code').where('tenant_id', '=', 1);
  expect(await state.executeTakeFirst()).toEqual({ last_error_code: null });
  await cloud.listen({ waitPace: PACE });
  await cloud.publishMore(1);
  await settled(intake);
});

test('a device that cuts after 20 s is learned and told, and news comes all the same', async () => {
  await cloud.publishMore(1);
  const device = await cuttingDevice(cloud.port, 20 * SECOND);
  const { url } = await startRelay({ CAUSEWAY_RELAY_UPSTREAM: `https://127.0.0.1:${device.port}` });
  const intake = startIntake(url);
  await waitFor('it has learned', () => intake.status().waitSeconds === 12);
  expect(intake.status().state).toBe('OK');
  expect(intake.status().waitCutSeconds).toBeGreaterThanOrEqual(19);
  await cloud.publishMore(1);
  await caughtUp(intake, 'the text');
});

test('a second Intake of the tenant gets everything too, and the two make no loop', async () => {
  await cloud.publishMore(1);
  const { url } = await startRelay();
  const both = [startIntake(url, { periodMs: 60_000 }), startIntake(url, { periodMs: 60_000 })];
  for (const intake of both) await caughtUp(intake, 'the first records');
  const [before, began] = [both.map(({ pulls }) => pulls), performance.now()];
  await sleep(200 * SECOND);
  const halves = (performance.now() - began) / (12.5 * SECOND);
  for (const [index, { pulls }] of both.entries()) expect(pulls - (before[index] ?? 0)).toBeLessThanOrEqual(halves + 2);
  await cloud.publishMore(1);
  for (const intake of both) await caughtUp(intake, 'the text');
});

/** Passes everything on, and cuts a connection that has been idle for so long. */
async function cuttingDevice(port: number, idleMs: number): Promise<{ port: number }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((inner) => {
    const outer = connect(port, '127.0.0.1');
    inner.pipe(outer).pipe(inner);
    for (const socket of [inner, outer]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        inner.destroy();
        outer.destroy();
      });
    }
    inner.setTimeout(idleMs, () => inner.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return { port: (server.address() as AddressInfo).port };
}
