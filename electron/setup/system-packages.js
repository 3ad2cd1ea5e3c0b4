/**
 * The Debian packages that Electron, Chromium, Korean text and fault injection need. As root on Debian or Ubuntu they
 * are installed; other users are shown the command. Windows and macOS need none.
 */
import { existsSync } from 'node:fs';
import { collect } from './child.js';
import { withSetupLock } from './dependencies.js';
import { say, SetupError, step } from './progress.js';

/** Each package by its names, newest last: Debian 13 and Ubuntu 24.04 renamed some for 64-bit time. */
const GROUPS = {
  window: [
    ['libnss3'],
    ['libatk1.0-0', 'libatk1.0-0t64'],
    ['libatk-bridge2.0-0', 'libatk-bridge2.0-0t64'],
    ['libgtk-3-0', 'libgtk-3-0t64'],
    ['libgbm1'],
    ['libasound2', 'libasound2t64'],
    ['libxss1'],
    ['libcups2', 'libcups2t64'],
    ['fonts-noto-cjk'],
  ],
  tests: [['xvfb'], ['xauth'], ['chromium-headless-shell']],
  faults: [['strace'], ['libfaketime']],
};

/** The installation asks no questions, and answers in the English that is parsed here. */
const QUIET = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' };

/**
 * Ensures that the packages of some groups are installed. If they cannot be, it reports the command: as a failure when
 * `strict`, else as a note.
 *
 * @param {string} root
 * @param {('window' | 'tests' | 'faults')[]} groups
 * @param {boolean} strict
 */
export async function ensureSystemPackages(root, groups, strict) {
  if (process.platform !== 'linux' || groups.length === 0) return;
  const wanted = groups.flatMap((group) => GROUPS[group]);
  if (!existsSync('/usr/bin/dpkg-query') || !existsSync('/usr/bin/apt-get')) return;
  if ((await missingOf(wanted)).length === 0) return;
  if (process.getuid?.() !== 0) {
    await tell(await missingOf(wanted), 'they can only be installed by root', strict);
    return;
  }
  await withSetupLock(root, async () => {
    const missing = await missingOf(wanted);
    if (missing.length === 0) return;
    const problem = await step(`installing system packages (apt-get): ${missing.map(([name]) => name).join(' ')}`, () =>
      install(missing),
    );
    const left = await missingOf(wanted);
    if (left.length > 0) await tell(left, problem ?? 'apt-get ended well without installing them', strict);
  });
}

/** The packages of which no name is installed. */
async function missingOf(wanted) {
  const { output } = await collect('/usr/bin/dpkg-query', [
    '-W',
    '-f=${Package} ${db:Status-Status}\\n',
    ...wanted.flat(),
  ]);
  const installed = new Set(
    output
      .split('\n')
      .filter((line) => line.endsWith(' installed'))
      .map((line) => line.split(' ')[0]),
  );
  return wanted.filter((names) => !names.some((name) => installed.has(name)));
}

/** Installs packages. Returns a short error text, or null. */
async function install(missing) {
  const apt = (...args) =>
    collect('/usr/bin/apt-get', ['-o', 'DPkg::Lock::Timeout=300', '-o', 'Dpkg::Use-Pty=0', '-qq', ...args], {
      env: QUIET,
    });
  // A failed update is not fatal: older lists may suffice.
  await apt('update');
  const known = (await nameOnThisRelease(missing)).filter((name) => name !== null);
  const { code, output } = await apt('install', '-y', '--no-install-recommends', ...known);
  if (code !== 0)
    return `apt-get failed (${output.split('\n').find((line) => line.startsWith('E: ')) ?? `exit code ${code}`})`;
  return known.length === missing.length ? null : 'this release has no package of that name';
}

/** For each package the first name that this release can install, or null. */
async function nameOnThisRelease(missing) {
  const { output } = await collect('/usr/bin/apt-cache', ['policy', ...missing.flat()], { env: QUIET });
  const installable = new Set();
  for (const block of output.split(/\n(?=\S)/)) {
    const name = /^(\S+):\n/.exec(block)?.[1];
    if (name !== undefined && !/^ +Candidate: \(none\)$/m.test(block)) installable.add(name);
  }
  return missing.map((names) => names.find((name) => installable.has(name)) ?? null);
}

async function tell(missing, why, strict) {
  const here = await nameOnThisRelease(missing);
  const names = missing.map(([first], index) => here[index] ?? first).join(' ');
  const text = [
    `System packages are missing, and ${why}. Run this, then the command again:`,
    `  sudo apt-get update && sudo apt-get install -y --no-install-recommends ${names}`,
  ].join('\n');
  if (strict) throw new SetupError(text);
  say(text.replace('then the command again', 'then start again for a window; going on without'));
}
