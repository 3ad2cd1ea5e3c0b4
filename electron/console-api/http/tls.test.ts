/** The console API for desktops on other hosts, as a process with TLS, and for one program's window only. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { createConnection } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeAuthority, writePair, type Authority } from '../../../test/support/pki.ts';
import { TestFixture, type Part } from '../../../test/support/process.ts';
import { ConfigurationError, readVariables } from '../../../shared/service/variables.ts';
import { WINDOW_SECRET_HEADER } from '../../../shared/wire/console/program.ts';
import { serverTls, VARIABLES } from '../context/settings.ts';

const SCRIPT = 'electron/console-api/main.ts';
const fixture = new TestFixture();
let authority: Authority;
let folder: string;
let files: { cert: string; key: string };
let part: Part;
let url: string;

beforeAll(async () => {
  folder = fixture.folder('tls');
  authority = await makeAuthority();
  files = writePair(folder, 'console', await authority.server({ hosts: ['localhost', 'console.firm.example'] }));
  part = fixture.start(SCRIPT, { env: env({ CAUSEWAY_DEMO: '1' }) });
  ({ url } = await part.listening('console'));
});
afterAll(() => fixture.clear());

const env = (more: Record<string, string>): Record<string, string> => ({
  CAUSEWAY_LEDGER: path.join(folder, 'ledger.sqlite'),
  CAUSEWAY_CONSOLE_LISTEN: '127.0.0.1:0',
  CAUSEWAY_CONSOLE_CERT: files.cert,
  CAUSEWAY_CONSOLE_KEY: files.key,
  ...more,
});

/** Sends a request over a connection to `localhost`, with any Host header. */
async function ask(
  target: string,
  headers: Record<string, string> = {},
  body: string | null = null,
): Promise<IncomingMessage> {
  const asked = request(new URL(target, url), {
    method: body === null ? 'GET' : 'POST',
    headers,
    ca: authority.ca,
    servername: 'localhost',
  });
  asked.end(body ?? undefined);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  answer.resume();
  return answer;
}

describe('with a certificate', () => {
  test('it is reached by a name in it, by https only, and the session cookie never leaves TLS', async () => {
    expect(url).toMatch(/^https:\/\/localhost:\d+$/);
    const login = await ask(
      '/api/v1/auth/login',
      { 'content-type': 'application/json', origin: url },
      JSON.stringify({ username: 'reviewer', password: 'causeway-demo' }),
    );
    expect(login.statusCode).toBe(200);
    expect(String(login.headers['set-cookie']?.[0])).toMatch(
      /^__Host-causeway_session=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
    expect(login.headers['strict-transport-security']).toBe('max-age=31536000');
    // A caller in plain HTTP learns nothing, not even that a server answers.
    const socket = createConnection(Number(new URL(url).port), '127.0.0.1');
    socket.end('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    let answer = '';
    socket.on('error', () => undefined);
    for await (const piece of socket.setEncoding('latin1')) answer += String(piece);
    expect(answer).not.toContain('HTTP/');
  });

  test('by no other name, nor from a page of plain http', async () => {
    const { port } = new URL(url);
    const status = async (headers: Record<string, string>): Promise<number | undefined> =>
      (await ask('/api/v1/auth/session', headers)).statusCode;
    expect(await status({ host: `console.firm.example:${port}` })).toBe(401);
    for (const headers of [
      { host: `evil.example:${port}` },
      { host: `[::1]:${port}` },
      { origin: `http://localhost:${port}` },
      { origin: 'https://localhost' },
    ])
      expect(await status(headers)).toBe(403);
  });
});

describe('settings that cannot serve other hosts are refused in one sentence', () => {
  function refusal(more: Record<string, string>): string {
    try {
      serverTls(readVariables(VARIABLES, env(more)));
      return 'accepted';
    } catch (error) {
      if (error instanceof ConfigurationError) return error.message;
      throw error;
    }
  }

  test('no certificate, half a pair, a mismatched pair, a wildcard', async () => {
    const none = { CAUSEWAY_CONSOLE_CERT: '', CAUSEWAY_CONSOLE_KEY: '' };
    const other = writePair(folder, 'other', await authority.server({ hosts: ['*.firm.example'] }));
    writeFileSync(path.join(folder, 'text'), 'no PEM');
    const refusals = [
      refusal({ ...none, CAUSEWAY_CONSOLE_LISTEN: '0.0.0.0:0' }),
      refusal({ CAUSEWAY_CONSOLE_KEY: '' }),
      refusal({ CAUSEWAY_CONSOLE_KEY: other.key }),
      refusal({ CAUSEWAY_CONSOLE_CERT: other.cert, CAUSEWAY_CONSOLE_KEY: other.key }),
      refusal({ CAUSEWAY_CONSOLE_CERT: path.join(folder, 'text') }),
      refusal({ CAUSEWAY_CONSOLE_CERT: path.join(folder, 'missing') }),
    ];
    expect(refusals.filter((sentence) => sentence.includes('\n'))).toEqual([]);
    const words = ['which other hosts reach', 'CAUSEWAY_CONSOLE_KEY is missing', 'give the pair', 'names no host'];
    for (const [index, text] of [...words, 'holds no certificate', 'cannot be read'].entries())
      expect(refusals[index]).toContain(text);
    expect(refusal(none)).toBe('accepted');
  });

  test('and ends the process', async () => {
    const started = fixture.start(SCRIPT, { env: env({ CAUSEWAY_CONSOLE_KEY: path.join(folder, 'missing') }) });
    expect(await started.ended()).toEqual({ code: 2, signal: null });
    expect(started.stderr.trim().split('\n')).toHaveLength(1);
  });
});

test('for one window: a caller without its secret is refused, screens and login included', async () => {
  const secret = 'a secret of this launch';
  const own = fixture.start(SCRIPT, {
    env: {
      CAUSEWAY_LEDGER: path.join(folder, 'own.sqlite'),
      CAUSEWAY_CONSOLE_LISTEN: '127.0.0.1:0',
      CAUSEWAY_CONSOLE_WINDOW_SECRET: secret,
    },
  });
  const address = (await own.listening('console')).url;
  const status = async (target: string, given: string | null): Promise<number> =>
    (await fetch(`${address}${target}`, { headers: given === null ? {} : { [WINDOW_SECRET_HEADER]: given } })).status;
  for (const target of ['/', '/review', '/api/v1/auth/session', '/api/v1/auth/login', '/assets/x.js']) {
    expect(await status(target, null)).toBe(403);
    expect(await status(target, `x${secret}`)).toBe(403);
    expect(await status(target, 'another')).toBe(403);
  }
  expect(await status('/api/v1/auth/session', secret)).toBe(401);
  expect(own.stdout).not.toContain(secret);
});
