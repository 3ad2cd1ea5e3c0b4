/**
 * Faults 10 to 12, 14, 21 and 22 at the relay: an incomplete answer of the cloud is not forwarded as a whole one, slow
 * and endless answers are ended, and the cloud's wish to wait is forwarded. The Intake behind it commits none of it,
 * reports the fault, and gets everything afterwards.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ask, type Seen } from '../../support/agent/relay.ts';
import type { RelayStatus } from '../../../shared/wire/relay.ts';
import { BUNDLE_PATH } from '../../../shared/wire/bundle-endpoint.ts';
import { makeAuthority, writePair, writeWhole } from '../../support/pki.ts';
import { freePort, TestFixture, waitFor } from '../../support/process.ts';
import { onWire, startScriptedCloud, type Misbehaviour, type ScriptedCloud } from '../../support/scripted-cloud.ts';
import { begun, pullsInVain, type IntakeFixture, type Left } from '../intake-fixture.ts';
import { newSeed } from '../../support/runs.ts';
import { placesIn } from '../places.ts';
import { bodyOf, bundleOf, entries, failureOf, invalidationAt } from '../truth.ts';
import { Seeded } from '../../support/seeded.ts';

const random = new Seeded(newSeed());
const PULL = `${BUNDLE_PATH}?after=0&limit=5`;
/** The relay's limits. The Intake waits far longer, so that these tests reach the relay's. */
const HEADERS_MS = 500;
const BODY_MS = 700;
const BODY_BYTES = 100_000;
const PATIENT = { headersMs: 20_000, idleMs: 20_000, totalMs: 20_000 };

const fixture = new TestFixture();
let tls: { cert: string; key: string; ca: string };
let cloud: ScriptedCloud;
let cloudUrl: string;
let env: Record<string, string>;
let relayUrl: string;

beforeAll(async () => {
  const authority = await makeAuthority();
  tls = { ...(await authority.server()), ca: authority.ca };
  cloud = await startScriptedCloud({ tls });
  cloudUrl = cloud.url;
  const folder = fixture.folder('relay');
  const pair = writePair(folder, 'relay', await authority.client());
  env = {
    CAUSEWAY_RELAY_LISTEN: '127.0.0.1:0',
    CAUSEWAY_RELAY_UPSTREAM: cloudUrl,
    CAUSEWAY_RELAY_CERT: pair.cert,
    CAUSEWAY_RELAY_KEY: pair.key,
    CAUSEWAY_RELAY_CA: writeWhole(folder, 'ca.crt', authority.ca),
    CAUSEWAY_RELAY_HEADERS_MS: String(HEADERS_MS),
    CAUSEWAY_RELAY_BODY_MS: String(BODY_MS),
    CAUSEWAY_RELAY_BODY_BYTES: String(BODY_BYTES),
  };
  const relay = fixture.start('agent/relay/main.ts', { env });
  ({ url: relayUrl } = await relay.listening('relay'));
  cloud.url = relayUrl;
});
afterEach(() => {
  cloud.misbehave = null;
});
afterAll(async () => {
  await fixture.clear();
  await cloud.close();
});

const behindRelay = (): Promise<IntakeFixture> => begun({ cloud, bounds: PATIENT });

async function status(): Promise<RelayStatus> {
  return (JSON.parse((await ask(relayUrl, '/status')).body.toString()) as { result: RelayStatus }).result;
}

/** The answer that a caller sees; null where the line broke before a head. */
async function seen(): Promise<Seen | null> {
  try {
    return await ask(relayUrl, PULL);
  } catch {
    return null;
  }
}

describe('10: the answer is cut at every byte', () => {
  const body = bodyOf(bundleOf(0, [invalidationAt(1, 'x', 'y')]));

  test.each([
    { framing: 'LENGTH', ending: 'END' },
    { framing: 'LENGTH', ending: 'RESET' },
    { framing: 'CHUNKED', ending: 'END' },
    { framing: 'CHUNKED', ending: 'RESET' },
  ] as const)('$framing, $ending: cut for the caller too', async ({ framing, ending }) => {
    const { length } = onWire(body, { framing }).bytes;
    const before = (await status()).counts;
    const places = placesIn(length, random);
    for (const cutAt of places) {
      cloud.misbehave = () => onWire(body, { framing, cutAt, ending });
      const answer = await seen();
      if (answer?.status === 503) expect(answer, `cut at ${cutAt}`).toMatchObject({ whole: true });
      else {
        expect(answer?.whole ?? false, `cut at ${cutAt}`).toBe(false);
        expect(body.subarray(0, answer?.body.length ?? 0).equals(answer?.body ?? Buffer.alloc(0))).toBe(true);
      }
    }
    cloud.misbehave = () => onWire(body, { framing });
    const whole = await seen();
    expect(whole).toMatchObject({ status: 200, whole: true });
    expect(whole?.body.equals(body)).toBe(true);
    const after = (await status()).counts;
    expect(after.relayed - before.relayed).toBe(1);
    expect(after.failed + after.cut - before.failed - before.cut).toBe(places.length);
  });

  test('and the Intake behind it commits nothing of it', async () => {
    const intake = await behindRelay();
    const after = intake.status().committedCursor;
    const next = bodyOf(bundleOf(after, [{ ...invalidationAt(1, 'x', 'y'), cursor: after + 1 }]));
    const { length } = onWire(next).bytes;
    for (const cutAt of placesIn(length, random))
      await pullsInVain(intake, () => onWire(next, { cutAt }), { state: 'RETRYING' });
    intake.promises();
    await intake.catchUp();
  });
});

