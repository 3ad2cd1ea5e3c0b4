/**
 * The packed console API and its compiled code: it is taken, and without it or with a wrong one the service runs as well.
 * Each packed part that systemd waits for tells it that it is ready.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestFixture, waitFor } from '../../../test/support/process.ts';
import { pinnedNode } from '../../setup/electron-runtime.js';
import { bundleServices } from './bundle.ts';

let services: string;
beforeAll(async () => {
  services = mkdtempSync(join(tmpdir(), 'causeway-code-cache-'));
  await bundleServices(services);
}, 120_000);
afterAll(() => rmSync(services, { recursive: true, force: true }));

const inside = (name: string): string => join(services, 'console-api', name);

/** Whether V8 takes the code for the bundle. */
function isTaken(): boolean {
  const script = `
    const { readFileSync } = require('node:fs');
    const source = '(function (exports, require, module, __filename, __dirname) {' + readFileSync(${JSON.stringify(inside('bundle.cjs'))}, 'utf8') + '\\n})';
    const cachedData = readFileSync(${JSON.stringify(inside('bundle.code'))});
    console.log(new (require('node:vm').Script)(source, { cachedData }).cachedDataRejected);`;
  return spawnSync(pinnedNode(), ['--max-semi-space-size=4', '-e', script], { encoding: 'utf8' }).stdout === 'false\n';
}

const help = (entry: string) =>
  spawnSync(pinnedNode(), [join(services, entry), '--help'], { encoding: 'utf8', env: {} });

test('nothing of its making is left, and V8 takes the code as a desktop runs it', () => {
  expect(readdirSync(join(services, 'console-api')).toSorted()).toEqual([
    ...['bundle.cjs', 'bundle.code', 'end-with-parent.cjs', 'main.cjs'],
  ]);
  expect(isTaken()).toBe(true);
});

test.each(['console-api.js', 'console-api/main.cjs'])('%s runs, with wrong code and without any too', (entry) => {
  const kept = readFileSync(inside('bundle.code'));
  expect(help(entry)).toMatchObject({ status: 0, stdout: expect.stringContaining('CAUSEWAY_LEDGER') as string });
  writeFileSync(inside('bundle.code'), 'no code at all');
  expect(isTaken()).toBe(false);
  expect(help(entry).status).toBe(0);
  rmSync(inside('bundle.code'));
  expect(help(entry).status).toBe(0);
  writeFileSync(inside('bundle.code'), kept);
});

test.runIf(process.platform === 'linux').each(['console-api', 'provision'])(
  'the packed part %s tells systemd that it is ready',
  async (name) => {
    const fixture = new TestFixture();
    try {
      const folder = fixture.folder('ready');
      const told = join(folder, 'told');
      writeFileSync(join(folder, 'systemd-notify'), `#!/bin/sh\necho "$*" >> ${told}\n`, { mode: 0o755 });
      const part = fixture.start('--import', {
        program: pinnedNode(),
        args: [pathToFileURL(join(services, 'notify.js')).href, join(services, `${name}.js`)],
        env: {
          PATH: `${folder}:${process.env['PATH'] ?? ''}`,
          CAUSEWAY_LEDGER: join(folder, 'ledger.sqlite'),
          CAUSEWAY_CONSOLE_LISTEN: '127.0.0.1:0',
          CAUSEWAY_PROVISION_LISTEN: '127.0.0.1:0',
        },
      });
      await part.listening();
      await waitFor('READY=1', () => existsSync(told) && readFileSync(told, 'utf8').includes('READY=1'), 10_000);
    } finally {
      await fixture.clear();
    }
  },
);
