/** An install without accounts (D58), and the limit of password attempts in production (D9). */
import { writeFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { startService } from '../testing-service.ts';
import { TestConsole } from '../testing.ts';

const login = (console: TestConsole, body: object, from = '127.0.0.1') =>
  console.ask({ method: 'POST', url: '/api/v1/auth/login', body, from });
const PASSWORD = 'a long password';

describe('the first administrator', () => {
  test('registers with the code that the service has printed, once', async () => {
    await using console = new TestConsole({ seed: 'nothing', production: true });
    const setupCode = console.context.setUp.code ?? '';
    expect(setupCode).toMatch(/^([A-Z2-9]{5}-){4}[A-Z2-9]{5}$/);
    const done = await login(console, { username: 'first', password: PASSWORD, setupCode: setupCode.toLowerCase() });
    expect(done.result).toMatchObject({ authenticated: true, role: 'TENANT_ADMIN' });
    expect(console.actions().map(({ action, actor }) => [action, actor])).toEqual([
      ['member.register', 'first'],
      ['auth.login', 'first'],
    ]);
    expect(console.context.setUp.code).toBeNull();
    expect((await login(console, { username: 'second', password: PASSWORD, setupCode })).status).toBe(401);
    expect((await login(console, { username: 'first', password: PASSWORD })).status).toBe(200);
  });

  test('cannot register without the right code', async () => {
    await using console = new TestConsole({ seed: 'nothing' });
    for (const setupCode of ['', 'AAAAA-AAAAA-AAAAA-AAAAA-AAAAA', 'x']) {
      const refused = await login(console, { username: 'first', password: PASSWORD, setupCode });
      expect(refused.body.code).toBe('AUTH4011');
    }
    expect(console.actions().map(({ action }) => action)).toEqual(Array(3).fill('auth.login-refused'));
  });

  test('learns the rules for name and password with the right code', async () => {
    await using console = new TestConsole({ seed: 'nothing' });
    const setupCode = console.context.setUp.code ?? '';
    const answer = await login(console, { username: 'a b', password: 'short', setupCode });
    expect(answer.body).toMatchObject({
      code: 'COMMON400',
      errors: [{ path: 'body.username' }, { path: 'body.password' }],
    });
    const named = await login(console, { username: 'administrator', password: 'Administrator', setupCode });
    expect(named.body).toMatchObject({ code: 'COMMON400', errors: [{ path: 'body.password' }] });
    expect(console.actions()).toEqual([]);
  });

  test('is offered by the page only while no account exists', async () => {
    await using console = new TestConsole({ seed: 'nothing', pages: 'built' });
    const offers = async () =>
      (await console.app.inject({ method: 'GET', url: '/', headers: { host: '127.0.0.1', accept: 'text/html' } })).body;
    const head = '<head></head>';
    writeFileSync(path.join(console.folder, 'pages', 'index.html'), head);
    expect(await offers()).toBe('<head><meta name="causeway-set-up"></head>');
    const setupCode = console.context.setUp.code ?? '';
    await login(console, { username: 'first', password: PASSWORD, setupCode });
    expect(await offers()).toBe(head);
  });

  test('of two parallel registrations one wins', async () => {
    await using console = new TestConsole({ seed: 'nothing' });
    const setupCode = console.context.setUp.code ?? '';
    const answers = await Promise.all(
      ['one', 'two'].map((username) => login(console, { username, password: PASSWORD, setupCode })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
  });

  test('is requested only while no account exists', async () => {
    expect(new TestConsole().context.setUp.code).toBeNull();
    await using empty = new TestConsole({ seed: 'nothing' });
    let log = '';
    const service = await startService({
      ledger: empty.file,
      clock: { now: () => empty.now },
      log: new Writable({
        write: (part, _, done) => {
          log += String(part);
          done();
        },
      }),
    });
    const { setUpCode } = JSON.parse(log.split('\n').find((line) => line.includes('setUpCode')) ?? '{}') as {
      setUpCode?: string;
    };
    const answer = await fetch(`${service.url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'first', password: PASSWORD, setupCode: setUpCode }),
    });
    await service.stop();
    expect(answer.status).toBe(200);
  });
});

describe('passwords in production', () => {
  const wrong = (console: TestConsole, username: string, from?: string) =>
    login(console, { username, password: 'wrong' }, from);

  test('are limited to ten for a name within a quarter of an hour, whether it exists or not', async () => {
    await using console = new TestConsole({ production: true });
    for (const username of ['operator', 'nobody']) {
      for (let n = 0; n < 10; n += 1) expect((await wrong(console, username)).status).toBe(401);
      const refused = await wrong(console, username.toUpperCase());
      expect([refused.status, refused.body.code]).toEqual([429, 'COMMON429']);
    }
  });

  test('beyond the limit go on record: once a window for a name', async () => {
    await using console = new TestConsole({ production: true });
    const refusals = () =>
      console
        .actions()
        .filter(({ detail }) => detail.includes('too many attempts'))
        .map(({ action, actor, detail }) => [action, actor, detail]);
    for (let n = 0; n < 13; n += 1) await wrong(console, 'operator');
    const row = ['auth.login-refused', 'operator', '{"why":"too many attempts","limit":"name"}'];
    expect(refusals()).toEqual([row]);
    console.pass(15 * 60_000);
    for (let n = 0; n < 13; n += 1) await wrong(console, 'operator');
    expect(refusals()).toEqual([row, row]);
  });

  test('are accepted again after a quarter of an hour', async () => {
    await using console = new TestConsole({ production: true });
    for (let n = 0; n < 11; n += 1) await wrong(console, 'operator');
    console.pass(15 * 60_000);
    expect((await wrong(console, 'operator')).status).toBe(401);
  });

  test('many at once do not slip through', async () => {
    await using console = new TestConsole({ production: true });
    const answers = await Promise.all(Array.from({ length: 15 }, () => wrong(console, 'operator')));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(5);
  });

  test('from one address are limited to a hundred, for all names together', async () => {
    await using console = new TestConsole({ production: true });
    const recorded: string[] = [];
    const record = ({ limit }: { limit: string }) => recorded.push(limit);
    const attempts = Array.from(
      { length: 110 },
      (_, n) => () => console.context.loginLimit?.begin(`n-${n}`, '10.0.0.1', record),
    );
    const outcomes = await Promise.allSettled(attempts.map(async (attempt) => attempt()));
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(10);
    await console.context.loginLimit?.begin('n-1', '10.0.0.2', record);
    expect(recorded).toEqual(['address']);
  });

  test('from elsewhere do not lock out the user of the name; they delay each attempt', async () => {
    await using console = new TestConsole({ seed: 'demo', production: true });
    const from = (n: number) => `10.0.${Math.floor(n / 250)}.${1 + (n % 250)}`;
    const begin = (place: string) => console.context.loginLimit?.begin('admin', place, () => undefined);
    for (let n = 0; n < 10; n += 1) expect(await begin('10.1.0.1')).toBe(0);
    for (let n = 0; n < 20; n += 1) expect(await begin(from(n))).toBe(0);
    expect([await begin(from(20)), (await wrong(console, 'admin', from(21))).status, console.pauses]).toEqual([
      1_000,
      401,
      [1_000],
    ]);
    for (let n = 22; n < 80; n += 1) await begin(from(n));
    const { status } = await login(console, { username: 'admin', password: 'causeway-demo' });
    expect([status, console.pauses.at(-1)]).toEqual([200, 5_000]);
    expect((await wrong(console, 'admin', '10.1.0.1')).status).toBe(429);
  });

  test('count for all addresses of one IPv6 network together', async () => {
    await using console = new TestConsole({ production: true });
    for (let n = 0; n < 10; n += 1)
      await console.context.loginLimit?.begin('operator', `2001:db8:0:1::${n + 1}`, () => undefined);
    expect((await wrong(console, 'operator', '2001:db8::1:ffff:0:0:1')).status).toBe(429);
    expect((await wrong(console, 'operator', '2001:db8:0:2::1')).status).toBe(401);
    expect((await wrong(console, 'operator', '::ffff:10.0.0.1')).status).toBe(401);
  });

  test('a successful login clears the attempts before it', async () => {
    await using console = new TestConsole({ seed: 'demo', production: true });
    const right = () => login(console, { username: 'viewer', password: 'causeway-demo' });
    for (let round = 0; round < 3; round += 1) {
      for (let n = 0; n < 9; n += 1) await wrong(console, 'viewer');
      expect((await right()).status).toBe(200);
    }
  });
});

test('are unlimited in a demo (console API 8)', async () => {
  await using console = new TestConsole();
  for (let n = 0; n < 25; n += 1) {
    expect((await login(console, { username: 'operator', password: 'wrong' })).status).toBe(401);
  }
});
