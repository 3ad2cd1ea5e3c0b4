import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkSecretFiles } from './secret-findings.ts';
import { ConfigurationError, helpText, readVariables, variable } from './variables.ts';

const VARIABLES = {
  FILE: variable.required('file of the ledger', variable.text),
  LISTEN: variable.defaulted('address to listen on', { host: '127.0.0.1', port: 4300 }, variable.listenAddress),
  SECONDS: variable.defaulted('period', 60, variable.wholeNumber(1, 3600)),
  UPSTREAM: variable.optional('where to ask', variable.webAddress),
  SWITCH: variable.defaulted('a switch', 'off', variable.oneOf('on', 'off')),
};

describe('reading', () => {
  test('takes given values and falls back to defaults', () => {
    expect(readVariables(VARIABLES, { FILE: '/a', LISTEN: '[::1]:0', SECONDS: '', UPSTREAM: 'https://h:1/' })).toEqual({
      FILE: '/a',
      LISTEN: { host: '::1', port: 0 },
      SECONDS: 60,
      UPSTREAM: new URL('https://h:1/'),
      SWITCH: 'off',
    });
  });
  test('reports every wrong or missing variable at once, one sentence each', () => {
    const read = () => readVariables(VARIABLES, { LISTEN: '4300', SECONDS: '0', UPSTREAM: 'ftp://h', SWITCH: 'ON' });
    expect(read).toThrow(ConfigurationError);
    expect(read).toThrow(
      [
        'FILE is missing: file of the ledger.',
        'LISTEN must be host:port, for example 127.0.0.1:4300, not "4300".',
        'SECONDS must be a whole number from 1 to 3600, not "0".',
        'UPSTREAM must begin with http:// or https://, not "ftp://h".',
        'SWITCH must be one of on, off, not "ON".',
      ].join('\n'),
    );
  });
  test.each(['1e3', '0x10', '-1', '1.5', ' 5', '3601', 'many'])('%j is no whole number in range', (SECONDS) => {
    expect(() => readVariables(VARIABLES, { FILE: 'x', SECONDS })).toThrow(/^SECONDS must be a whole number/);
  });
  test.each(['host', 'host:', ':80', 'host:70000', 'a:b:1', 'host:-1'])('%j is no address', (LISTEN) => {
    expect(() => readVariables(VARIABLES, { FILE: 'x', LISTEN })).toThrow(/^LISTEN must be host:port/);
  });
});

describe('a variable that holds a secret', () => {
  const SECRETS = { TOKEN: variable.secret(variable.required('bearer token', variable.wholeNumber(1, 99))) };
  function fileWith(text: string): string {
    const folder = mkdtempSync(path.join(tmpdir(), 'causeway-variables-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = path.join(folder, 'token');
    writeFileSync(file, text);
    return file;
  }

  test('stands in the environment, or in the first line of a file', () => {
    expect(readVariables(SECRETS, { TOKEN: '7' })).toEqual({ TOKEN: 7 });
    expect(readVariables(SECRETS, { TOKEN_FILE: fileWith('7\nmore\n') })).toEqual({ TOKEN: 7 });
    expect(readVariables(SECRETS, { TOKEN: '', TOKEN_FILE: fileWith('7\r\n') })).toEqual({ TOKEN: 7 });
    expect(helpText('x', 'y', SECRETS)).toContain(
      '  TOKEN       bearer token (required)\n  TOKEN_FILE  file whose first line is TOKEN, instead of it\n',
    );
  });
  test.each([
    [{ TOKEN: '7', TOKEN_FILE: '/x' }, 'TOKEN and TOKEN_FILE are both set: take one of them out.'],
    [{ TOKEN_FILE: '/nowhere/token' }, /^TOKEN cannot be read from \/nowhere\/token \(TOKEN_FILE\): ENOENT/],
    [{}, 'TOKEN is missing: bearer token.'],
  ])('%j is refused', (env, sentence) => {
    expect(() => readVariables(SECRETS, env)).toThrow(sentence);
  });
  test('a file without a value, or with one that does not fit, is refused by the name of the variable', () => {
    expect(() => readVariables(SECRETS, { TOKEN_FILE: fileWith('\n7') })).toThrow('its first line is empty.');
    expect(() => readVariables(SECRETS, { TOKEN_FILE: fileWith('x') })).toThrow(/^TOKEN must be a whole number/);
  });
  test('any other variable is read from the environment alone', () => {
    expect(() => readVariables(VARIABLES, { FILE_FILE: fileWith('/a') })).toThrow('FILE is missing');
  });
});

test('the help names each variable with its purpose and its default', () => {
  const help = helpText('npm run thing', 'Does a thing.', VARIABLES);
  expect(help).toContain('Usage: npm run thing');
  expect(help).toContain('FILE      file of the ledger (required)');
  expect(help).toContain('LISTEN    address to listen on (default 127.0.0.1:4300)');
  expect(help).toContain('UPSTREAM  where to ask\n');
});

test.skipIf(process.platform === 'win32')('a doctor warns of a secret that others may read', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway-secret-'));
  const file = path.join(folder, 'token');
  const variables = { TOKEN: variable.secret(variable.required('a token', variable.text)) };
  const verdicts = () =>
    checkSecretFiles(variables, { TOKEN_FILE: file }).map(({ about, verdict }) => [about, verdict]);
  writeFileSync(file, 'secret\n', { mode: 0o644 });
  expect(verdicts()).toEqual([[`TOKEN_FILE (${file})`, 'WARN']]);
  chmodSync(file, 0o600);
  expect([verdicts(), checkSecretFiles(variables, { TOKEN: 'secret' })]).toEqual([[], []]);
  rmSync(folder, { recursive: true });
});

test('a secret in a wrong form is not repeated', () => {
  const variables = { HTTPS_PROXY: variable.secret(variable.optional('a proxy', variable.webAddress)) };
  expect(() => readVariables(variables, { HTTPS_PROXY: 'user:geheimnis@proxy:3128' })).toThrow(
    'HTTPS_PROXY must begin with http:// or https://, not "…".',
  );
});
