import { describe, expect, test } from 'vitest';
import { isExcepted } from './no-proxy.ts';

describe('NO_PROXY', () => {
  test.each([
    ['cloud.example', 'cloud.example', true],
    ['cloud.example', 'a.cloud.example', true],
    ['.cloud.example', 'a.cloud.example', true],
    ['.cloud.example', 'cloud.example', true],
    ['*.cloud.example', 'a.cloud.example', true],
    ['other, CLOUD.example', 'Cloud.Example', true],
    ['other cloud.example', 'cloud.example', true],
    ['cloud.example.', 'cloud.example', true],
    ['cloud.example', 'notcloud.example', false],
    ['cloud.example', 'cloud.example.org', false],
    ['cloud.example:4143', 'cloud.example', true],
    ['cloud.example:443', 'cloud.example', false],
    ['*', 'cloud.example', true],
    ['*', '10.1.2.3', true],
    ['', 'cloud.example', false],
    [',', 'cloud.example', false],
    ['10.1.2.3', '10.1.2.3', true],
    ['2.3', '10.1.2.3', false],
    ['10.0.0.0/8', '10.1.2.3', true],
    ['10.0.0.0/16', '10.1.2.3', false],
    ['10.0.0.0/99', '10.1.2.3', false],
    ['fd00::/8', '[fd00::1]', true],
    ['fd00::1', '[fd00:0:0::1]', true],
    ['10.0.0.0/8', '[fd00::1]', false],
  ])('"%s" for %s: %s', (except, host, is) => {
    expect(isExcepted(except, host, '4143')).toBe(is);
  });
});
