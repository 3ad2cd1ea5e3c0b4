/**
 * Packages for hosts without a screen: bundles, the pinned Node and the command that installs them as services. That of
 * the relay is for the DMZ and holds nothing of any other part; that of the cloud is the vendor's, and the context of its container.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { PinnedRelease } from '../../../shared/service/release.ts';
import { PRODUCT_VERSION } from '../../../shared/wire/version.ts';
import { pinnedNode } from '../../setup/electron-runtime.js';
import { bundleCloud, bundleRelay, bundleServices } from './bundle.ts';
import { BUILT, PackagingError, PROJECT } from './inputs.ts';
import { ensurePages, pagesOf } from './pages.ts';
import { compileWindowsHost } from './windows-host.ts';
import { writeNotices } from './notices.ts';

export type ServicesPackage = 'relay' | 'services' | 'cloud';

/** Links between pages work because each page has the same path as in the project. */
const readme = (service: string, overview: string): string => `# Causeway

Begin with [the first run](doc/${service}/guide/first-run.md). All guides and commands:
[${overview}](doc/${overview}/README.md).
`;
const TENANT = { command: 'causeway-agent', text: readme('agent/operations', 'agent/operations') };
const COMMANDS: Readonly<Record<ServicesPackage, { command: string; text: string }>> = {
  relay: TENANT,
  services: TENANT,
  cloud: { command: 'causeway-cloud', text: readme('cloud/operations', 'cloud') },
};

/** Documents for the host's administrator, under their names in the project. */
const BESIDE: Readonly<Record<ServicesPackage, readonly string[]>> = {
  relay: ['agent/operations/README.md', 'agent/operations/guide', 'agent/relay/README.md', 'agent/relay/monitoring'],
  cloud: [
    ...['publication', 'sync', 'operator', 'pipeline', 'facts', 'console', 'demo'].map(
      (one) => `cloud/${one}/README.md`,
    ),
    ...['cloud/README.md', 'cloud/operations/guide', 'cloud/operations/monitoring', 'electron/packaging/README.md'],
    ...['agent/operations/README.md', 'agent/operations/guide'],
  ],
  services: [
    'agent/operations/README.md',
    'agent/operations/guide',
    'agent/README.md',
    'agent/intake/README.md',
    'agent/intake/maintenance/README.md',
    'agent/intake/backup/README.md',
    'agent/intake/monitoring',
    'agent/ledger/README.md',
    'electron/console-api/README.md',
    'electron/console-api/audit/README.md',
    'electron/console-api/auth/README.md',
  ],
};

const launcher = (command: string): string => `#!/bin/sh
here=$(dirname "$(dirname "$(readlink -f "$0")")")
exec "$here/node/node" "$here/services/${command}.js" "$@"
`;
const windowsLauncher = (command: string): string =>
  `@"%~dp0..\\node\\node.exe" "%~dp0..\\services\\${command}.js" %*\r\n`;
/** Files beside the cloud's bundles: those of its container and of its demo. */
const CONTAINER = 'cloud/operations/container';
const DEMO = 'cloud/demo/etfs.jsonl';

/** Fills a new folder with a package. @throws PackagingError */
export async function fillPackage(
  kind: ServicesPackage,
  folder: string,
  pinned: PinnedRelease | null = null,
): Promise<void> {
  const isWindows = process.platform === 'win32';
  if (isWindows && kind === 'cloud')
    throw new PackagingError('The package of the cloud is made on Linux, where it runs.');
  const { command, text } = COMMANDS[kind];
  for (const name of ['bin', 'node']) mkdirSync(join(folder, name), { recursive: true });
  const node = join(folder, 'node', isWindows ? 'node.exe' : 'node');
  copyFileSync(pinnedNode(), node);
  chmodSync(node, 0o755);
  if (isWindows) writeFileSync(join(folder, 'bin', `${command}.cmd`), windowsLauncher(command));
  else writeFileSync(join(folder, 'bin', command), launcher(command), { mode: 0o755 });
  copyFileSync(join(PROJECT, 'LICENSE'), join(folder, 'LICENSE'));
  writeFileSync(join(folder, 'README.md'), text);
  for (const name of BESIDE[kind]) cpSync(join(PROJECT, name), join(folder, 'doc', name), { recursive: true });
  switch (kind) {
    case 'relay':
      await bundleRelay(join(folder, 'services'), pinned);
      break;
    case 'services':
      await ensurePages({ pages: 'tenant', log: () => undefined });
      cpSync(pagesOf('tenant'), join(folder, 'renderer'), { recursive: true });
      await bundleServices(join(folder, 'services'), pinned);
      break;
    case 'cloud':
      await ensurePages({ pages: 'operator', log: () => undefined });
      cpSync(pagesOf('operator'), join(folder, 'console'), { recursive: true });
      cpSync(join(PROJECT, CONTAINER), folder, { recursive: true });
      copyFileSync(join(PROJECT, DEMO), join(folder, basename(DEMO)));
      await bundleCloud(join(folder, 'services'), pinned);
      break;
    default:
      kind satisfies never;
  }
  writeNotices(folder, kind === 'cloud' ? kind : 'tenant');
  if (isWindows) compileWindowsHost(join(folder, 'services', 'causeway-host.exe'));
}

/** Creates the archive of a package in a folder. @throws PackagingError */
export async function archivePackage(
  kind: ServicesPackage,
  folder: string,
  pinned: PinnedRelease | null,
): Promise<void> {
  const name = `causeway-${kind}-${PRODUCT_VERSION}-${process.platform}-${process.arch}`;
  mkdirSync(BUILT, { recursive: true });
  const work = mkdtempSync(join(BUILT, `making-${kind}-`));
  try {
    await fillPackage(kind, join(work, name), pinned);
    const owners = process.platform === 'linux' ? ['--owner=0', '--group=0', '--numeric-owner', '--sort=name'] : [];
    const { status, stderr, error } = spawnSync(
      'tar',
      ['-C', work, ...owners, '-czf', join(folder, `${name}.tar.gz`), name],
      { encoding: 'utf8' },
    );
    if (status !== 0) throw new PackagingError(`tar failed: ${error?.message ?? stderr.trim()}`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
