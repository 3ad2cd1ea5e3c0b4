/**
 * Packs the desktop program for this platform: `ensurePackaged` for callers that start it, and `npm run package` by
 * hand. An earlier package of the same inputs is reused.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { PinnedRelease } from '../../shared/service/release.ts';
import { systemClock } from '../../shared/time/clock.ts';
import { ensureElectronRuntime, pinnedNode, type ElectronRuntime } from '../setup/electron-runtime.js';
import { withLock } from '../setup/lock.js';
import { builderConfiguration, EXECUTABLE } from './builder.ts';
import { bundleProgram, bundleServices } from './build/bundle.ts';
import { iconPng } from './build/icon.ts';
import { BUILT, hashInputs, PackagingError } from './build/inputs.ts';
import { manifestOf } from './manifest.ts';
import { ensurePages, pagesOf } from './build/pages.ts';
import { writeNotices } from './build/notices.ts';
import { buildRelease, requireOfficial, requireSigning } from './release/release-build.ts';
import { releasePins, releaseSigning, testSigning, type ReleasePins } from './release/release-key.ts';
import type { ServicesPackage } from './build/services-package.ts';
import { runTool } from './build/tool.ts';
import { windowsSigning, type WindowsSigning } from './windows-signing.ts';

export interface PackagingOptions {
  log: (line: string) => void;
  /** The build for tests; it lies beside the product, never in its place. */
  test?: boolean;
  signal?: AbortSignal;
}

const INPUTS = [
  ...[
    'agent',
    'shared',
    'renderer',
    'electron/main',
    'electron/preload',
    'electron/console-api',
    'electron/packaging',
    'electron/setup',
  ],
  ...['package.json', 'package-lock.json', 'tsconfig.json'],
];

/** Ensures that the program is packed from the present sources. Takes seconds the first time, then returns at once. */
export async function ensurePackaged({ log, test = false, signal }: PackagingOptions): Promise<{ executable: string }> {
  const electron = await ensureElectronRuntime({ log: () => undefined });
  const kind = test ? 'test' : 'product';
  // A package from a checkout is not a release: it pins no key, and says so in its window.
  const program = { isTest: test, pinned: test ? testSigning().pinned : null, signing: null };
  const words = [kind, JSON.stringify(program), ...platformWords(electron)];
  const folder = join(BUILT, `${kind}-${hashInputs(INPUTS, words)}`);
  const executable = join(folder, unpackedFolder(), process.platform === 'win32' ? `${EXECUTABLE}.exe` : EXECUTABLE);
  // The complete folder appears by one rename, so its presence is sufficient proof.
  if (existsSync(executable)) return { executable };
  await withLock(
    join(BUILT, `${kind}.lock`),
    () => log('Console program: another process is packing it, waiting.'),
    async () => {
      if (existsSync(executable)) return;
      log(
        `Console program: packing${test ? ' the build for tests' : ''} with Electron ${electron.version} (${electron.kind}).`,
      );
      await ensurePages({ pages: 'tenant', log, ...(signal === undefined ? {} : { signal }) });
      await pack(folder, program, electron, ['dir'], signal);
      removeOlder(kind, folder);
    },
  );
  return { executable };
}

function platformWords(electron: ElectronRuntime): string[] {
  const node = pinnedNode();
  return [electron.kind, electron.version, process.platform, process.arch, node, String(statSync(node).size)];
}

function unpackedFolder(): string {
  switch (process.platform) {
    case 'linux':
      return process.arch === 'x64' ? 'linux-unpacked' : `linux-${process.arch}-unpacked`;
    case 'win32':
      return process.arch === 'x64' ? 'win-unpacked' : `win-${process.arch}-unpacked`;
    default:
      throw new PackagingError(
        `The console program is packed for Linux and Windows, not for ${process.platform}: open the console in a browser.`,
      );
  }
}

interface PackedProgram {
  isTest: boolean;
  /** The pinned release keys; null: an unsigned build. */
  pinned: PinnedRelease | null;
  /** The Windows signing; null: unsigned. */
  signing: WindowsSigning | null;
}

