/**
 * The configuration of electron-builder. The folder (`dir`) runs from a checkout and in tests; installers are for
 * release machines, because electron-builder downloads tools for them.
 */
import { join } from 'node:path';
import type { Configuration } from 'electron-builder';
import type { WindowsSigning } from './windows-signing.ts';

export interface BuilderInput {
  services: string;
  renderer: string;
  /** The program's icon, a PNG of at least 512 pixels. */
  icon: string;
  /** The Node that the services run on. */
  node: string;
  output: string;
  /** Folder with the unpacked Electron, and its version. */
  electron: { dist: string; version: string };
  /** The build for tests: the same except that it can be debugged. */
  isTest: boolean;
  /** The Windows signing; null: unsigned. */
  signing: WindowsSigning | null;
}

export const EXECUTABLE = 'causeway-console';
/** Path of the packed Node below the folder of resources. */
export const NODE_FILE = process.platform === 'win32' ? 'node/node.exe' : 'node/node';

/** Each fuse with its required state in the packed program. A test reads them back from the binary. */
export function fuses(isTest: boolean): NonNullable<Configuration['electronFuses']> {
  return {
    // The services run on a Node of their own, so the program never has to act as one.
    runAsNode: false,
    enableNodeOptionsEnvironmentVariable: false,
    enableNodeCliInspectArguments: isTest,
    enableCookieEncryption: true,
    onlyLoadAppFromAsar: true,
    // Checked on Windows and macOS only; elsewhere file ownership and the package's hash replace it.
    enableEmbeddedAsarIntegrityValidation: true,
    loadBrowserProcessSpecificV8Snapshot: false,
    grantFileProtocolExtraPrivileges: false,
  };
}

export function builderConfiguration(input: BuilderInput): Configuration {
  return {
    appId: 'app.causeway.console',
    productName: 'Causeway',
    copyright: 'Causeway',
    directories: { output: input.output },
    electronVersion: input.electron.version,
    electronDist: input.electron.dist,
    electronLanguages: ['ko', 'en-US'],
    icon: input.icon,
    // Links into the program, see `electron/main/windows/links.ts`.
    protocols: [{ name: 'Causeway', schemes: ['causeway'] }],
    electronFuses: fuses(input.isTest),
    asar: true,
    npmRebuild: false,
    files: ['**/*'],
    extraResources: [
      { from: input.services, to: 'services', filter: ['**/*'] },
      // electron-builder excludes a folder of this name unless it is listed itself.
      { from: join(input.services, 'node_modules'), to: 'services/node_modules', filter: ['**/*'] },
      { from: input.renderer, to: 'renderer', filter: ['**/*'] },
      { from: input.node, to: NODE_FILE },
    ],
    publish: null,
    // The older tool set starts an AppImage without Chromium's sandbox.
    toolsets: { appimage: '1.0.3' },
    linux: {
      executableName: EXECUTABLE,
      target: ['deb', 'AppImage'],
      category: 'Office',
      maintainer: 'Causeway <support@causeway.example>',
      synopsis: 'Causeway tenant console',
    },
    // `depends` is omitted on purpose: it would replace electron-builder's own list of libraries.
    deb: { recommends: ['fonts-noto-cjk'] },
    win: { executableName: EXECUTABLE, target: ['nsis'], ...input.signing?.win },
    forceCodeSigning: input.signing?.forceCodeSigning ?? false,
    nsis: {
      // Without spaces: a signed release lists plain names.
      artifactName: 'Causeway-Setup-${version}.${ext}',
      oneClick: false,
      perMachine: true,
      // Outside Program Files every user could replace the program that all of them run.
      allowToChangeInstallationDirectory: false,
      include: join(import.meta.dirname, 'installer.nsh'),
      installerLanguages: ['ko_KR', 'en_US'],
    },
  };
}
