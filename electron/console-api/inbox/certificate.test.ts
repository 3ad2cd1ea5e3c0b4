/** Certificate management through the relay (D17): the relay's answers are passed on, and each action is on record. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type {
  CertificateView,
  SyncCertificateInstalled,
  SyncReconnected,
} from '../../../shared/wire/console/console.ts';
import { failure, ApiError, success } from '../../../shared/wire/envelope.ts';
import { RELAY_CONTROL, type CertificateInstalled, type CloudProbe } from '../../../shared/wire/relay.ts';
import { TestConsole } from '../../../test/support/console-api/console.ts';

const FACTS = {
  subject: 'CN=tenant-1',
  issuer: 'CN=Vendor',
  fingerprint: 'ab'.repeat(32),
  validFrom: '2026-01-01T00:00:00.000Z',
  validTo: '2026-12-01T09:00:00.000Z',
};
const PROBE: CloudProbe = {
  outcome: 'ACCEPTED',
  at: '2026-11-20T09:00:00.000Z',
  ms: 12,
  status: 200,
  code: 'COMMON200',
  message: 'The cloud knows it.',
  tenantId: 1,
};
const INSTALLED: CertificateInstalled = { certificate: FACTS, previous: { ...FACTS, subject: 'CN=old' }, probe: PROBE };

let folder: string;
let relay: Server;
/** Requests that the relay received, and its next answer. */
let asked: { method: string | undefined; path: string | undefined; token: string | undefined; body: unknown }[];
let answer: { status: number; body: string };
let console: TestConsole;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'causeway-relay-'));
  writeFileSync(path.join(folder, 'token'), 'secret-token\n');
  asked = [];
  relay = createServer((request, response) => {
    void readBody(request).then((body) => {
      asked.push({ method: request.method, path: request.url, token: request.headers.authorization, body });
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
    });
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const url = new URL(`http://127.0.0.1:${(relay.address() as AddressInfo).port}`);
  console = new TestConsole({ relay: { url, tokenFile: path.join(folder, 'token'), tls: null } });
});
afterEach(async () => {
  await console.close();
  relay.close();
  relay.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

async function readBody(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const part of request.setEncoding('utf8')) text += String(part);
  return text === '' ? null : (JSON.parse(text) as unknown);
}

function answers(result: unknown): void {
  answer = { status: 200, body: JSON.stringify(success(result)) };
}
function refuses(code: 'COMMON400' | 'COMMON409' | 'COMMON503' | 'COMMON401', message: string): void {
  const error = new ApiError(code, message);
  answer = { status: error.status, body: JSON.stringify(failure(error)) };
}
const view = async (of = console) =>
  (await of.ask<CertificateView>({ method: 'GET', url: '/api/v1/sync/certificate', as: 'READ_ONLY' })).result;
const post = <T>(url: string, body?: object, of = console) =>
  of.ask<T>({
    method: 'POST',
    url: `/api/v1/sync/${url}`,
    as: 'TENANT_ADMIN',
    ...(body === undefined ? {} : { body }),
  });

describe('the certificate', () => {
  test('is shown with the remaining days', async () => {
    answers({ certificate: FACTS, certificateProblem: null, upstream: 'https://cloud' });
    expect(await view()).toEqual({ relay: 'OK', certificate: { ...FACTS, daysToExpiry: 11 }, problem: null });
    console.now = new Date('2026-12-01T09:00:01.000Z');
    expect((await view()).certificate?.daysToExpiry).toBe(-1);
    expect(asked[0]).toMatchObject({ method: 'GET', path: '/status', token: 'Bearer secret-token' });
  });

  test('cannot be shown without a relay, and the answer says why', async () => {
    await using alone = new TestConsole();
    expect(await view(alone)).toEqual({ relay: 'NOT_CONFIGURED', certificate: null, problem: null });
    expect((await post('reconnect', undefined, alone)).status).toBe(409);
    answer = { status: 200, body: '<html>' };
    expect(await view()).toMatchObject({
      relay: 'UNREACHABLE',
      problem: expect.stringContaining('is not a relay') as string,
    });
    relay.close();
    relay.closeAllConnections();
    expect(await view()).toMatchObject({
      relay: 'UNREACHABLE',
      certificate: null,
      problem: expect.stringContaining('does not answer') as string,
    });
  });

  test.each<[string, object]>([
    ['nothing', {}],
    ['a certificate of other parts', { certificate: { subject: 1 }, certificateProblem: null }],
    ['a date that is none', { certificate: { ...FACTS, validTo: 'soon' }, certificateProblem: null }],
  ])('of a relay that says %s is not shown, and the relay is told to be at fault', async (_, said) => {
    answers(said);
    expect(await view()).toMatchObject({
      relay: 'UNREACHABLE',
      problem: expect.stringContaining('cannot be read') as string,
    });
    expect((await post('reconnect')).body).toMatchObject({ code: 'COMMON503' });
    expect(console.actions().at(-1)).toMatchObject({ action: 'sync.reconnected.refused' });
  });

  test('is replaced, on record and without a key in it', async () => {
    answers(INSTALLED);
    const before = console.actions().length;
    const body = { certificate: 'CERT PEM', key: 'KEY PEM' };
    const { result } = await post<SyncCertificateInstalled>('certificate', body);
    expect(result).toMatchObject({ certificate: { daysToExpiry: 11 }, previous: { subject: 'CN=old' }, probe: PROBE });
    expect(asked[0]).toMatchObject({ method: 'POST', path: RELAY_CONTROL.certificate, body });
    const { fingerprint, validTo } = FACTS;
    expect(console.actions(before).map(({ action, detail }) => [action, JSON.parse(detail) as unknown])).toEqual([
      ['sync.certificate-replaced.asked', { fingerprint: null }],
      ['sync.certificate-replaced', { asked: before + 1, fingerprint, validTo, outcome: 'ACCEPTED' }],
    ]);
    expect(JSON.stringify(console.actions(before))).not.toContain('KEY PEM');
    await post('certificate/previous');
    expect(asked[1]).toMatchObject({ path: RELAY_CONTROL.previous, body: null });
    answers({ request: 'CSR PEM' });
    expect((await post('certificate/request')).result).toEqual({ request: 'CSR PEM' });
    const done = console.actions(before).map(({ action }) => action);
    expect(done.filter((action) => !action.endsWith('.asked'))).toEqual([
      'sync.certificate-replaced',
      'sync.certificate-returned',
      'sync.certificate-requested',
    ]);
  });

  test('is on record before the relay is called, so that every action of the relay leaves a trace', async () => {
    answers(INSTALLED);
    const before = console.actions().length;
    let known: string[] = [];
    relay.prependListener('request', () => {
      known = console.actions(before).map(({ action }) => action);
      // As if the console ended here: no further row can be written.
      console.ledger.write((tx) =>
        tx.run({
          sql: "CREATE TRIGGER full BEFORE INSERT ON console_action_log BEGIN SELECT RAISE(ABORT, 'no more'); END",
          parameters: [],
        }),
      );
    });
    expect((await post('certificate', { certificate: 'CERT PEM' })).status).toBe(500);
    expect(known).toEqual(['sync.certificate-replaced.asked']);
    expect(console.actions(before).map(({ action }) => action)).toEqual(known);
    expect((await post('certificate', { certificate: 'CERT PEM' })).status).toBe(500);
    expect(asked).toHaveLength(1);
  });

  test.for([
    ['COMMON400', 400],
    ['COMMON409', 409],
    ['COMMON503', 503],
    // A refusal of the console's own token is no fault of the caller.
    ['COMMON401', 503],
  ] as const)(
    'that the relay refuses with %s is refused with %d and its sentence, and both are on record',
    async ([code, status]) => {
      refuses(code, 'The certificate is not that of this tenant.');
      const before = console.actions().length;
      const refused = await post('certificate', { certificate: 'CERT PEM' });
      expect([refused.status, refused.body.message]).toEqual([
        status,
        'The relay says: The certificate is not that of this tenant.',
      ]);
      expect(console.actions(before)).toMatchObject([
        { action: 'sync.certificate-replaced.asked' },
        { action: 'sync.certificate-replaced.refused', detail: expect.stringContaining('not that of this') as string },
      ]);
    },
  );

  test('a reconnect is made at once', async () => {
    answers({ certificate: FACTS, probe: PROBE });
    const before = console.actions().length;
    expect((await post<SyncReconnected>('reconnect')).result).toMatchObject({ probe: { outcome: 'ACCEPTED' } });
    expect(console.actions(before)).toMatchObject([
      { action: 'sync.reconnected.asked' },
      { action: 'sync.reconnected' },
    ]);
  });

  test.for([{}, { certificate: '' }, { certificate: 'x'.repeat(70_000) }, { certificate: 'x', more: 1 }])(
    'a body that does not fit is refused before the relay is asked: %j',
    async (body) => {
      expect((await post('certificate', body)).status).toBe(400);
      expect(asked).toEqual([]);
    },
  );
});
