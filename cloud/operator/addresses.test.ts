import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import { isOurHost, isOurOrigin } from './addresses.ts';

describe('whether a request was meant for this server', () => {
  test.each(['127.0.0.1:4100', 'localhost:4100', 'LOCALHOST:4100', '[::1]:4100', '127.0.0.5:4100'])(
    'on loopback, %s is ours',
    (host) => expect(isOurHost(host, '127.0.0.1', 4100)).toBe(true),
  );
  test.each([
    undefined,
    '',
    'evil.example:4100',
    '127.0.0.1',
    '127.0.0.1:4101',
    '127.0.0.1.evil.example:4100',
    'localhost.evil.example:4100',
    '10.0.0.1:4100',
    'localhost:4100@evil',
    '[::1',
    'localhost:',
  ])('on loopback, %s is not', (host) => expect(isOurHost(host, '127.0.0.1', 4100)).toBe(false));
  test('on all addresses any address literal and our own name, but no other name', () => {
    expect(isOurHost('10.1.2.3:4100', '0.0.0.0', 4100)).toBe(true);
    expect(isOurHost(`${hostname()}:4100`, '::', 4100)).toBe(true);
    expect(isOurHost('evil.example:4100', '0.0.0.0', 4100)).toBe(false);
  });
  test('on a named address that name alone; port 80 may be left out', () => {
    expect(isOurHost('ops.vendor.example', 'ops.vendor.example', 80)).toBe(true);
    expect(isOurHost('localhost:80', 'ops.vendor.example', 80)).toBe(false);
  });
  test('an origin must be the page of that host', () => {
    expect(isOurOrigin(undefined, 'localhost:4100')).toBe(true);
    expect(isOurOrigin('http://localhost:4100', 'localhost:4100')).toBe(true);
    for (const origin of ['null', 'https://localhost:4100', 'http://localhost:4101', 'http://evil.example', '']) {
      expect(isOurOrigin(origin, 'localhost:4100')).toBe(false);
    }
  });
});
