/**
 * The entry of every npm script: `node electron/setup/run.js NAME [arguments]`. It ensures that everything NAME needs
 * is installed, then runs NAME on the pinned Node with node_modules/.bin first on the path. Plain JavaScript without a
 * dependency, because it is the first thing that runs after a clone, on the machine's own Node from 18 up.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { handOver, withPath } from './child.js';
import { ensureDependencies, nodeOf } from './dependencies.js';
import { say, SetupError } from './progress.js';
import { ensureSystemPackages } from './system-packages.js';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');

/**
 * @typedef {object} Target
 * @property {string[]} run script, and arguments that come before the caller's
 * @property {(args: string[]) => Needs} [needs] what it needs beside the packages from npm
 *
 * @typedef {object} Needs
 * @property {boolean} electron the Electron runtime
 * @property {('window' | 'tests' | 'faults')[]} system groups of system packages
 * @property {boolean} strict whether it cannot go on without them
 */

/** @type {Record<string, Target>} */
const TARGETS = {
  start: { run: ['electron/start/main.ts'], needs: windowNeeds },
  dev: { run: ['electron/start/main.ts', '--watch'] },
  test: { run: ['test/run.ts'], needs: testNeeds },
  'test:deep': { run: ['test/run.ts', '--deep'], needs: testNeeds },
  bench: { run: ['test/bench/run.ts'], needs: benchNeeds },
  chaos: { run: ['test/chaos/run.ts'], needs: () => ({ electron: false, system: ['faults'], strict: false }) },
  soak: { run: ['test/soak/run.ts'] },
  mutate: { run: ['test/mutate/run.ts'] },
  check: { run: ['test/run.ts', 'checks'] },
  screenshots: { run: ['test/screenshots.ts'], needs: () => ({ electron: false, system: ['tests'], strict: true }) },
  format: { run: ['test/checks/format.ts'] },
  cloud: { run: ['cloud/main.ts'] },
  agent: { run: ['agent/operations/main.ts'] },
  relay: { run: ['agent/relay/main.ts'] },
  intake: { run: ['agent/intake/main.ts'] },
  provision: { run: ['agent/provision/main.ts'] },
  'console-api': { run: ['electron/console-api/main.ts'] },
  console: { run: ['electron/packaging/console.ts'], needs: consoleNeeds },
  package: { run: ['electron/packaging/package.ts'], needs: packageNeeds },
  release: { run: ['electron/packaging/release.ts'] },
};

const NOTHING = { electron: false, system: [], strict: false };

/** A window needs a display. Without one nothing is downloaded for it: the program reports that it opens none. */
function windowNeeds(args) {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  const display = process.platform !== 'linux' || Boolean(DISPLAY || WAYLAND_DISPLAY);
  if (!display || args.includes('--no-window') || args.includes('--help')) return NOTHING;
  return { electron: true, system: ['window'], strict: false };
}

function consoleNeeds(args) {
  return args.includes('--help') ? NOTHING : { electron: true, system: ['window'], strict: false };
}

/** The packages of services and the pages of the consoles hold no Electron. */
function packageNeeds(args) {
  const without = ['--relay', '--services', '--cloud', '--pages', '--help'].some((option) => args.includes(option));
  return without && !args.includes('--installers') ? NOTHING : { electron: true, system: [], strict: true };
}

/** Benchmarks of the desktop program have `desktop` in their name; others of a console open Chromium. */
function benchNeeds(args) {
  const named = args.filter((arg) => !arg.startsWith('-'));
  const isDesktop = named.length === 0 || named.some((name) => name.includes('desktop'));
  if (args.includes('--help')) return NOTHING;
  return isDesktop
    ? { electron: true, system: ['window', 'tests'], strict: true }
    : { electron: false, system: ['tests'], strict: true };
}

/** Two suites open browsers, one of them the program's windows; the fault suite makes single system calls fail. */
function testNeeds(args) {
  const named = args.filter((arg) => !arg.startsWith('-'));
  const runs = (suite) => named.length === 0 || named.includes(suite);
  const faults = runs('faults') ? ['faults'] : [];
  if (runs('program')) return { electron: true, system: ['window', 'tests', ...faults], strict: true };
  if (runs('browser')) return { electron: false, system: ['tests', ...faults], strict: true };
  return { electron: false, system: faults, strict: false };
}

async function prepare(target, args) {
  const needs = target.needs?.(args) ?? NOTHING;
  await ensureDependencies(root);
  await ensureSystemPackages(root, needs.system, needs.strict);
  if (needs.electron) await ensureElectron(needs.strict);
}

async function ensureElectron(strict) {
  const { ensureElectronRuntime } = await import('./electron-runtime.js');
  // Satisfied needs are found within milliseconds and print no line.
  let waiting = [];
  const slow = setTimeout(() => {
    waiting.forEach(say);
    waiting = null;
  }, 300);
  try {
    await ensureElectronRuntime({ log: (line) => (waiting === null ? say(line) : waiting.push(line)) });
  } catch (error) {
    if (strict) throw new SetupError(error.message);
    say(error.message);
  } finally {
    clearTimeout(slow);
  }
}

async function main([name, ...args]) {
  if (Number(process.versions.node.split('.')[0]) < 18) {
    throw new SetupError(
      `Node ${process.versions.node} is too old: install Node 18 or newer and run the command again.`,
    );
  }
  const target = Object.hasOwn(TARGETS, name ?? '') ? TARGETS[name] : undefined;
  if (target === undefined) {
    say(`usage: node electron/setup/run.js ${Object.keys(TARGETS).join('|')} [arguments]`);
    return 2;
  }
  await prepare(target, args);
  const [script, ...before] = target.run;
  const bin = path.join(root, 'node_modules', '.bin');
  const env = {
    ...withPath((folders) => [bin, ...folders.filter((folder) => folder !== bin)]),
    // Compiled code is cached between starts, for every process of the product: they start faster.
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? path.join(root, 'node_modules', '.cache', 'compile'),
  };
  return handOver(nodeOf(root), [path.join(root, script), ...before, ...args], env);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  say(error.message);
  // The line with a test run's outcome must appear even if no test could run.
  if (process.argv[2]?.startsWith('test')) console.log('0 passed, 1 failed');
  process.exitCode = 1;
}
