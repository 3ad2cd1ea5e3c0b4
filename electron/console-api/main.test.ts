/** The console API as a process, as in production. */
import { createServer } from 'node:net';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { LEDGER_EXIT_CODES } from '../../agent/ledger/storage/errors.ts';
import { freePort, PROJECT, TestFixture } from '../../test/support/process.ts';

const SCRIPT = 'electron/console-api/main.ts';

async function login(url: string, username: string): Promise<{ status: number; cookie: string; seconds: number }> {
  const began = Date.now();
  const answer = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password: 'causeway-demo' }),
  });
  const { result } = (await answer.json()) as { result?: { expiresAt: string } };
  const seconds = (Date.parse(result?.expiresAt ?? '') - began) / 1_000;
  return { status: answer.status, cookie: answer.headers.getSetCookie()[0]?.split(';')[0] ?? '', seconds };
}

describe('the process', () => {
  test('seeds a demo, serves, stops on SIGTERM with an open stream, and continues from the same state', async () => {
    await using fixture = new TestFixture();
    const ledger = path.join(fixture.folder('ledger'), 'ledger.sqlite');
    const env = { CAUSEWAY_LEDGER: ledger, CAUSEWAY_CONSOLE_LISTEN: '127.0.0.1:0' };
    const first = fixture.start(SCRIPT, { env: { ...env, CAUSEWAY_DEMO: '1', CAUSEWAY_CONSOLE_IDLE_SECONDS: '300' } });
    const { part, url } = await first.listening('console');
    expect(part).toBe('console-api');
    const { status, cookie, seconds } = await login(url, 'reviewer');
    expect([status, Math.floor(seconds / 100)]).toEqual([200, 3]);
    const stream = await fetch(`${url}/api/v1/events`, { headers: { cookie } });
    expect(stream.status).toBe(200);
    expect(await first.stop()).toEqual({ code: 0, signal: null });
    expect(await stream.text()).toContain(': open');
    expect(first.stderr).toBe('');
    expect(first.stdout).not.toContain('causeway-demo');

    const second = fixture.start(SCRIPT, {
      env: { ...env, CAUSEWAY_DEMO: '1', CAUSEWAY_CONSOLE_SESSION_SECONDS: '600' },
    });
    const again = await second.listening('console');
    const session = await fetch(`${again.url}/api/v1/session`, { headers: { cookie } });
    expect(session.status).toBe(200);
    expect(Math.floor((await login(again.url, 'viewer')).seconds / 100)).toBe(6);
    expect(await second.stop('SIGINT')).toEqual({ code: 0, signal: null });
  });

  test('without the demo switch an empty ledger accepts no login', async () => {
    await using fixture = new TestFixture();
    const process = fixture.start(SCRIPT, {
      env: { CAUSEWAY_LEDGER: path.join(fixture.folder(), 'l.sqlite'), CAUSEWAY_CONSOLE_LISTEN: '127.0.0.1:0' },
    });
    const { url } = await process.listening('console');
    expect((await login(url, 'admin')).status).toBe(401);
  });

  test('--help names every variable', async () => {
    await using fixture = new TestFixture();
    const process = fixture.start(SCRIPT, { args: ['--help'] });
    expect(await process.ended()).toEqual({ code: 0, signal: null });
    for (const name of ['CAUSEWAY_LEDGER', 'CAUSEWAY_CONSOLE_LISTEN', 'CAUSEWAY_DEMO', 'CAUSEWAY_CONSOLE_PAGES'])
      expect(process.stdout).toContain(name);
    // The build folder of the console's pages, so that a start without the variable serves them.
    expect(process.stdout).toContain(path.join(PROJECT, 'renderer', 'dist'));
  });
});

