/**
 * Packages for hosts without a screen: bundles, the pinned Node and `bin/causeway-agent`, which installs them as
 * services. The relay's is for the DMZ and contains no other part.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PinnedRelease } from '../../../shared/service/release.ts';
import { PRODUCT_VERSION } from '../../../shared/wire/version.ts';
import { pinnedNode } from '../../setup/electron-runtime.js';
import { bundleRelay, bundleServices } from './bundle.ts';
import { BUILT, PackagingError, PROJECT } from './inputs.ts';
import { ensurePages, pagesOf } from './pages.ts';
import { compileWindowsHost } from './windows-host.ts';
import { writeNotices } from './notices.ts';

export type ServicesPackage = 'relay' | 'services';

/** Links between pages work because each page has the same path as in the project. */
const README = `# Causeway

Begin with [the first run](doc/agent/service/guide/first-run.md). All guides and commands:
[services](doc/agent/service/README.md).
`;

/** Documents for the host's administrator, under their names in the project. */
const BESIDE: Readonly<Record<ServicesPackage, readonly string[]>> = {
  relay: ['agent/service/README.md', 'agent/service/guide', 'agent/relay/README.md', 'agent/relay/monitoring'],
  services: [
    'agent/service/README.md',
    'agent/service/guide',
    'agent/README.md',
    'agent/intake/README.md',
    'agent/intake/maintenance/README.md',
    'agent/intake/monitoring',
    'agent/ledger/README.md',
    'electron/console-api/README.md',
    'electron/console-api/audit/README.md',
    'electron/console-api/auth/README.md',
  ],
};

const LAUNCHER = `#!/bin/sh
here=$(dirname "$(dirname "$(readlink -f "$0")")")
exec "$here/node/node" "$here/services/causeway-agent.js" "$@"
`;
const WINDOWS_LAUNCHER = '@"%~dp0..\\node\\node.exe" "%~dp0..\\services\\causeway-agent.js" %*\r\n';

/** Fills a new folder with a package. @throws PackagingError */
export async function fillPackage(
  kind: ServicesPackage,
  folder: string,
  pinned: PinnedRelease | null = null,
): Promise<void> {
  const isWindows = process.platform === 'win32';
  for (const name of ['bin', 'node']) mkdirSync(join(folder, name), { recursive: true });
  const node = join(folder, 'node', isWindows ? 'node.exe' : 'node');
  copyFileSync(pinnedNode(), node);
  chmodSync(node, 0o755);
  if (isWindows) writeFileSync(join(folder, 'bin', 'causeway-agent.cmd'), WINDOWS_LAUNCHER);
  else writeFileSync(join(folder, 'bin', 'causeway-agent'), LAUNCHER, { mode: 0o755 });
  copyFileSync(join(PROJECT, 'LICENSE'), join(folder, 'LICENSE'));
  writeFileSync(join(folder, 'README.md'), README);
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
    default:
      kind satisfies never;
  }
  writeNotices(folder);
  if (isWindows) compileWindowsHost(join(folder, 'services', 'causeway-host.exe'));
}

/** Creates the archive of a package in a folder. @throws PackagingError */
export async function archivePackage(
  kind: ServicesPackage,
  folder: string,
  pinned: PinnedRelease | null,
): Promise<void> {
  const name = `causeway-${kind}-${PRODUCT_VERSION}-${process.platform}-${process.arch}`;
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
