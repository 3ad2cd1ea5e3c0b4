/**
 * A compromised relay with the tenant's true certificate may send the cloud any requests, keep every answer and forward
 * any of them. The attacks are those that The Update Framework names, and a few more. None hides a withdrawal: the
 * Intake takes nothing, reports VIOLATION, and continues at its cursor when an honest relay is back.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { tlsClient, type Answer } from '../../support/cloud/tls.ts';
import { BUNDLE_PATH } from '../../../shared/wire/bundle-endpoint.ts';
import type { Issued } from '../../support/pki.ts';
import { TestFixture } from '../../support/process.ts';
import { makeVendorKey, statementOf } from '../../support/vendor-key.ts';
import { IdentityCloud, Tenant } from '../identity/identity-fixture.ts';

type Ask = (after: number, limit?: number) => Promise<Answer>;
interface HandedOn {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  /** Repeats the last byte for ever. */
  endless?: boolean;
}
/** The answer that the relay makes up for a pull. */
type Deed = (pull: { after: number; limit: number; ask: Ask; askAsOther: Ask }) => Promise<HandedOn>;

const NAMES = ['content-type', 'x-causeway-head', 'x-causeway-signature', 'x-causeway-statement'];
const handOn = ({ status, headers, body }: Answer, changes: Partial<HandedOn> = {}): HandedOn => ({
  status,
  body,
  headers: Object.fromEntries(
    NAMES.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  ),
  ...changes,
});
const honest: Deed = async ({ after, limit, ask }) => handOn(await ask(after, limit));

const fixture = new TestFixture();
const vendorKey = makeVendorKey();
let cloud: IdentityCloud;
let own: Issued;
let other: Issued;
let relay: Server;
let deed: Deed;
let tenant: Tenant;
/** The lead of the tenant's clock over the cloud's. */
let aheadMs: number;
let clients: { close(): void }[];

beforeAll(async () => {
  cloud = await IdentityCloud.open();
  [own, other] = [await cloud.issue(1), await cloud.issue(2)];
  await cloud.listen({ signingKey: vendorKey.privateKey });
});
beforeEach(async () => {
  const [asOwn, asOther] = [own, other].map((client) => tlsClient({ ca: cloud.authority.ca, client }));
  clients = [asOwn, asOther].filter((one) => one !== undefined);
  const asker =
    (client: typeof asOwn): Ask =>
    async (after, limit = 100) => {
      if (client === undefined) throw new Error('no client');
      return client.get(`${cloud.url}${BUNDLE_PATH}?after=${after}&limit=${limit}`);
    };
  const [ask, askAsOther] = [asker(asOwn), asker(asOther)];
  relay = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://relay');
    const pull = { after: Number(searchParams.get('after')), limit: Number(searchParams.get('limit')) };
    void deed({ ...pull, ask, askAsOther }).then(({ status, headers, body, endless = false }) => {
      response.writeHead(status, headers);
      if (!endless) return response.end(body);
      const more = Buffer.alloc(1024 * 1024, ' ');
      const pour = (): void => {
        while (!response.destroyed && response.write(more));
      };
      response.on('drain', pour).on('error', () => undefined);
      response.write(body);
      pour();
      return response;
    });
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  aheadMs = 0;
  deed = honest;
  await cloud.publishMore(4);
  tenant = new Tenant(
    path.join(fixture.folder('ledger'), 'ledger.sqlite'),
    `http://127.0.0.1:${(relay.address() as AddressInfo).port}`,
    { vendorKey, clock: { now: () => new Date(Date.now() + aheadMs) } },
  );
  // Three are received; at least one more, a withdrawal say, is still to come.
  expect((await tenant.pull()).state).toBe('OK');
});
afterEach(async () => {
  await tenant.close();
  for (const client of clients) client.close();
  relay.closeAllConnections();
  await new Promise((resolve) => relay.close(resolve));
});
afterAll(async () => {
  await fixture.clear();
  await cloud.close();
});

/** The deed is seen at once, and afterwards nothing is missing. */
async function isSeen(what: Deed, message: RegExp, code = 'STATEMENT'): Promise<void> {
  deed = what;
  await tenant.pullsInVain({ state: 'VIOLATION', code, message });
  deed = honest;
  aheadMs = 0;
  await tenant.catchUp(cloud, own);
}

test('fast-forward: an answer for a cursor that no record has reached, handed on as "nothing new"', () =>
  isSeen(
    async ({ ask }) => handOn(await ask(10_000_000)),
    /answers a pull after cursor 10000000, and cursor 3 was sent/,
  ));

test('fast-forward: a head that the relay has made up is not believed', async () => {
  deed = async (pull) => {
    const answer = await honest(pull);
    return { ...answer, headers: { ...answer.headers, 'x-causeway-head': '9007199254740991' } };
  };
  const { head, state } = await tenant.pull();
  expect({ state, head }).toEqual({ state: 'OK', head: (await cloud.everything(own)).cursor_to });
  deed = honest;
  await tenant.catchUp(cloud, own);
});