/** Builds in a temporary folder, then renames the result into place. */
async function pack(
  folder: string,
  { isTest, pinned, signing }: PackedProgram,
  electron: ElectronRuntime,
  targets: string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const kind = isTest ? 'test' : 'product';
  mkdirSync(BUILT, { recursive: true });
  for (const left of readdirSync(BUILT).filter((name) => name.startsWith(`making-${kind}-`)))
    rmSync(join(BUILT, left), { recursive: true, force: true });
  const work = mkdtempSync(join(BUILT, `making-${kind}-`));
  try {
    const [app, services, output] = [join(work, 'app'), join(work, 'services'), join(work, 'output')];
    const publisher = signing?.publisher ?? null;
    await Promise.all([bundleProgram(app, { isTest, pinned, publisher }), bundleServices(services, pinned)]);
    writeNotices(services);
    const resources = { services, renderer: pagesOf('tenant'), node: pinnedNode() };
    writeFileSync(join(app, 'resources.json'), JSON.stringify(await manifestOf(resources), null, 1));
    const icon = join(work, 'icon.png');
    writeFileSync(icon, iconPng(512));
    const configuration = builderConfiguration({
      icon,
      ...resources,
      output,
      electron,
      isTest,
      signing,
    });
    const file = join(work, 'builder.json');
    writeFileSync(file, JSON.stringify(configuration, null, 2));
    // To electron-builder the bundled program is a project of its own: in ours it would pack all of node_modules.
    const what = [process.platform === 'win32' ? '--win' : '--linux', ...targets, `--${process.arch}`];
    await runTool(
      'electron-builder',
      'electron-builder/cli.js',
      [...what, '--project', app, '--config', file, '--publish', 'never'],
      {},
      signal,
    );
    rmSync(folder, { recursive: true, force: true });
    renameSync(output, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Keeps the previous build, which may still be running, and removes older ones. */
function removeOlder(kind: string, current: string): void {
  readdirSync(BUILT)
    .map((name) => join(BUILT, name))
    .filter((path) => path.startsWith(join(BUILT, `${kind}-`)) && path !== current)
    .map((path) => ({ path, at: statSync(path).mtimeMs }))
    .sort((a, b) => b.at - a.at)
    .slice(1)
    .forEach(({ path }) => rmSync(path, { recursive: true, force: true }));
}

const HELP = `Usage: npm run package [-- --test | --pages | [--installers] [--relay] [--services] [--cloud] [--sign-later | --unsigned]]

Packs the console program for this platform and prints where it lies.

Options:
  --test        the build that tests drive: a debugger may attach to it
  --pages       only the pages of both consoles, where cloud and console API look for them in a checkout
  --help        this text

A release, signed by the key that CAUSEWAY_RELEASE_KEY names, in one folder with its sums and signatures:
  --installers  the program's installers (deb and AppImage, or NSIS); electron-builder fetches tools for them
  --relay       the relay alone with its Node, one archive for the DMZ
  --services    all of the tenant's services with their Node and the console's pages, one archive
  --cloud       the vendor's cloud with its Node, its console and the files of a container, one archive; a release of its own
  --sign-later  pins the public key that CAUSEWAY_RELEASE_PUBLIC_KEY names; "npm run release -- sign FOLDER" signs the result
  --unsigned    without a key: a test build, which the program shows as one and which takes no updates
`;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      test: { type: 'boolean' },
      installers: { type: 'boolean', default: false },
      relay: { type: 'boolean' },
      services: { type: 'boolean' },
      cloud: { type: 'boolean' },
      'sign-later': { type: 'boolean', default: false },
      unsigned: { type: 'boolean', default: false },
      pages: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) {
    process.stdout.write(HELP);
    return;
  }
  if (values.pages === true) {
    for (const pages of ['tenant', 'operator'] as const) {
      await ensurePages({ pages, log: say });
      say(pagesOf(pages));
    }
    return;
  }
  const archives = (['relay', 'services', 'cloud'] as const).filter((kind) => values[kind] === true);
  if (archives.length > 0 || values.installers) {
    say(await release(archives, values.installers, pinsOf(values['sign-later'], values.unsigned)));
    return;
  }
  const { executable } = await ensurePackaged({ log: say, test: values.test === true });
  say(executable);
}

/** @throws PackagingError */
function pinsOf(isSignedLater: boolean, isUnsigned: boolean): ReleasePins | null {
  if (isSignedLater && isUnsigned) throw new PackagingError('A build is unsigned, or signed later, not both.');
  return isSignedLater ? releasePins(process.env) : requireSigning(releaseSigning(process.env), isUnsigned);
}

async function release(
  archives: readonly ServicesPackage[],
  hasInstallers: boolean,
  signing: ReleasePins | null,
): Promise<string> {
  const order = { archives, signing, now: systemClock.now(), into: BUILT };
  if (!hasInstallers) return buildRelease({ ...order, installers: null });
  const electron = await ensureElectronRuntime({ log: say });
  requireOfficial(electron);
  const isSignedForWindows = process.platform === 'win32' && signing !== null;
  const program: PackedProgram = {
    isTest: false,
    pinned: signing?.pinned ?? null,
    signing: isSignedForWindows ? windowsSigning(process.env) : null,
  };
  await ensurePages({ pages: 'tenant', log: say });
  return buildRelease({ ...order, installers: (folder) => pack(folder, program, electron, [], undefined) });
}

if (import.meta.main) {
  main().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = error instanceof TypeError ? 2 : 1;
  });
}
