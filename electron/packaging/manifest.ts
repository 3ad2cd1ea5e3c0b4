/** The hashes of the files packed beside the program's archive; the program verifies them at each start. */
import { readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { sha256Of, type ResourceManifest } from '../main/boot/resources.ts';
import { NODE_FILE } from './builder.ts';

export interface PackedResources {
  /** The Node of the services, one file. */
  node: string;
  /** Folders. */
  renderer: string;
  services: string;
}

/** The manifest of the resources as `builderConfiguration` places them. */
export async function manifestOf({ node, ...folders }: PackedResources): Promise<ResourceManifest> {
  const files: [path: string, file: string][] = [
    [NODE_FILE, node],
    ...Object.entries(folders).flatMap(([name, folder]) =>
      filesOf(folder).map((file): [string, string] => [`${name}/${relative(folder, file).split(sep).join('/')}`, file]),
    ),
  ];
  return Object.fromEntries(
    await Promise.all(files.map(async ([path, file]): Promise<[string, string]> => [path, await sha256Of(file)])),
  );
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
}