test('freeze: "nothing new" from before is good for five minutes, and then no more', async () => {
  while ((await tenant.pull()).lag !== 0);
  const { committedCursor } = await tenant.pull();
  let kept: HandedOn | null = null;
  const frozen: Deed = async ({ after, ask }) => (kept ??= handOn(await ask(after)));
  deed = frozen;
  expect((await tenant.pull()).state).toBe('OK');
  await cloud.publishMore(1);
  expect(await tenant.pull()).toMatchObject({ state: 'OK', committedCursor });
  aheadMs = 301_000;
  await isSeen(frozen, /made at .*, and this host's clock says/, 'STATEMENT_TIME');
});

test('freeze: a relay that answers "nothing new" by itself has no statement for it', () =>
  isSeen(async () => {
    const body = Buffer.from('{"isSuccess":true,"code":"COMMON200","message":"OK"}');
    return { status: 200, headers: { 'x-causeway-head': '3' }, body };
  }, /has no statement of the vendor/));

test('rollback: a bundle from before, whole and signed', () =>
  isSeen(async ({ ask }) => handOn(await ask(0)), /answers a pull after cursor 0, and cursor 3 was sent/));

test('endless data: a body without an end is left at its bound', () =>
  isSeen(
    async ({ after, ask }) => handOn(await ask(after), { endless: true }),
    /larger than 67108864 bytes/,
    'TOO_LARGE',
  ));

test('mix and match: the body of one answer with the statement of another', () =>
  isSeen(async ({ after, ask }) => {
    const [now, before] = [await ask(after, 1), await ask(0, 2)];
    return handOn(now, { body: before.body });
  }, /does not fit the bytes/));

test('mix and match: entries of two answers in one bundle', () =>
  isSeen(async ({ after, ask }) => {
    const [first, second] = [await ask(0, 1), await ask(after)];
    const entry = (text: string): string => /"entries":\[(.*)\]\}\}$/s.exec(text)?.[1] ?? '';
    const body = second.body.toString();
    return handOn(second, { body: Buffer.from(body.replace(entry(body), entry(first.body.toString()))) });
  }, /does not fit the bytes/));

test('wrong signer: the relay signs with a key of its own', () => {
  const forged = makeVendorKey();
  return isSeen(async ({ after, ask }) => {
    const { body, headers } = handOn(await ask(10_000_000));
    const statement = statementOf(forged, { tenantId: 1, after, head: after, at: new Date(), body });
    return { status: 200, body, headers: { ...headers, 'x-causeway-statement': statement } };
  }, /is signed by the key [0-9a-f]{16}, and the verification key is [0-9a-f]{16}/);
});

test('the answer of another tenant', () =>
  isSeen(
    async ({ after, askAsOther }) => handOn(await askAsOther(after)),
    /about tenant 2, and this ledger belongs to tenant 1/,
  ));

test('the stream of another tenant, from before the first bundle on: nothing of it binds a new ledger', async () => {
  await tenant.close();
  const upstream = `http://127.0.0.1:${(relay.address() as AddressInfo).port}`;
  tenant = new Tenant(path.join(fixture.folder('new'), 'ledger.sqlite'), upstream, { vendorKey, tenantId: 1 });
  await isSeen(
    async ({ after, limit, askAsOther }) => handOn(await askAsOther(after, limit)),
    /about tenant 2, and this ledger belongs to tenant 1/,
  );
  deed = async ({ after, limit, askAsOther }) => handOn(await askAsOther(after, limit));
  await tenant.pullsInVain({ state: 'VIOLATION', code: 'STATEMENT' });
});

test('an error of the vendor, handed on as if it were good', () =>
  isSeen(async ({ ask }) => {
    const refused = await ask(3, 501);
    expect(refused).toMatchObject({ status: 400, envelope: { code: 'SYNC4002' } });
    return handOn(refused, { status: 200 });
  }, /answers a pull after cursor null, and cursor 3 was sent/));

test('the statement is stripped off, and the signature over the bytes left', () =>
  isSeen(async ({ after, ask }) => {
    const answer = handOn(await ask(after));
    expect(answer.headers['x-causeway-signature']).toBeDefined();
    const headers = Object.fromEntries(
      Object.entries(answer.headers).filter(([name]) => name !== 'x-causeway-statement'),
    );
    return { ...answer, headers };
  }, /has no statement of the vendor/));

test.each([-301_000, 301_000])(
  'a clock that is %i ms away is reported by a code of its own, with both times',
  async (ms) => {
    aheadMs = ms;
    await isSeen(
      honest,
      /made at 20.*Z, and this host's clock says 20.*Z: more than 300 seconds apart/,
      'STATEMENT_TIME',
    );
  },
);
