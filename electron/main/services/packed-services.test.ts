import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { serviceCommands } from './packed-services.ts';

const PLACES = { resources: '/opt/causeway/resources', data: '/home/a/.config/Causeway' };
const commands = (env: Record<string, string | undefined>, chosen: Record<string, string> = {}) =>
  serviceCommands(PLACES, { env, chosen, windowSecret: 'secret' });

test('a service gets only the variables for it, and none that could change how its Node runs', () => {
  const [console, ...others] = commands({
    HOME: '/home/a',
    NODE_OPTIONS: '--require /tmp/evil.js',
    NODE_EXTRA_CA_CERTS: '/tmp/ca.pem',
    LD_PRELOAD: '/tmp/evil.so',
    ELECTRON_RUN_AS_NODE: '1',
    CAUSEWAY_DEMO: '1',
    CAUSEWAY_CONSOLE_PAGES: '/tmp/other',
    CAUSEWAY_CONSOLE_WINDOW_SECRET: 'known to others',
    CAUSEWAY_CONSOLE_DATA: '/home/a/.config/Causeway',
    CAUSEWAY_LEDGER: '',
    TZ: undefined,
  });
  expect(others).toEqual([]);
  expect(console?.env).toEqual({
    HOME: '/home/a',
    CAUSEWAY_DEMO: '1',
    CAUSEWAY_LEDGER: '/home/a/.config/Causeway/ledger.db',
    CAUSEWAY_CONSOLE_PAGES: '/opt/causeway/resources/renderer',
    CAUSEWAY_CONSOLE_WINDOW_SECRET: 'secret',
    NODE_COMPILE_CACHE: '/home/a/.config/Causeway/compile-cache',
  });
});

test('a configured ledger is used; the chosen settings override the environment', () => {
  expect(commands({ CAUSEWAY_LEDGER: '/data/ledger.db' })[0]?.env['CAUSEWAY_LEDGER']).toBe('/data/ledger.db');
  const [, intake] = commands(
    { CAUSEWAY_INTAKE_UPSTREAM: 'http://127.0.0.1:1' },
    { CAUSEWAY_INTAKE_UPSTREAM: 'https://relay.firm.example:4200' },
  );
  expect(intake?.env['CAUSEWAY_INTAKE_UPSTREAM']).toBe('https://relay.firm.example:4200');
});

test('Intake and provision start once they are configured, and never learn the window’s secret', () => {
  const all = commands(
    {},
    { CAUSEWAY_INTAKE_UPSTREAM: 'http://127.0.0.1:1', CAUSEWAY_PROVISION_LISTEN: '127.0.0.1:0' },
  );
  expect(all.map(({ name, ready, listen }) => [name, ready, listen])).toEqual([
    ['console', 'listening', 'CAUSEWAY_CONSOLE_LISTEN'],
    ['intake', 'ready', null],
    ['provision', 'listening', null],
  ]);
  for (const { env } of all.slice(1)) expect(Object.values(env)).not.toContain('secret');
});

test('a provision API that already answers there is left running', async () => {
  const server = createServer((request, response) => {
    response.statusCode = request.url === '/health' ? 200 : 404;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const listen = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [, provision] = commands({}, { CAUSEWAY_PROVISION_LISTEN: listen });
  expect(await provision?.runsElsewhere()).toBe(true);
  await new Promise((resolve) => server.close(resolve));
  expect(await provision?.runsElsewhere()).toBe(false);
});