describe('11: the announced length is not that of the body', () => {
  const wrong =
    (framing: Parameters<typeof onWire>[1]): Misbehaviour =>
    ({ honest }) =>
      onWire(honest().body, framing);
  test.each<[string, Misbehaviour, Left]>([
    [
      'one byte too few',
      ({ honest }) => onWire(honest().body, { declared: honest().body.length - 1 }),
      { state: 'VIOLATION', quarantined: 1 },
    ],
    [
      'one byte too many, then the end',
      ({ honest }) => onWire(honest().body, { declared: honest().body.length + 1, ending: 'END' }),
      { state: 'RETRYING' },
    ],
    [
      'one byte too many, then silence',
      ({ honest }) => onWire(honest().body, { declared: honest().body.length + 1, ending: 'HANG' }),
      { state: 'RETRYING' },
    ],
    ['none of the body', wrong({ declared: 0 }), { state: 'VIOLATION', quarantined: 1 }],
    ['below zero', wrong({ declared: -1, ending: 'END' }), { state: 'RETRYING', code: 'COMMON503' }],
    ['no number', wrong({ declared: Number.NaN, ending: 'END' }), { state: 'RETRYING', code: 'COMMON503' }],
    [
      'more than there is memory',
      wrong({ declared: 2 ** 53, ending: 'END' }),
      { state: 'RETRYING', code: 'COMMON503' },
    ],
    [
      'two that differ',
      wrong({ headers: { 'Content-Length': '3' }, ending: 'END' }),
      { state: 'RETRYING', code: 'COMMON503' },
    ],
    [
      'a length beside chunks',
      wrong({ framing: 'CHUNKED', headers: { 'content-length': '3' }, ending: 'END' }),
      { state: 'RETRYING', code: 'COMMON503' },
    ],
    ['none at all, whole as it may be', wrong({ framing: 'CLOSE' }), { state: 'RETRYING', code: 'COMMON503' }],
    [
      'chunks inside a compression without a request for it',
      wrong({ framing: 'CLOSE', headers: { 'transfer-encoding': 'gzip, chunked' } }),
      { state: 'RETRYING' },
    ],
  ])('%s', async (_, misbehaviour, left) => {
    const intake = await behindRelay();
    await pullsInVain(intake, misbehaviour, left);
    intake.promises();
    await intake.catchUp();
  });
});

describe('12: the answer takes its time, or has no end', () => {
  const drip = { bytes: 1, everyMs: 20 };
  const endless = Buffer.alloc(16_384, ' ');
  const begins = Buffer.from('{"isSuccess":true,"x":"');
  test.each<[string, Misbehaviour, Left, RegExp]>([
    ['a byte at a time', ({ honest }) => ({ ...onWire(honest().body), drip }), { state: 'RETRYING' }, /500 ms|700 ms/],
    [
      'a body that stops half-way',
      ({ honest }) => onWire(honest().body, { cutAt: 300, ending: 'HANG' }),
      { state: 'RETRYING' },
      /longer than 700 ms/,
    ],
    [
      'a head that stops half-way',
      ({ honest }) => onWire(honest().body, { cutAt: 30, ending: 'HANG' }),
      { state: 'RETRYING', code: 'COMMON503' },
      /did not begin to answer within 500 ms/,
    ],
    [
      'nothing at all',
      () => ({ bytes: Buffer.alloc(0), ending: 'HANG' }),
      { state: 'RETRYING', code: 'COMMON503' },
      /did not begin to answer within 500 ms/,
    ],
    [
      'a head without end',
      () => ({ bytes: Buffer.from('HTTP/1.1 200 OK\r\nx: '), ending: 'HANG', endless: Buffer.alloc(1_024, 'a') }),
      { state: 'RETRYING', code: 'COMMON503' },
      /Header overflow|HPE_HEADER_OVERFLOW/i,
    ],
    [
      'chunks without end',
      () => ({
        bytes: Buffer.from('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'),
        ending: 'HANG',
        endless: Buffer.concat([Buffer.from('4000\r\n'), endless, Buffer.from('\r\n')]),
      }),
      { state: 'RETRYING' },
      /larger than 100000 bytes/,
    ],
    [
      'a body that says that it is too large',
      () => onWire(begins, { declared: BODY_BYTES + 1, ending: 'HANG' }),
      { state: 'RETRYING', code: 'COMMON503' },
      /larger than 100000 bytes/,
    ],
  ])('%s', async (_, misbehaviour, left, message) => {
    const intake = await behindRelay();
    await pullsInVain(intake, misbehaviour, left);
    expect((await status()).lastFailure?.message).toMatch(message);
    await intake.catchUp();
  });
});

