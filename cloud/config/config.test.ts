/** Configuration errors that stop the cloud before any other check. */
import { expect, test } from 'vitest';
import { readVariables } from '../../shared/service/variables.ts';
import { doorFiles, operatorFiles, DOOR_VARIABLES, SERVE_VARIABLES } from './config.ts';

const TOKEN = { CAUSEWAY_ENGINE_TOKEN: 'x'.repeat(32) };
const SERVING = { ...TOKEN, CAUSEWAY_SYNC_CERT: 'c', CAUSEWAY_SYNC_KEY: 'k', CAUSEWAY_SYNC_CLIENT_CA: 'a' };
const door = (env: Record<string, string>) => doorFiles(readVariables(DOOR_VARIABLES, { ...TOKEN, ...env }));
const operator = (env: Record<string, string>) => operatorFiles(readVariables(SERVE_VARIABLES, { ...SERVING, ...env }));

test('a token that could be guessed is refused with how to make one', () => {
  expect(() => door({ CAUSEWAY_ENGINE_TOKEN: 'x'.repeat(31) })).toThrow(
    'CAUSEWAY_ENGINE_TOKEN must have at least 32 characters: make one with "openssl rand -hex 32".',
  );
  expect(door({})).toBeNull();
});

test('operator API and door speak plain HTTP to this machine alone, or behind a proxy that is named', () => {
  for (const [name, files] of [
    ['CAUSEWAY_ENGINE', door],
    ['CAUSEWAY_OPERATOR', operator],
  ] as const) {
    const listen = { [`${name}_LISTEN`]: '0.0.0.0:1' };
    expect(() => files(listen)).toThrow(`set ${name}_BEHIND_PROXY=1 if a proxy with TLS stands before it`);
    const pair = { [`${name}_CERT`]: 'c', [`${name}_KEY`]: 'k' };
    expect(files({ ...listen, ...pair })).toEqual({ prefix: name, cert: 'c', key: 'k' });
  }
  const proxied = { CAUSEWAY_OPERATOR_LISTEN: '0.0.0.0:1', CAUSEWAY_OPERATOR_BEHIND_PROXY: '1' };
  expect(() => operator(proxied)).toThrow('CAUSEWAY_OPERATOR_ORIGIN is missing');
  expect(operator({ ...proxied, CAUSEWAY_OPERATOR_ORIGIN: 'https://ops.vendor.example' })).toBeNull();
  expect(door({ CAUSEWAY_ENGINE_LISTEN: '0.0.0.0:1', CAUSEWAY_ENGINE_BEHIND_PROXY: '1' })).toBeNull();
});
