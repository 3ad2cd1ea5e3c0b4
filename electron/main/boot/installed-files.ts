/**
 * Checks that the files beside the program are those that were packed: at once by the file system, then byte by byte.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { app } from 'electron';
import type { Log } from '../diagnostics/log.ts';
import { packedManifest } from './packed-manifest.ts';
import { checkInWorker, type ResourceFault } from './resources.ts';
import { dropSeal, isSealed, keepSeal, sealOf } from './seal.ts';

export class InstalledFiles {
  readonly #log: Log;
  readonly #manifest = packedManifest();
  readonly #file = join(app.getPath('userData'), 'checked-files');
  readonly #seal: string | null;
  /** The last check without a fault saw these files, so the start does not wait for a check. */
  readonly isKnown: boolean;
  #checking: Promise<ResourceFault[]> | null = null;

  constructor(log: Log) {
    this.#log = log;
    // An AppImage gives its files the times of their packing, even after a change.
    const isImage = process.env['APPIMAGE'] !== undefined;
    this.#seal = isImage ? null : sealOf(process.resourcesPath, this.#manifest);
    this.isKnown = isSealed(this.#file, this.#seal);
  }

  /** Reads all files once, some 130 MB, on a thread of its own. @throws when a file cannot be read */
  check(): Promise<ResourceFault[]> {
    return (this.#checking ??= this.#check());
  }

  async #check(): Promise<ResourceFault[]> {
    const began = performance.now();
    const code = readFileSync(join(app.getAppPath(), 'check-worker.cjs'), 'utf8');
    const faults = await checkInWorker(code, { resources: process.resourcesPath, manifest: this.#manifest });
    this.#log.info('resources checked', { faults: faults.length, ms: Math.round(performance.now() - began) });
    if (faults.length > 0) dropSeal(this.#file);
    else if (!this.isKnown) this.#keep();
    return faults;
  }

  #keep(): void {
    if (this.#seal === null) return;
    try {
      keepSeal(this.#file, this.#seal);
    } catch (error) {
      this.#log.warn('check of the files not kept', { reason: String(error) });
    }
  }
}
