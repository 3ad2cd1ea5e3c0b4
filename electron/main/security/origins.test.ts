import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { externalAddress, mayNavigate, shellPageOf } from './origins.ts';

const CONSOLE = new URL('http://127.0.0.1:4300');

describe('pages may navigate', () => {
  test.each(['http://127.0.0.1:4300/', 'http://127.0.0.1:4300/review/1?x=2#y', 'http://127.0.0.1:4300'])(
    'within the console: %s',
    (url) => {
      expect(mayNavigate(url, CONSOLE)).toBe(true);
    },
  );

  test.each([
    'http://127.0.0.1:4301/',
    'https://127.0.0.1:4300/',
    'http://localhost:4300/',
    'http://127.0.0.1:4300@evil.example/',
    'http://127.0.0.1:4300.evil.example/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html,x',
    'about:blank',
    'blob:http://127.0.0.1:4300/0c2b',
    'causeway-shell://status/',
    'chrome://gpu',
    '',
    'not an address',
  ])('nowhere else: %s', (url) => {
    expect(mayNavigate(url, CONSOLE)).toBe(false);
  });

  test('nowhere while there is no console', () => {
    expect(mayNavigate('http://127.0.0.1:4300/', null)).toBe(false);
  });

  test('any path of the console is allowed, any other host is not', () => {
    fc.assert(
      fc.property(fc.webPath(), fc.webAuthority(), (path, authority) => {
        expect(mayNavigate(`http://127.0.0.1:4300${path}`, CONSOLE)).toBe(true);
        expect(mayNavigate(`http://${authority}${path}`, CONSOLE)).toBe(false);
      }),
      { numRuns: 30 },
    );
  });
});

describe('the system browser gets', () => {
  test('https only, as parsed', () => {
    expect(externalAddress('https://dart.fss.or.kr/x?y=1')).toBe('https://dart.fss.or.kr/x?y=1');
    expect(externalAddress('HTTPS://DART.fss.or.kr/a b')).toBe('https://dart.fss.or.kr/a%20b');
  });

  test.each([
    'http://dart.fss.or.kr',
    'file:///x',
    'javascript:1',
    'smb://x/y',
    'ms-settings:x',
    'https://user@x.example/',
    'https://',
    '',
  ])('nothing else: %s', (url) => {
    expect(externalAddress(url)).toBeNull();
  });
});

test('the status page is recognised by its whole address', () => {
  expect(shellPageOf('causeway-shell://status/')).toBe('status');
  expect(shellPageOf('causeway-shell://status/page.js')).toBe('status');
  expect(shellPageOf('causeway-shell://setup/')).toBe('setup');
  for (const url of ['causeway-shell://other/', 'https://status/', 'causeway-shell:status', 'about:blank', ''])
    expect(shellPageOf(url)).toBeNull();
});
