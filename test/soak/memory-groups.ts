/**
 * How the parts of a soak begin: with their garbage collected, and in control groups with the memory limits
 * of the units, so that a part meets its limit and Node sizes its heap by it.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const COLLECT = pathToFileURL(path.join(import.meta.dirname, 'collect.ts')).href;

/** Where groups are made, and the file of their limit: version 1, or version 2 where memory is handed down. */
function controller(): { root: string; limit: string } | null {
  if (process.getuid?.() !== 0) return null;
  const one = '/sys/fs/cgroup/memory';
  if (existsSync(path.join(one, 'cgroup.procs'))) return { root: one, limit: 'memory.limit_in_bytes' };
  const two = '/sys/fs/cgroup';
  const handed = path.join(two, 'cgroup.subtree_control');
  const isHanded = existsSync(handed) && readFileSync(handed, 'utf8').split(/\s+/).includes('memory');
  return isHanded ? { root: two, limit: 'memory.max' } : null;
}

export class MemoryGroups {
  readonly #folder: string;
  readonly #controller = controller();
  readonly #groups: string[] = [];

  /** @param folder of the programs that begin the parts */
  constructor(folder: string) {
    this.#folder = folder;
  }

  get areEnforced(): boolean {
    return this.#controller !== null;
  }

  /** A program that runs Node inside a group with this limit; without a group where this machine or user can make none. */
  nodeWithin(name: string, limitMb: number): string {
    const file = path.join(this.#folder, `${name}.sh`);
    if (existsSync(file)) return file;
    const enter = this.#controller === null ? '' : `echo $$ > '${this.#group(this.#controller, name, limitMb)}' && `;
    const node = `SOAK_IN_USE='${this.#inUse(name)}' exec '${process.execPath}' --import '${COLLECT}'`;
    writeFileSync(file, `#!/bin/sh\n${enter}${node} "$@"\n`);
    chmodSync(file, 0o755);
    return file;
  }

  /** What the part had in use after its last collection, in MB; null before the first. */
  inUse(name: string): number | null {
    const file = this.#inUse(name);
    const told = existsSync(file) ? readFileSync(file, 'utf8') : '';
    // The part may be writing it.
    return told === '' ? null : Number(told) / 1_024;
  }

  #inUse(name: string): string {
    return path.join(this.#folder, `${name}.in-use`);
  }

  /** @returns the file by which a process enters the new group */
  #group({ root, limit }: { root: string; limit: string }, name: string, limitMb: number): string {
    const group = path.join(root, `causeway-soak-${process.pid}-${name}`);
    mkdirSync(group);
    this.#groups.push(group);
    writeFileSync(path.join(group, limit), String(limitMb * 1_048_576));
    return path.join(group, 'cgroup.procs');
  }

  /** Removes the groups, whose processes have ended. */
  close(): void {
    for (const group of this.#groups.splice(0)) rmdirSync(group);
  }
}