describe('--check', () => {
  test('reports valid settings, or names the faults, and creates nothing', async () => {
    await using fixture = new TestFixture();
    const ledger = path.join(fixture.folder(), 'l.sqlite');
    const fits = fixture.start(SCRIPT, { args: ['--check'], env: { CAUSEWAY_LEDGER: ledger } });
    expect(await fits.ended()).toEqual({ code: 0, signal: null });
    expect(fits.stdout).toBe('The configuration fits.\n');
    const env = { CAUSEWAY_LEDGER: ledger, CAUSEWAY_CONSOLE_LISTEN: '0.0.0.0:0' };
    const open = fixture.start(SCRIPT, { args: ['--check'], env });
    expect(await open.ended()).toEqual({ code: 2, signal: null });
    expect(open.stderr).toMatch(/^CAUSEWAY_CONSOLE_LISTEN names 0\.0\.0\.0, which other hosts reach: .*\n$/);
    expect(existsSync(ledger)).toBe(false);
  });
});

describe('a fault at the start is reported in one sentence', () => {
  test('missing and wrong variables: exit 2', async () => {
    await using fixture = new TestFixture();
    const process = fixture.start(SCRIPT, {
      env: { CAUSEWAY_CONSOLE_LISTEN: 'here', CAUSEWAY_DEMO: 'yes', CAUSEWAY_CONSOLE_IDLE_SECONDS: '0' },
    });
    expect(await process.ended()).toEqual({ code: 2, signal: null });
    expect(
      process.stderr
        .trim()
        .split('\n')
        .map((line) => line.split(' ')[0]),
    ).toEqual(['CAUSEWAY_LEDGER', 'CAUSEWAY_CONSOLE_LISTEN', 'CAUSEWAY_DEMO', 'CAUSEWAY_CONSOLE_IDLE_SECONDS']);
    expect(process.stdout).toBe('');
  });

  async function fails(env: Record<string, string>, code = 1): Promise<string> {
    await using fixture = new TestFixture();
    const process = fixture.start(SCRIPT, { env: { CAUSEWAY_CONSOLE_LISTEN: '127.0.0.1:0', ...env } });
    expect(await process.ended()).toEqual({ code, signal: null });
    const lines = process.stderr.trim().split('\n');
    expect(lines).toHaveLength(1);
    return lines[0] ?? '';
  }

  test('a busy port: exit 1', async () => {
    await using fixture = new TestFixture();
    const port = await freePort();
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(port, '127.0.0.1', resolve));
    const said = await fails({
      CAUSEWAY_LEDGER: path.join(fixture.folder(), 'l.sqlite'),
      CAUSEWAY_CONSOLE_LISTEN: `127.0.0.1:${port}`,
    });
    holder.close();
    expect(said).toContain(`127.0.0.1:${port} is in use`);
  });

  test('a newer ledger, one of a version that no release has, a file that is no ledger, and a missing folder: each has its own exit code', async () => {
    await using fixture = new TestFixture();
    const folder = fixture.folder();
    const newer = path.join(folder, 'newer.sqlite');
    const db = new Database(newer);
    db.pragma('user_version = 999');
    db.close();
    expect(await fails({ CAUSEWAY_LEDGER: newer }, LEDGER_EXIT_CODES['too-new'])).toMatch(
      /newer\.sqlite has schema version 999/,
    );
    const unknown = path.join(folder, 'unknown.sqlite');
    const old = new Database(unknown);
    old.pragma('user_version = 42');
    old.close();
    expect(await fails({ CAUSEWAY_LEDGER: unknown }, LEDGER_EXIT_CODES.damaged)).toContain(
      'no release of Causeway has its schema version 42',
    );
    const other = path.join(folder, 'other.sqlite');
    writeFileSync(other, 'this is no database, only a text that is long enough to be taken for one '.repeat(100));
    expect(await fails({ CAUSEWAY_LEDGER: other }, LEDGER_EXIT_CODES.damaged)).toContain(
      'is damaged or is not a ledger',
    );
    expect(
      await fails({ CAUSEWAY_LEDGER: path.join(folder, 'no', 'such', 'l.sqlite') }, LEDGER_EXIT_CODES.unreachable),
    ).toContain('cannot be opened');
  });
});
