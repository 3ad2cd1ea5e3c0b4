/** A diagnostics file holds the useful facts, and none of the planted secrets. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeAuthority, writePair, writeWhole } from '../../test/support/pki.ts';
import { runAgent } from './agent.ts';
import { withoutSecrets } from './diagnostics.ts';
import { checkRelay } from './checks/relay-checks.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'causeway-diagnostics-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('doctor, settings and log, without token, key, proxy password and cookie', async () => {
  const [token, password, window, provider] = [
    'tokenOfTheRelay-77aa',
    'p%40ssw0rd-of-the-proxy',
    'secretOfTheWindow',
    'secretAtTheProvider',
  ];
  const { key, cert } = await (await makeAuthority()).client();
  const files = writePair(folder, 'relay', { key, cert });
  const settings = writeWhole(
    folder,
    'relay.env',
    [
      'CAUSEWAY_RELAY_LISTEN=127.0.0.1:0',
      'CAUSEWAY_RELAY_UPSTREAM=https://127.0.0.1:9',
      `CAUSEWAY_RELAY_CERT=${files.cert}`,
      `CAUSEWAY_RELAY_KEY=${files.key}`,
      `CAUSEWAY_RELAY_CA=${files.cert}`,
      `CAUSEWAY_RELAY_CONTROL_TOKEN_FILE=${writeWhole(folder, 'token', `${token}\n`)}`,
      `CAUSEWAY_CONSOLE_SSO_CLIENT_SECRET_FILE=${writeWhole(folder, 'provider', provider)}`,
      `CAUSEWAY_CONSOLE_WINDOW_SECRET=${window}`,
      // A percent sign that begins no escape.
      `HTTPS_PROXY=http://some%one:${password}@proxy.example:3128`,
      '',
    ].join('\n'),
  );
  // A journal with every kind of secret in it.
  mkdirSync(path.join(folder, 'bin'));
  writeFileSync(
    path.join(folder, 'journal'),
    `ordinary line\nauthorization: Bearer ${token}\n${key}\nproxy ${decodeURIComponent(password)}\ncookie: causeway_session=abcdef; path=/\n${window} ${provider}\n{"setUpCode":"V5B69-JPZNZ","msg":"x"}`,
  );
  writeFileSync(path.join(folder, 'bin/journalctl'), `#!/bin/sh\ncat ${folder}/journal\n`);
  chmodSync(path.join(folder, 'bin/journalctl'), 0o755);
  const complaints: string[] = [];
  const context = {
    env: { PATH: `${folder}/bin:${process.env['PATH'] ?? ''}` },
    platform: 'linux' as const,
    own: '/nowhere/causeway-agent.js',
    now: () => new Date(),
    print: () => undefined,
    complain: (line: string) => void complaints.push(line),
  };
  const file = path.join(folder, 'diagnostics.txt');
  const run = (): Promise<number> =>
    runAgent(['diagnostics', 'relay', '--file', file, '--env', settings], { relay: checkRelay }, context);
  expect([await run(), complaints]).toEqual([0, []]);
  const text = readFileSync(file, 'utf8');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  for (const word of ['== doctor', 'CAUSEWAY_RELAY_UPSTREAM=https://127.0.0.1:9', 'ordinary line', process.version])
    expect(text).toContain(word);
  const middle = key.split('\n')[1] ?? '';
  expect(middle.length).toBeGreaterThan(20);
  for (const secret of [token, password, decodeURIComponent(password), window, provider, middle, 'abcdef', 'V5B69'])
    expect(text).not.toContain(secret);
  expect(text).toContain('@proxy.example:3128');
  expect(await run(), 'and never over another').toBe(1);
  expect(complaints[0]).toContain('cannot be written (EEXIST)');
});

test('the search finds secrets that are not removed', () => {
  expect(withoutSecrets('the token is open-77', [])).toContain('open-77');
  expect(withoutSecrets('the token is open-77', ['open-77'])).toBe('the token is [removed]');
});
