/** The package for the DMZ: its content, and that it runs from its unpacked folder. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fillPackage } from './services-package.ts';

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-relay-package-'));
  await fillPackage('relay', folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('it contains its own guide and alert rules', () => {
  for (const name of [
    'README.md',
    'doc/agent/operations/guide/first-run.md',
    'doc/agent/relay/README.md',
    'doc/agent/relay/monitoring/alerts.json',
  ])
    expect(existsSync(join(folder, name))).toBe(true);
});

const scripts = (): string[] =>
  readdirSync(join(folder, 'services'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));

test('it contains the relay and its command line, and no part from inside the network', () => {
  expect(readdirSync(folder).toSorted()).toEqual([
    ...['LICENSE', 'README.md', 'THIRD-PARTY-NOTICES.txt'],
    ...['bin', 'doc', 'node', 'services'],
  ]);
  expect(
    scripts()
      .filter((name) => !name.includes('shared'))
      .toSorted(),
  ).toEqual(['causeway-agent.js', 'end-with-parent.js', 'notify.js', 'relay.js']);
  const all = scripts()
    .map((name) => readFileSync(join(folder, 'services', name), 'utf8'))
    .join('\n');
  for (const foreign of ['better-sqlite3', 'CAUSEWAY_LEDGER must', 'create table', 'CAUSEWAY_PROVISION_LISTEN'])
    expect(all).not.toContain(foreign);
  expect(all).toContain('CAUSEWAY_RELAY_UPSTREAM');
});

const run = (...args: string[]) =>
  spawnSync(join(folder, 'bin', 'causeway-agent'), args, { encoding: 'utf8', env: {}, timeout: 30_000 });

test.runIf(process.platform === 'linux')('its command line runs on its own Node and knows no other part', () => {
  expect(run('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('  relay ') as string });
  expect(run('--help').stdout).not.toContain('provision API');
  expect(run('service', 'install', 'intake', '--root', join(folder, 'root'))).toMatchObject({
    status: 2,
    stderr: 'This package holds only relay: install intake from its own.\n',
  });
});

test('its relay runs', () => {
  const { status, stdout } = spawnSync(join(folder, 'node', 'node'), [join(folder, 'services', 'relay.js'), '--help'], {
    encoding: 'utf8',
    env: {},
  });
  expect(status).toBe(0);
  expect(stdout).toContain('CAUSEWAY_RELAY_UPSTREAM');
});
