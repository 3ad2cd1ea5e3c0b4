/** Bundles the program's own code, and its services', to plain JavaScript. */
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { PinnedRelease } from '../../../shared/service/release.ts';
import { keepCompiledCode } from './code-cache.ts';
import { iconPng } from './icon.ts';
import { PackagingError, PROJECT } from './inputs.ts';

/**
 * The services' entries, by the name of their bundle. All of them ship, whether the program or the system starts them.
 */
const SERVICES = {
  'causeway-agent': 'agent/operations/main.ts',
  intake: 'agent/intake/main.ts',
  provision: 'agent/provision/main.ts',
  relay: 'agent/relay/main.ts',
} as const;

const CONSOLE_API = 'electron/console-api/main.ts';
/** The command line of the package for the DMZ. */
const RELAY_AGENT = 'agent/operations/relay-main.ts';
/** The vendor's cloud, and its command line. */
const CLOUD = { cloud: 'cloud/main.ts', 'causeway-cloud': 'cloud/operations/install/main.ts' } as const;
/** Modules that are loaded into a service before its entry: on Windows, and by systemd. */
const PRELOADED = {
  'end-with-parent': 'electron/main/services/end-with-parent.ts',
  notify: 'shared/service/install/notify.ts',
} as const;
const TOKENS = 'shared/ui/theme/tokens.css';
const SHELL_PAGE = 'electron/main/windows/shell-page';

export interface ProgramBuild {
  isTest: boolean;
  /** The pinned release keys; null: an unsigned build. */
  pinned: PinnedRelease | null;
  /** The signer's name on Windows, as in the certificate; null: unsigned. */
  publisher: string | null;
}

/** Read by `shared/service/release.ts`. */
const pinning = (pinned: PinnedRelease | null): { CAUSEWAY_RELEASE: string } => ({
  CAUSEWAY_RELEASE: JSON.stringify(JSON.stringify(pinned)),
});

/**
 * The files that electron-builder puts into the archive: main process, preload, the program's own pages, and a manifest
 * that names them.
 */
