/** A pull that waits, through the relay in front of a scripted cloud (D223). */
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { closed } from '../../test/support/closed.ts';
import { makeAuthority } from '../../test/support/pki.ts';
import { TestFixture, waitFor } from '../../test/support/process.ts';
import { ask, startCloud, wholly, type ScriptedCloud, type Seen } from '../../test/support/agent/relay.ts';
import { relayEnv, TestRelay } from '../../test/support/agent/relay-process.ts';

const PULL = '/api/v1/sync/bundle?after=7';

const fixture = new TestFixture();
const relays: TestRelay[] = [];
let cloud: ScriptedCloud;
let env: Record<string, string>;

beforeAll(async () => {
  const authority = await makeAuthority();
  const [server, client] = await Promise.all([authority.server(), authority.client({ name: 'tenant 1' })]);
  cloud = await startCloud({ cert: server.cert, key: server.key, ca: authority.ca });
  const folder = fixture.folder('relay');
  env = relayEnv(folder, cloud.url, client, authority);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(relays.splice(0).map((relay) => relay.stop()));
  cloud.seen.length = 0;
});
afterAll(async () => {
  await fixture.clear();
  await cloud.close();
});

async function start(more: Record<string, string> = {}): Promise<{ relay: TestRelay; url: string }> {
  const relay = new TestRelay({ ...env, ...more });
  relays.push(relay);
  return { relay, url: await relay.listening() };
}
const waiting = (url: string, prefer = 'wait=1'): Promise<Seen> =>
  ask(url, PULL, { headers: { prefer, 'x-own': 'x' } });
const codeOf = ({ body }: Seen): string => (JSON.parse(body.toString()) as { code: string }).code;

test('of the caller’s headers the seconds and how far it has applied pass alone, and of the cloud’s preference `wait=N` alone', async () => {
  const { url } = await start();
  cloud.script = wholly('{}', { 'preference-applied': 'wait=1' });
  const told = 'applied=7;rejected=1;held=0;entries=3:FORM';
  const telling = (prefer: string, applied: string): Promise<Seen> =>
    ask(url, PULL, { headers: { prefer, 'x-own': 'x', 'x-causeway-applied': applied } });
  expect((await telling('respond-async, Wait=1', told)).headers['preference-applied']).toBe('wait=1');
  cloud.script = wholly('{}', { 'preference-applied': 'wait=1; x="y"' });
  expect((await telling('wait=46', `${told},4:SECRET`)).headers['preference-applied']).toBeUndefined();
  expect(cloud.seen.map(({ headers }) => headers)).toEqual(
    [{ prefer: 'wait=1', 'x-causeway-applied': told }, {}].map((passed) => ({
      accept: 'application/json',
      connection: 'keep-alive',
      host: new URL(cloud.url).host,
      ...passed,
    })),
  );
});

test('the seconds come on top of the time until the head, for a pull that waits alone', async () => {
  const { url } = await start({ CAUSEWAY_RELAY_HEADERS_MS: '100' });
  cloud.script = (request, response) => void setTimeout(() => wholly('{}')(request, response), 400);
  expect((await waiting(url)).status).toBe(200);
  expect((await ask(url, PULL)).status).toBe(503);
});

test('a stop of the relay answers a pull that waits at once', async () => {
  const { relay, url } = await start();
  cloud.script = () => undefined;
  const answer = waiting(url, 'wait=45');
  await waitFor('the pull at the cloud', () => cloud.seen.length === 1);
  const [pull] = cloud.seen;
  if (pull === undefined) throw new Error('no pull has come');
  const gone = closed(pull.connection);
  expect(await relay.stop()).toBe(0);
  expect([(await answer).status, codeOf(await answer)]).toEqual([503, 'COMMON503']);
  await gone;
});

test('a wait that breaks off is told, not begun again: the Intake has to learn of it', async () => {
  const { url } = await start();
  cloud.script = wholly('{}');
  await ask(url, PULL);
  const now = performance.now.bind(performance);
  let later = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now() + later);
  cloud.script = ({ socket }) => {
    later = 20_000;
    socket.destroy();
  };
  expect((await waiting(url)).status).toBe(503);
  expect(cloud.seen.length).toBe(2);
});

test('an answer without news to a pull that waited is no line of the log', async () => {
  const { relay, url } = await start();
  for (const head of ['7', '8']) {
    cloud.script = wholly('{}', { 'preference-applied': 'wait=1', 'x-causeway-head': head });
    await waiting(url);
  }
  await relay.logLine('it told', ({ msg }) => msg === 'relayed');
  expect(relay.logs.filter(({ msg }) => msg === 'relayed')).toHaveLength(1);
});
