/** `npm run dev`: all parts in watch mode, both consoles from Vite's servers, and an orderly end. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { servePages } from '../../../electron/start/pages-server.ts';
import { Part } from '../../../electron/start/part.ts';
import { launchChromium } from '../../support/chromium.ts';
import { freePort, PROJECT, startPart, TestFixture, waitFor } from '../../support/process.ts';
import { deepTest } from '../../support/runs.ts';

const fixture = new TestFixture();
const home = mkdtempSync(path.join(tmpdir(), 'causeway-dev-'));
afterAll(async () => {
  await fixture.clear();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

/** The addresses at which the cloud has offered the operator console, one for each of its starts. */
const operatorAddresses = (): string[] =>
  Array.from(
    readFileSync(path.join(home, 'logs', 'cloud.log'), 'utf8').matchAll(/"name":"operator","url":"([^"]+)"/g),
    ([, url = '']) => url,
  );

/** Keeps a port busy. Another program may have it already. */
async function occupy(port: number): Promise<() => void> {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch(() => undefined);
  return () => void server.close();
}

deepTest(
  'one command brings everything up in watch mode, keeps a taken port’s substitute over a change, and ends it',
  async () => {
    const leave = await occupy(4100);
    const run = startPart('electron/start/main.ts', {
      args: ['--watch'],
      env: { CAUSEWAY_HOME: home, CAUSEWAY_DEMO_WEEKS: '0' },
    });
    const browser = await launchChromium();
    try {
      await run.output('Watching: a part restarts', 120_000);
      for (const name of ['Tenant', 'Operator']) {
        const [, url = ''] = new RegExp(`^${name} console with hot reload: (\\S+)$`, 'm').exec(run.stdout) ?? [];
        const page = await browser.newPage();
        await page.goto(url);
        await page.locator('input[name=username]').waitFor();
        expect(await page.content()).toContain('/@vite/client');
        await page.close();
        const login = await fetch(`${url}/api/v1/auth/login`, {
          method: 'POST',
          headers: { origin: url, 'content-type': 'application/json' },
          body: JSON.stringify({ username: 'operator', password: 'causeway-demo' }),
        });
        expect([name, login.status]).toEqual([name, 200]);
      }
      const now = new Date();
      utimesSync('cloud/main.ts', now, now);
      await waitFor('the cloud to have restarted', () => operatorAddresses().length > 1, 60_000);
      expect(new Set(operatorAddresses()).size).toBe(1);
      expect(operatorAddresses()[0]).not.toContain(':4100');
    } finally {
      leave();
      await browser.close();
      expect(await run.stop('SIGINT', 20_000)).toEqual({ code: 0, signal: null });
    }
  },
  180_000,
);

test('the pages come from Vite, and their calls reach the API as if from its own pages', async () => {
  const asked: string[] = [];
  const api = createHttpServer((request, response) => {
    asked.push(`${request.url} from ${request.headers.origin}`);
    response.end('{}');
  });
  api.listen(0, '127.0.0.1');
  await once(api, 'listening');
  const url = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  const pages = await servePages({
    folder: path.join(PROJECT, 'cloud/console'),
    listen: `127.0.0.1:${await freePort()}`,
    api: url,
  });
  try {
    expect(await (await fetch(pages.url)).text()).toContain('/@vite/client');
    await fetch(`${pages.url}/api/v1/auth/session`, { headers: { origin: pages.url } });
    expect(asked).toEqual([`/api/v1/auth/session from ${url}`]);
  } finally {
    await pages.close();
    api.close();
  }
});

test('a part restarts when a file that it imports changes, and ends with its supervisor', async () => {
  const root = fixture.folder('watched');
  const imported = path.join(root, 'version.mjs');
  const told: string[] = [];
  writeFileSync(imported, 'export const version = 1;');
  writeFileSync(
    path.join(root, 'part.mjs'),
    `import { version } from './version.mjs';
    console.log(JSON.stringify({ level: 40, msg: 'ready ' + version }));
    console.log(JSON.stringify({ level: 30, msg: 'up' }));
    process.on('SIGTERM', () => process.exit(0));
    setInterval(() => {}, 1000);`,
  );
  const spec = {
    name: 'watched',
    script: 'part.mjs',
    listeners: [],
    readyMessage: 'up',
    restart: true,
    env: () => ({}),
  };
  const options = { root, logFile: path.join(root, 'log'), baseEnv: process.env, watch: true };
  const part = new Part(spec, { ...options, say: (line) => told.push(line) });
  try {
    await part.start();
    // The watcher learns of an import a moment after the part does: a write before that would be lost, so it comes again.
    let polls = 0;
    await waitFor('the changed file to be in use', () => {
      if (polls % 100 === 0) writeFileSync(imported, 'export const version = 2;');
      polls += 1;
      return told.includes('watched: ready 2');
    });
  } finally {
    await part.end(5_000);
  }
  expect(readFileSync(path.join(root, 'log'), 'utf8')).toContain('ready 1');
}, 60_000);
