/** An install without accounts (D58), and the limit of password attempts in production (D9). */
import { writeFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { startService } from '../../../test/support/console-api/service.ts';
import { TestConsole } from '../../../test/support/console-api/console.ts';

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
    expect(await offers()).toBe('<head><meta name="causeway-set-up" content="true"></head>');
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

/** That the login keeps to the limit; the limit's own rules are in login-limit.test.ts. */
describe('passwords in production', () => {
  const wrong = (console: TestConsole, username: string, from?: string) =>
    login(console, { username, password: 'wrong' }, from);
  /** Attempts that reach no password. */
  const attempts = async (console: TestConsole, count: number, username: string, from = '127.0.0.1') => {
    for (let at = 0; at < count; at += 1) await console.context.loginLimit?.begin(username, from, () => undefined);
  };

  test('are limited for a name within a quarter of an hour, whether it exists or not, and on record once', async () => {
    await using console = new TestConsole({ production: true });
    const refusals = () =>
      console
        .actions()
        .filter(({ detail }) => detail.includes('too many attempts'))
        .map(({ action, actor, detail }) => [action, actor, detail]);
    const row = (username: string) => ['auth.login-refused', username, '{"why":"too many attempts","limit":"name"}'];
    for (const username of ['operator', 'nobody']) {
      await attempts(console, 9, username);
      expect((await wrong(console, username)).status).toBe(401);
      const refused = await wrong(console, username.toUpperCase());
      expect([refused.status, refused.body.code]).toEqual([429, 'COMMON429']);
      expect((await wrong(console, username)).status).toBe(429);
    }
    expect(refusals()).toEqual([row('OPERATOR'), row('NOBODY')]);
    console.pass(15 * 60_000);
    expect((await wrong(console, 'operator')).status).toBe(401);
  });

  test('many at once do not slip through', async () => {
    await using console = new TestConsole({ production: true });
    await attempts(console, 8, 'operator');
    const answers = await Promise.all(Array.from({ length: 5 }, () => wrong(console, 'operator')));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([401, 401, 429, 429, 429]);
  });

  test('from one address are limited for all names together', async () => {
    await using console = new TestConsole({ production: true });
    for (let at = 0; at < 100; at += 1) await attempts(console, 1, `n-${at}`, '10.0.0.1');
    expect((await wrong(console, 'operator', '10.0.0.1')).status).toBe(429);
    expect((await wrong(console, 'operator', '10.0.0.2')).status).toBe(401);
  });

  test('from elsewhere do not lock out the user of the name; they delay each attempt', async () => {
    await using console = new TestConsole({ seed: 'demo', production: true });
    for (let at = 0; at < 30; at += 1) await attempts(console, 1, 'admin', `10.0.0.${at}`);
    const { status } = await login(console, { username: 'admin', password: 'causeway-demo' });
    expect([status, console.pauses]).toEqual([200, [1_000]]);
  });

  test('a successful login clears the attempts before it', async () => {
    await using console = new TestConsole({ seed: 'demo', production: true });
    await attempts(console, 9, 'viewer');
    expect((await login(console, { username: 'viewer', password: 'causeway-demo' })).status).toBe(200);
    await attempts(console, 9, 'viewer');
    expect((await wrong(console, 'viewer')).status).toBe(401);
  });
});

test('are unlimited in a demo (console API 8)', async () => {
  await using console = new TestConsole();
  for (let n = 0; n < 11; n += 1) {
    expect((await login(console, { username: 'operator', password: 'wrong' })).status).toBe(401);
  }
});
