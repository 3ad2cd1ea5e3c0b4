import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readVariables } from '../../../shared/service/variables.ts';
import { ssoSettings, SSO_VARIABLES } from './sso-settings.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'causeway-sso-'));
  writeFileSync(path.join(folder, 'secret'), ' s3cret\n');
  writeFileSync(path.join(folder, 'empty'), '\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const read = (env: Record<string, string>) =>
  ssoSettings(
    readVariables(
      SSO_VARIABLES,
      Object.fromEntries(
        Object.entries(env).map(([name, text]) => [name.replace('SSO', 'CAUSEWAY_CONSOLE_SSO'), text]),
      ),
    ),
  );
const WHOLE = { SSO_ISSUER: 'https://id.example/realm', SSO_CLIENT_ID: 'causeway', SSO_OPERATOR: 'ops' };

test('off if not configured', () => {
  expect(read({})).toBeNull();
});

test('on with issuer, client and a role; the rest has defaults', () => {
  expect(read({ ...WHOLE, SSO_CLIENT_SECRET_FILE: path.join(folder, 'secret') })).toEqual({
    issuer: new URL('https://id.example/realm'),
    clientId: 'causeway',
    clientSecret: 's3cret',
    ca: null,
    proxy: null,
    scope: 'openid profile',
    roleClaim: 'roles',
    roles: new Map([['ops', 'OPERATOR']]),
    label: 'id.example',
    passwords: true,
    programPort: 0,
  });
  expect(read({ ...WHOLE, HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: '.firm' })?.proxy).toEqual({
    address: new URL('http://proxy:3128'),
    except: '.firm',
  });
});

describe('one clear sentence for each fault', () => {
  test.each<[string, Record<string, string>]>([
    ['SSO_ISSUER is missing: CAUSEWAY_CONSOLE_SSO_OPERATOR is given', { SSO_OPERATOR: 'x' }],
    ['SSO_ISSUER is missing: CAUSEWAY_CONSOLE_SSO_PASSWORDS is given', { SSO_PASSWORDS: 'off' }],
    ['SSO_ISSUER must begin with https://, not http://', { ...WHOLE, SSO_ISSUER: 'http://id.example' }],
    ['SSO_CLIENT_ID is missing', { ...WHOLE, SSO_CLIENT_ID: '' }],
    ['…_READ_ONLY is missing: without a value of the role claim', { ...WHOLE, SSO_OPERATOR: '' }],
    ['one value of the role claim is given for two roles', { ...WHOLE, SSO_READ_ONLY: 'ops' }],
    ['SSO_SCOPE must contain openid, as in "openid groups", not "groups"', { ...WHOLE, SSO_SCOPE: 'groups' }],
    ['which cannot be read', { ...WHOLE, SSO_CA: '/nowhere/ca.pem' }],
    ['which is empty', { ...WHOLE, SSO_CLIENT_SECRET_FILE: 'EMPTY' }],
  ])('%s', (sentence, env) => {
    const placed = Object.entries(env).map(([name, text]) => [
      name,
      text === 'EMPTY' ? path.join(folder, 'empty') : text,
    ]);
    expect(() => read(Object.fromEntries(placed) as Record<string, string>)).toThrow(sentence);
  });
});