export async function bundleProgram(folder: string, { isTest, pinned, publisher }: ProgramBuild): Promise<void> {
  const { build } = await import('rolldown');
  const define = {
    CAUSEWAY_TEST_BUILD: String(isTest),
    'process.env.NODE_ENV': '"production"',
    ...pinning(pinned),
  };
  const common = {
    cwd: PROJECT,
    external: ['electron', /^node:/],
    transform: { define, target: 'es2022' },
    logLevel: 'warn' as const,
  };
  mkdirSync(join(folder, 'shell-page'), { recursive: true });
  await Promise.all([
    build({
      ...common,
      platform: 'node',
      input: 'electron/main/main.ts',
      // A module that only some runs need (the updater) is a separate file, loaded on demand.
      output: { dir: folder, format: 'cjs', entryFileNames: 'main.cjs', chunkFileNames: '[name].cjs' },
    }),
    build({
      ...common,
      platform: 'node',
      input: 'electron/main/boot/check-worker.ts',
      output: { file: join(folder, 'check-worker.cjs'), format: 'cjs' },
    }),
    // A sandboxed preload has neither modules nor Node: one file that requires only electron.
    build({
      ...common,
      platform: 'browser',
      input: 'electron/preload/preload.ts',
      output: { file: join(folder, 'preload.cjs'), format: 'cjs' },
    }),
    ...['page', 'setup'].map((name) =>
      build({
        ...common,
        platform: 'browser',
        input: `${SHELL_PAGE}/${name}.ts`,
        output: { file: join(folder, 'shell-page', `${name}.js`), format: 'iife' },
      }),
    ),
  ]);
  for (const file of readdirSync(join(PROJECT, SHELL_PAGE)).filter((name) => !name.endsWith('.ts')))
    copyFileSync(join(PROJECT, SHELL_PAGE, file), join(folder, 'shell-page', file));
  writeFileSync(join(folder, 'shell-page', 'tokens.css'), tokensByMedia(readFileSync(join(PROJECT, TOKENS), 'utf8')));
  writeFileSync(join(folder, 'tray.png'), iconPng(32));
  writeFileSync(join(folder, 'icon.png'), iconPng(256));
  writeFileSync(join(folder, 'app-update.yml'), updaterSettings(publisher));
  const { version } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as { version: string };
  const manifest = {
    name: 'causeway',
    productName: 'Causeway',
    version,
    main: 'main.cjs',
    description: 'Causeway tenant console',
    author: 'Causeway',
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
}

/**
 * The program's settings name the feed; this file names the download folder and the required Authenticode publisher.
 */
export function updaterSettings(publisher: string | null): string {
  const lines = ['provider: generic', 'url: ""', 'updaterCacheDirName: causeway-updater'];
  if (publisher !== null) lines.push(`publisherName: ${JSON.stringify(publisher)}`);
  return `${lines.join('\n')}\n`;
}

/**
 * The services for the packed Node: one bundle per service, shared code in common files, and better-sqlite3 unchanged,
 * with the native file of this platform. @throws PackagingError when a service has no entry
 */
export async function bundleServices(folder: string, pinned: PinnedRelease | null = null): Promise<void> {
  await bundleNode(folder, { ...SERVICES, ...PRELOADED }, pinned);
  copySqlite(join(folder, 'node_modules', 'better-sqlite3'));
  copyAnalyser(folder);
  await bundleConsoleApi(folder, pinned);
}

/**
 * The console API as one file and without ES modules, for which Node prepares more; a desktop's window waits for it.
 * `console-api.js` is the same for everybody else.
 */
async function bundleConsoleApi(services: string, pinned: PinnedRelease | null): Promise<void> {
  const folder = join(services, 'console-api');
  const { build } = await import('rolldown');
  for (const [name, input] of [
    ['bundle', CONSOLE_API],
    ['end-with-parent', PRELOADED['end-with-parent']],
  ] as const) {
    await build({
      ...nodeBuild(pinned),
      input,
      output: { file: join(folder, `${name}.cjs`), format: 'cjs', codeSplitting: false },
    });
  }
  await keepCompiledCode(folder);
  writeFileSync(join(services, 'console-api.js'), "import './console-api/main.cjs';\n");
}

/** The settings of every bundle for Node. */
export const nodeBuild = (pinned: PinnedRelease | null) => ({
  cwd: PROJECT,
  platform: 'node' as const,
  external: ['better-sqlite3', '@electric-sql/pglite', 'pg-native', 'pg-cloudflare', /^node:/],
  transform: { define: pinning(pinned), target: 'node24' },
  logLevel: 'warn' as const,
});

/** The relay and its command line for the DMZ, without any other part. @throws PackagingError */
export async function bundleRelay(folder: string, pinned: PinnedRelease | null): Promise<void> {
  const input = { relay: SERVICES.relay, 'causeway-agent': RELAY_AGENT, ...PRELOADED };
  await bundleNode(folder, input, pinned);
}

/**
 * The cloud and its command line, with the embedded store as it is: PGlite reads its files beside its code.
 * @throws PackagingError
 */
export async function bundleCloud(folder: string, pinned: PinnedRelease | null): Promise<void> {
  await bundleNode(folder, { ...CLOUD, notify: PRELOADED.notify }, pinned);
  const [from, to] = [join(PROJECT, PGLITE), join(folder, PGLITE)];
  mkdirSync(join(to, 'dist'), { recursive: true });
  for (const file of ['package.json', 'LICENSE']) copyFileSync(join(from, file), join(to, file));
  // Leaves out extensions, adapters of its own and types.
  const own = /^(?:index|initdb|chunk-\w+)\.js$|\.(?:wasm|data)$/;
  mkdirSync(join(to, 'dist', 'fs'));
  for (const file of ['fs/nodefs.js', ...readdirSync(join(from, 'dist')).filter((name) => own.test(name))])
    copyFileSync(join(from, 'dist', file), join(to, 'dist', file));
}

const PGLITE = 'node_modules/@electric-sql/pglite';

async function bundleNode(
  folder: string,
  input: Readonly<Record<string, string>>,
  pinned: PinnedRelease | null,
): Promise<void> {
  const missing = Object.values(input).filter((entry) => !existsSync(join(PROJECT, entry)));
  if (missing.length > 0)
    throw new PackagingError(`The services cannot be bundled: there is no ${missing.join(', no ')}.`);
  const { build } = await import('rolldown');
  await build({
    ...nodeBuild(pinned),
    input,
    output: { dir: folder, format: 'esm', entryFileNames: '[name].js', chunkFileNames: 'shared/[name]-[hash].js' },
  });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
}

function copySqlite(folder: string): void {
  const from = join(PROJECT, 'node_modules', 'better-sqlite3');
  const prebuild = join('prebuilds', `${process.platform}-${process.arch}.node`);
  if (!existsSync(join(from, prebuild)))
    throw new PackagingError(`better-sqlite3 brings no ${prebuild}: it does not run on this platform.`);
  mkdirSync(join(folder, 'prebuilds'), { recursive: true });
  cpSync(join(from, 'lib'), join(folder, 'lib'), { recursive: true });
  for (const file of ['package.json', 'LICENSE', prebuild]) copyFileSync(join(from, file), join(folder, file));
}

/** The morphological analyser's program and model: its code is bundled, and reads them where npm has them. */
function copyAnalyser(folder: string): void {
  for (const file of ['package.json', 'pkg/garu_wasm_bg.wasm', 'models/base.gmdl'].map((name) =>
    join(ANALYSER, name),
  )) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(join(PROJECT, file), join(folder, file));
  }
}

const ANALYSER = 'node_modules/garu-ko';

/**
 * The console's tokens for a page without a script for its scheme: dark follows Chromium's setting, which the program
 * controls. @throws PackagingError unless they are one block for light and one for dark
 */
export function tokensByMedia(css: string): string {
  const dark = /:root\[data-mantine-color-scheme='dark'\] (\{[^}]*\})/;
  if (!dark.test(css)) throw new PackagingError(`${TOKENS} has no block for dark.`);
  return css.replace(dark, '@media (prefers-color-scheme: dark) {\n  :root $1\n}');
}
