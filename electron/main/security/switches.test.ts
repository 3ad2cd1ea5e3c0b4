import { expect, test } from 'vitest';
import { refuseSwitches, SwitchRefusedError } from './switches.ts';

const PRODUCT = { platform: 'linux', isTest: false, isRoot: false } as const;

test('only what is listed may be given, and no value of it is looked at', () => {
  refuseSwitches([], PRODUCT);
  refuseSwitches(['--help', '--lang=ko', '--disable-gpu', '--', 'causeway://review/a', '-'], PRODUCT);
  refuseSwitches(['--', 'causeway://review/a', '--updated'], { ...PRODUCT, platform: 'win32' });
});

test.each([
  '--proxy-server=http://127.0.0.1:1',
  '--proxy-bypass-list=*',
  '--no-sandbox',
  '--password-store=basic',
  '--host-resolver-rules=MAP * 127.0.0.1',
  '-proxy-pac-url=data:,x',
  '  --no-proxy-server',
  '--remote-debugging-port=0',
  '--inspect',
  '--a-switch-of-tomorrow',
])('%s is refused by name, with what may be given', (arg) => {
  const name = arg.trim().replace(/^-+/, '').replace(/=.*/, '');
  expect(() => refuseSwitches(['--lang=ko', arg], PRODUCT)).toThrow(SwitchRefusedError);
  expect(() => refuseSwitches([arg], PRODUCT)).toThrow(`--${name} is not allowed`);
  expect(() => refuseSwitches([arg], PRODUCT)).toThrow('--help, --updated,');
});

test('Windows reads a slash and capitals as well; elsewhere a path is none', () => {
  for (const arg of ['/proxy-server=x', '/Proxy-Server=x', '--PROXY-SERVER=x'])
    expect(() => refuseSwitches([arg], { ...PRODUCT, platform: 'win32' }), arg).toThrow('--proxy-server');
  refuseSwitches(['/home/a'], PRODUCT);
  expect(() => refuseSwitches(['--LANG=ko'], PRODUCT)).toThrow('--LANG is not allowed');
});

test('root runs without the sandbox, and a test build can be driven', () => {
  refuseSwitches(['--no-sandbox'], { ...PRODUCT, isRoot: true });
  refuseSwitches(['--inspect=0', '--remote-debugging-port=0'], { ...PRODUCT, isTest: true });
  expect(() => refuseSwitches(['--proxy-server=x'], { ...PRODUCT, isTest: true, isRoot: true })).toThrow();
});