test('14: killed in the middle of a body, it has kept nothing, and the next one continues', async () => {
  const mortal = { ...env, CAUSEWAY_RELAY_LISTEN: `127.0.0.1:${await freePort()}` };
  const first = fixture.start('agent/relay/main.ts', { env: mortal });
  cloud.url = (await first.listening('relay')).url;
  try {
    const intake = await behindRelay();
    const before = intake.status().committedCursor;
    cloud.misbehave = ({ honest }) => onWire(honest().body, { cutAt: 400, ending: 'HANG' });
    const asked = cloud.asked.length;
    const pulled = intake.pull();
    await waitFor('the pull to reach the cloud', () => cloud.asked.length > asked);
    await first.kill();
    await pulled;
    expect(intake.status()).toMatchObject({ state: 'RETRYING', committedCursor: before });
    await fixture.start('agent/relay/main.ts', { env: mortal }).listening('relay');
    await intake.catchUp();
  } finally {
    cloud.url = relayUrl;
  }
});

describe('21: the cloud’s word about waiting is forwarded', () => {
  test.each<[number, string, string, string, string]>([
    [429, 'COMMON429', '90', 'REFUSED', 'COMMON429'],
    [503, 'COMMON503', '120', 'RETRYING', 'COMMON503'],
    [503, 'COMMON503', new Date(Date.UTC(2026, 10, 20, 8, 5)).toUTCString(), 'RETRYING', 'COMMON503'],
  ])('%i with Retry-After: %s', async (said, code, retryAfter, state, told) => {
    const intake = await behindRelay();
    cloud.misbehave = () => onWire(failureOf(code), { status: said, headers: { 'retry-after': retryAfter } });
    expect(await ask(relayUrl, PULL)).toMatchObject({ status: said, headers: { 'retry-after': retryAfter } });
    const next = await intake.pull();
    expect(next).toMatchObject({ when: 'PERIOD' });
    const wanted = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - intake.now;
    expect(next.when === 'PERIOD' ? next.notBeforeMs : 0).toBe(wanted);
    expect(intake.status()).toMatchObject({ state, lastError: { code: told } });
    await intake.catchUp();
  });
});

describe('22: the line to the cloud', () => {
  test('that fell silent costs one pull, and the next one takes another line', async () => {
    const intake = await behindRelay();
    await pullsInVain(intake, () => ({ bytes: Buffer.alloc(0), ending: 'HANG' }), {
      state: 'RETRYING',
      code: 'COMMON503',
    });
    await intake.catchUp();
  });

  test('closed by the cloud while idle costs none', async () => {
    const intake = await behindRelay();
    const { port } = cloud;
    await cloud.close();
    const again = await startScriptedCloud({ tls, port, entries: cloud.entries });
    again.sent = cloud.sent;
    again.url = relayUrl;
    cloud = again;
    const before = intake.status().committedCursor;
    await intake.pull();
    expect(intake.status()).toMatchObject({ state: 'OK' });
    expect(intake.status().committedCursor).toBeGreaterThan(before);
  });

  test('away for a while costs the pulls of that while', async () => {
    const { port } = cloud;
    const truth = entries(12);
    const intake = await begun({ cloud, truth, bounds: PATIENT });
    const { committedCursor } = intake.status();
    await cloud.close();
    for (let poll = 0; poll < 3; poll++) {
      await intake.pull();
      expect(intake.status()).toMatchObject({
        state: 'RETRYING',
        lastError: { code: 'COMMON503' },
        committedCursor,
      });
      expect(intake.status().lastError?.message).toMatch(/ECONNREFUSED/);
    }
    const again = await startScriptedCloud({ tls, port, entries: truth });
    again.url = relayUrl;
    cloud = again;
    for (let poll = 0; poll < 4; poll++) await intake.pull();
    intake.apply();
    const head = truth.at(-1)?.cursor;
    expect(intake.status()).toMatchObject({ state: 'OK', committedCursor: head, appliedCursor: head });
  });
});
