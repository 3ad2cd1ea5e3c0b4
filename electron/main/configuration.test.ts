import { describe, expect, test } from 'vitest';
import { ConfigurationError } from '../../shared/service/variables.ts';
import { programHelp, readConfiguration } from './configuration.ts';

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
  test('a given address: connected', () => {
    const { source } = readConfiguration({ CAUSEWAY_CONSOLE_URL: 'https://console.firm.example:4300' });
    expect(source).toEqual({ mode: 'connected', address: new URL('https://console.firm.example:4300/') });
  });

  test.each(['http://127.0.0.1:4300', 'http://localhost:4300/', 'http://[::1]:4300', 'http://127.8.9.10'])(
    'plain http on this very machine is fine: %s',
    (text) => {
      expect(readConfiguration({ CAUSEWAY_CONSOLE_URL: text }).source.mode).toBe('connected');
    },
  );

  test('nothing given: local, with the default ledger', () => {
    expect(readConfiguration({})).toEqual({ source: { mode: 'local', ledger: undefined }, data: undefined });
  });

  test('an empty variable counts as not given', () => {
    expect(readConfiguration({ CAUSEWAY_CONSOLE_URL: '', CAUSEWAY_LEDGER: '' }).source).toEqual({
      mode: 'local',
      ledger: undefined,
    });
  });

  test('a ledger and a data folder', () => {
    expect(readConfiguration({ CAUSEWAY_LEDGER: '/data/ledger.db', CAUSEWAY_CONSOLE_DATA: '/data/console' })).toEqual({
      source: { mode: 'local', ledger: '/data/ledger.db' },
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
    ['https://console.firm.example/?a=1', 'must be an address without a path'],
    ['https://console.firm.example/#a', 'must be an address without a path'],
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
    for (const name of ['CAUSEWAY_CONSOLE_URL', 'CAUSEWAY_LEDGER', 'CAUSEWAY_CONSOLE_DATA'])
      expect(programHelp('x')).toContain(name);
  });
});
