/**
 * What lies beside the program as the file system tells it, kept after a check without a fault: a later start with the
 * same files begins at once and is checked behind the window (D162). No Electron.
 */
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKED_FOLDERS, type ResourceManifest } from './resources.ts';

/**
 * One word for size, place on the disk and times of every file, and for the manifest. Nobody but the system sets the time
 * of a file's last change. Null where a file cannot be looked at.
 */
export function sealOf(resources: string, manifest: ResourceManifest): string | null {
  const hash = createHash('sha256').update(JSON.stringify(Object.entries(manifest).toSorted()));
  try {
    for (const path of CHECKED_FOLDERS.flatMap((folder) => filesBelow(resources, folder)).toSorted()) {
      const { size, ino, mtimeNs, ctimeNs } = lstatSync(join(resources, path), { bigint: true });
      hash.update(`${path}\0${size} ${ino} ${mtimeNs} ${ctimeNs}\n`);
    }
  } catch {
    return null;
  }
  return hash.digest('hex');
}

function filesBelow(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesBelow(root, path) : [path];
  });
}

/** Whether the last check without a fault has seen exactly these files. */
export function isSealed(file: string, seal: string | null): boolean {
  try {
    return seal !== null && readFileSync(file, 'utf8') === seal;
  } catch {
    return false;
  }
}

/** Without it the next start is checked first. @throws when it cannot be written */
export function keepSeal(file: string, seal: string): void {
  writeFileSync(`${file}.new`, seal, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export function dropSeal(file: string): void {
  rmSync(file, { force: true });
}
