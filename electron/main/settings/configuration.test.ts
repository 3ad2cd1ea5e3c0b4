import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeAuthority } from '../../../test/support/pki.ts';
import { ConfigurationError } from '../../../shared/service/variables.ts';
import { programHelp, readConfiguration, sourceOf } from './configuration.ts';

const folder = mkdtempSync(join(tmpdir(), 'causeway-configuration-'));
const file = join(folder, 'authority.pem');
const other = join(folder, 'other.pem');
let authority: string;

beforeAll(async () => {
  authority = (await makeAuthority()).ca;
  writeFileSync(file, authority);
});
afterAll(() => rmSync(folder, { recursive: true }));

function refusal(env: Record<string, string>): string {
  try {
    readConfiguration(env);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
  return 'accepted';
}

describe('which console the program shows', () => {
  test('a given address and its authority: connected', () => {
    const { source } = readConfiguration({
      CAUSEWAY_CONSOLE_URL: 'https://console.firm.example:4300',
      CAUSEWAY_CONSOLE_CA: file,
    });
    expect(source).toEqual({
      mode: 'connected',
      address: new URL('https://console.firm.example:4300/'),
      authority,
    });
  });

  test('another host without an authority, or an authority without a host, is refused', () => {
    expect(refusal({ CAUSEWAY_CONSOLE_URL: 'https://console.firm.example' })).toContain('such an address needs it');
    expect(refusal({ CAUSEWAY_CONSOLE_CA: file })).toContain('CAUSEWAY_CONSOLE_CA goes with');
    expect(refusal({ CAUSEWAY_CONSOLE_URL: 'http://127.0.0.1:1', CAUSEWAY_CONSOLE_CA: file })).toContain('goes with');
    expect(refusal({ CAUSEWAY_CONSOLE_CA: '/no/such/file' })).toContain('CAUSEWAY_CONSOLE_CA names /no/such/file');
    writeFileSync(other, 'no PEM');
    expect(refusal({ CAUSEWAY_CONSOLE_CA: other })).toContain('CAUSEWAY_CONSOLE_CA holds no certificate');
  });

  test.each(['http://127.0.0.1:4300', 'http://localhost:4300/', 'http://[::1]:4300', 'http://127.8.9.10'])(
    'plain http on this very machine is fine: %s',
    (text) => {
      expect(readConfiguration({ CAUSEWAY_CONSOLE_URL: text }).source).toMatchObject({
        mode: 'connected',
        authority: null,
      });
    },
  );

  test('nothing given, or only empty variables: the settings decide', () => {
    expect(readConfiguration({})).toEqual({ source: null, data: undefined });
    expect(readConfiguration({ CAUSEWAY_CONSOLE_URL: '', CAUSEWAY_LEDGER: '' }).source).toBeNull();
  });

  test('the console named in the settings', () => {
    const console = { mode: 'connected', address: 'https://console.firm.example', authority } as const;
    expect(sourceOf(console)).toEqual({
      mode: 'connected',
      address: new URL('https://console.firm.example/'),
      authority,
    });
    expect(sourceOf({ mode: 'connected', address: 'http://127.0.0.1:1', authority: '' })).toMatchObject({
      authority: null,
    });
    expect(sourceOf({ mode: 'local', intake: null, provision: '127.0.0.1:4310' })).toEqual({
      mode: 'local',
      chosen: { CAUSEWAY_PROVISION_LISTEN: '127.0.0.1:4310' },
    });
  });

  test('a ledger and a data folder', () => {
    expect(readConfiguration({ CAUSEWAY_LEDGER: '/data/ledger.db', CAUSEWAY_CONSOLE_DATA: '/data/console' })).toEqual({
      source: { mode: 'local', chosen: {} },
      data: '/data/console',
    });
  });

  test.each([
    ['console.example:4300', 'must begin with http:// or https://'],
    ['4300', 'must be a web address'],
    ['file:///etc/passwd', 'must begin with http:// or https://'],
    ['http://console.firm.example', 'must begin with https:// for another machine'],
    ['http://127.0.0.1.firm.example', 'must begin with https:// for another machine'],
    ['http://localhost.firm.example', 'must begin with https:// for another machine'],
    ['https://user:word@console.firm.example', 'must not contain a user name or password'],
    ['https://console.firm.example/app', 'must be an address without a path'],
    ['https://console.firm.example/?a=1', 'must be an address without ? and #'],
    ['https://console.firm.example/#a', 'must be an address without ? and #'],
  ])('refused with one sentence that names the variable: %s', (text, words) => {
    const said = refusal({ CAUSEWAY_CONSOLE_URL: text });
    expect(said).toContain('CAUSEWAY_CONSOLE_URL');
    expect(said).toContain(words);
    expect(said.split('\n')).toHaveLength(1);
  });

  test('an address and a ledger exclude each other', () => {
    expect(refusal({ CAUSEWAY_CONSOLE_URL: 'https://a.example', CAUSEWAY_LEDGER: 'x.db' })).toContain(
      'exclude each other',
    );
  });

  test('the help names every variable', () => {
    for (const name of ['CAUSEWAY_CONSOLE_URL', 'CAUSEWAY_CONSOLE_CA', 'CAUSEWAY_LEDGER', 'CAUSEWAY_CONSOLE_DATA'])
      expect(programHelp('x')).toContain(name);
  });
});
