import { expect, test } from 'vitest';
import { serviceCommand } from './packed-service.ts';

test('the service gets the variables that are meant for it, and none that could change how its Node runs', () => {
  const { env } = serviceCommand('/opt/causeway/resources', '/home/a/.config/Causeway', undefined, {
    HOME: '/home/a',
    NODE_OPTIONS: '--require /tmp/evil.js',
    NODE_EXTRA_CA_CERTS: '/tmp/ca.pem',
    LD_PRELOAD: '/tmp/evil.so',
    ELECTRON_RUN_AS_NODE: '1',
    CAUSEWAY_DEMO: '1',
    CAUSEWAY_CONSOLE_FRONT: '/tmp/other',
    CAUSEWAY_LEDGER: '',
    TZ: undefined,
  });
  expect(env).toEqual({
    HOME: '/home/a',
    CAUSEWAY_DEMO: '1',
    CAUSEWAY_LEDGER: '/home/a/.config/Causeway/ledger.db',
    CAUSEWAY_CONSOLE_FRONT: '/opt/causeway/resources/renderer',
    NODE_COMPILE_CACHE: '/home/a/.config/Causeway/compile-cache',
  });
});

test('a named ledger is the ledger', () => {
  expect(serviceCommand('/r', '/d', '/data/ledger.db', {}).env['CAUSEWAY_LEDGER']).toBe('/data/ledger.db');
});
