/**
 * Finds processes that a suite has left behind. Every process of a suite inherits a mark in its environment; one that
 * still runs after the suite has ended is a leftover. Linux only, where the environment of a process can be read;
 * elsewhere none is found.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { isAlive, RUN_MARK, waitFor, WaitError } from './process.ts';

export interface Leftover {
  pid: number;
  command: string;
}

/** The processes with this mark, except this one. */
export function processesMarked(mark: string): Leftover[] {
  if (process.platform !== 'linux') return [];
  const wanted = `${RUN_MARK}=${mark}`;
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      try {
        if (!readFileSync(`/proc/${name}/environ`, 'utf8').split('\0').includes(wanted) || !isAlive(Number(name)))
          return [];
        return [
          { pid: Number(name), command: readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() },
        ];
      } catch {
        // The process has ended meanwhile, or belongs to another user.
        return [];
      }
    });
}

/** Gives leftovers some time to end, then kills them. Returns those that were killed. */
export async function endLeftovers(mark: string, graceMs = 5_000): Promise<Leftover[]> {
  try {
    await waitFor('the last processes', () => processesMarked(mark).length === 0, graceMs, 100);
    return [];
  } catch (error) {
    if (!(error instanceof WaitError)) throw error;
    const left = processesMarked(mark);
    for (const { pid } of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // Ended between the check and the kill.
      }
    }
    return left;
  }
}
