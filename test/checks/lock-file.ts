/**
 * Checks that `npm ci` accepts package-lock.json on every platform and with every npm. An `npm install` that could not
 * see all platforms of a package leaves gaps that only newer npm reports.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { readSource, type Check } from './sources.ts';

type Ranges = Record<string, string>;

interface Entry {
  dependencies?: Ranges;
  devDependencies?: Ranges;
  optionalDependencies?: Ranges;
  resolved?: string;
  link?: boolean;
}

const KINDS = ['dependencies', 'devDependencies', 'optionalDependencies'] as const;

export const lockFile: Check = {
  name: 'lock file',
  run: async (root) => {
    if (!existsSync(path.join(root, 'package-lock.json')))
      return { read: 0, problems: ['there is no package-lock.json'] };
    const { packages } = JSON.parse(readSource(root, 'package-lock.json')) as { packages: Record<string, Entry> };
    const manifest = JSON.parse(readSource(root, 'package.json')) as Entry;
    const problems: string[] = [];
    for (const [place, entry] of Object.entries(packages)) {
      const needed = {
        ...entry.dependencies,
        ...entry.optionalDependencies,
        ...(place === '' ? entry.devDependencies : {}),
      };
      for (const name of Object.keys(needed)) {
        if (!isThere(packages, place, name))
          problems.push(`package-lock.json lacks ${name}, which ${place || 'package.json'} names`);
      }
      if (entry.resolved !== undefined)
        problems.push(`package-lock.json says where ${place} was fetched from: leave it to npm's settings`);
    }
    for (const kind of KINDS) {
      const same = JSON.stringify(sorted(manifest[kind])) === JSON.stringify(sorted(packages['']?.[kind]));
      if (!same) problems.push(`${kind} of package.json and package-lock.json differ: run "npm install" on Node 24`);
    }
    return { read: Object.keys(packages).length, problems };
  },
};

/** Searches like Node: in the package's own node_modules, then in those of the folders above. */
function isThere(packages: Record<string, Entry>, place: string, name: string): boolean {
  for (let folder: string | null = place; folder !== null; folder = above(folder)) {
    if (`${folder === '' ? '' : `${folder}/`}node_modules/${name}` in packages) return true;
  }
  return false;
}

function above(place: string): string | null {
  if (place === '') return null;
  const end = place.lastIndexOf('/node_modules/');
  return end === -1 ? '' : place.slice(0, end);
}

function sorted(ranges: Ranges | undefined): [string, string][] {
  return Object.entries(ranges ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
