/** Against real child processes in the places of the packed ones. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { KeptLog } from '../../../test/support/desktop/main.ts';
import type { ServiceEnd, ServiceName } from './local-service.ts';
import { LocalServices, type LocalEvents } from './local-services.ts';

const CONSOLE = `
const server = require('node:http').createServer((request, response) => response.end(process.env.CAUSEWAY_CONSOLE_WINDOW_SECRET));
const port = Number(process.env.CAUSEWAY_CONSOLE_LISTEN.split(':')[1]);
server.listen(port, '127.0.0.1', () =>
  console.log(JSON.stringify({ msg: 'listening', url: 'http://127.0.0.1:' + server.address().port })));
`;
const INTAKE = `console.log(JSON.stringify({ msg: 'ready' })); setInterval(() => undefined, 1_000);`;
const END_WITH_PARENT = `process.stdin.resume(); process.stdin.once('close', () => process.exit(0)); process.stdin.unref();`;

let folder: string;
let running: LocalServices[];
beforeEach(() => {
  running = [];
  folder = mkdtempSync(join(tmpdir(), 'causeway-services-'));
  const places = {
    'services/console-api/main.cjs': CONSOLE,
    'services/console-api/end-with-parent.cjs': END_WITH_PARENT,
    'services/end-with-parent.js': END_WITH_PARENT,
    'services/intake.js': INTAKE,
    'data/settings.json': '{}',
  };
  for (const [path, text] of Object.entries(places)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  mkdirSync(join(folder, 'node'));
  symlinkSync(process.execPath, join(folder, 'node', process.platform === 'win32' ? 'node.exe' : 'node'));
});
afterEach(async () => {
  await Promise.all(running.map((services) => services.stop()));
  rmSync(folder, { recursive: true });
});

function make(): LocalServices {
  const places = { resources: folder, data: join(folder, 'data') };
  const env = { CAUSEWAY_INTAKE_UPSTREAM: 'http://127.0.0.1:7' };
  const services = new LocalServices(places, { env, chosen: {} }, new KeptLog());
  running.push(services);
  return services;
}

/** Hears until the console API works. */
function heard(services: LocalServices): Promise<{ address: URL; before: string[]; said: ServiceName[] }> {
  const before: string[] = [];
  const said: ServiceName[] = [];
  return new Promise((resolve, reject) => {
    const events: LocalEvents = {
      said: (_line, service) => void said.push(service),
      starting: () => void before.push('starting'),
      ready: (address) => resolve({ address, before, said }),
      ended: ({ reason }: ServiceEnd) => reject(new Error(reason)),
    };
    services.hear(events);
  });
}

const portOf = async (file: string): Promise<string> => {
  for (;;) {
    try {
      return readFileSync(file, 'utf8');
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
};

test('the console API works before anybody listens; all of it is told then, and no other service has begun', async () => {
  const services = make();
  services.startConsole();
  await portOf(join(folder, 'data', 'console-port'));
  const { address, before, said } = await heard(services);
  expect(before).toEqual(['starting']);
  expect(said).toEqual(['console']);
  expect(await (await fetch(address)).text()).toBe(services.windowSecret);
  expect(services.standings.map(({ name, state }) => [name, state])).toEqual([
    ['console', 'running'],
    ['intake', 'starting'],
  ]);
});

test('at the next start it has the address of the one before, where it is free', async () => {
  const first = make();
  first.startConsole();
  const { address } = await heard(first);
  await first.stop();
  const second = make();
  second.startConsole();
  expect((await heard(second)).address.href).toBe(address.href);
  expect(second.windowSecret).not.toBe(first.windowSecret);
});

test.each(['', 'x', '80', '70000', '-1'])('a kept port of "%s" is none', async (text) => {
  writeFileSync(join(folder, 'data', 'console-port'), text);
  const services = make();
  services.startConsole();
  const { address } = await heard(services);
  expect(readFileSync(join(folder, 'data', 'console-port'), 'utf8')).toBe(address.port);
});
