/** Which server certificates a pinned authority accepts. */
import { beforeAll, expect, test } from 'vitest';
import { DAY_MS, makeAuthority, type Authority } from '../../../test/support/pki.ts';
import { AuthorityError, distrustOf, readAuthorities } from './authority.ts';

const NOW = new Date();
let pinned: Authority;
let other: Authority;

beforeAll(async () => {
  // Of the same name: a name proves nothing.
  [pinned, other] = await Promise.all([makeAuthority('firm'), makeAuthority('firm')]);
});

const judge = (pem: string, host = 'console.firm.example', ca = pinned.ca) =>
  distrustOf(pem, host, readAuthorities(ca), NOW);

test('accepts a certificate that the authority issued, for each of its names', async () => {
  const { cert } = await pinned.server({ hosts: ['console.firm.example', '10.1.2.3', '::1'] });
  for (const host of ['console.firm.example', '10.1.2.3', '[::1]', '::1']) expect(judge(cert, host)).toBeNull();
  expect(judge(cert, 'console.firm.example', `${other.ca}\n${pinned.ca}`)).toBeNull();
});

test('accepts none with another name, authority, time or purpose', async () => {
  const hosts = ['console.firm.example'];
  const good = await pinned.server({ hosts });
  for (const host of ['other.firm.example', 'firm.example', '10.1.2.3', 'localhost'])
    expect(judge(good.cert, host)).toBe('other-name');
  expect(judge((await other.server({ hosts })).cert)).toBe('other-authority');
  expect(judge((await pinned.server({ hosts, from: -2 * DAY_MS, to: -DAY_MS })).cert)).toBe('out-of-date');
  expect(judge((await pinned.server({ hosts, from: DAY_MS, to: 2 * DAY_MS })).cert)).toBe('out-of-date');
  expect(judge((await pinned.server({ hosts, usage: 'client' })).cert)).toBe('no-server');
  // The common name does not count as a host name.
  expect(judge((await pinned.server({ name: 'console.firm.example', hosts: ['a.example'] })).cert)).toBe('other-name');
  expect(judge(pinned.ca)).not.toBeNull();
});

test('a text without authorities is refused', async () => {
  const server = (await pinned.server()).cert;
  for (const [text, words] of [
    ['', 'holds no certificate'],
    ['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', 'cannot be read'],
    [server, 'is no authority'],
    [`${pinned.ca}\n${server}`, 'is no authority'],
  ] as const) {
    expect(() => readAuthorities(text)).toThrow(AuthorityError);
    expect(() => readAuthorities(text)).toThrow(words);
  }
});
