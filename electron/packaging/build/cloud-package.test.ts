/** The vendor's package: what is in it, that it runs from where it was unpacked, and that its container has what it needs (`container.test.ts`). */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fillPackage } from './services-package.ts';

const isLinux = process.platform === 'linux';
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-cloud-package-'));
  if (isLinux) await fillPackage('cloud', folder);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
/** Long enough for PGlite to make its database. */
const run = (env: Record<string, string>, ...args: string[]) =>
  spawnSync(join(folder, 'bin', 'causeway-cloud'), args, { encoding: 'utf8', env, timeout: 170_000 });

describe.runIf(isLinux)('the package of the cloud', () => {
  test('holds the cloud, its console and its guides, and nothing of the tenant or of a checkout', () => {
    expect(readdirSync(folder).toSorted()).toEqual([
      ...['Containerfile', 'LICENSE', 'README.md', 'THIRD-PARTY-NOTICES.txt', 'bin', 'compose.yaml', 'console', 'doc'],
      ...['etfs.jsonl', 'haproxy.cfg', 'node', 'services'],
    ]);
    for (const name of [
      'cloud/operations/guide/first-run.md',
      'cloud/operations/monitoring/alerts.json',
      'cloud/README.md',
    ])
      expect(existsSync(join(folder, 'doc', name))).toBe(true);
    expect(existsSync(join(folder, 'console', 'index.html'))).toBe(true);
    const scripts = readdirSync(join(folder, 'services'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      /^[^/]+\.js$|^shared\//.test(name),
    );
    const all = scripts.map((name) => read(`services/${name}`)).join('\n');
    expect(all).toContain('CAUSEWAY_ENGINE_TOKEN');
    for (const foreign of ['CAUSEWAY_LEDGER must', 'CAUSEWAY_RELAY_UPSTREAM']) expect(all).not.toContain(foreign);
  });

  test('its commands run on its own Node, on the embedded store too, and begin with the settings of a file', () => {
    const help = run({}, '--help');
    expect(help).toMatchObject({ status: 0, stdout: expect.stringContaining('service install [--start]') as string });
    expect(help.stdout).toContain('  CAUSEWAY_DATABASE_URL_FILE ');
    const settings = join(folder, '..', 'cloud-package.env');
    writeFileSync(settings, `CAUSEWAY_HOME=${folder}/home\n`);
    try {
      expect(run({}, '--env', settings, 'init', '--tenant', 'Firm')).toMatchObject({ status: 0, stderr: '' });
      const { stdout } = run({}, '--env', settings, 'tenant', 'list');
      expect(JSON.parse(stdout)).toMatchObject({ tenants: [{ tenantId: 1, name: 'Firm' }] });
    } finally {
      rmSync(settings);
      rmSync(join(folder, 'home'), { recursive: true, force: true });
    }
  }, 180_000);

  test('its container copies what is in the package, and starts it', () => {
    const container = read('Containerfile');
    const copied = [...container.matchAll(/^COPY (.*) \S+$/gm)].flatMap(([, from = '']) => from.split(' '));
    expect(copied.length).toBeGreaterThan(5);
    for (const name of copied) expect([name, existsSync(join(folder, name))]).toEqual([name, true]);
    const started = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(container)?.[1] ?? '[]') as string[];
    const [node = '', flag = '', entry = ''] = started;
    expect(spawnSync(node.replace('/opt/causeway', folder), [flag, '--version']).status).toBe(0);
    for (const file of [node, entry]) expect(existsSync(file.replace('/opt/causeway', folder))).toBe(true);
  });
});
