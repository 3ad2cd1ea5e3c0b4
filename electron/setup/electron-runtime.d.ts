export interface ElectronRuntime {
  /** Folder with the unpacked Electron, as electron-builder's `electronDist` takes it. */
  dist: string;
  /** For example `45.4.1`. */
  version: string;
  kind: 'official' | 'stand-in';
}

/** Thrown when no Electron is available on this machine; the message says what to do. */
export class ElectronUnavailableError extends Error {}

/** Finds or fetches an Electron to run and package the console with. Slow only the first time. */
export function ensureElectronRuntime(options: { log: (line: string) => void }): Promise<ElectronRuntime>;

/** Path of the Node that the product runs on (pinned from npm), or of this very Node where npm has none for the platform. */
export function pinnedNode(): string;
