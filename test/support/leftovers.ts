/**
 * Finds processes that a suite has left behind. Every process that a suite starts inherits a mark in
 * its environment; a process that still has it after the suite has ended should not be there. Linux only,
 * where the environment of a process can be read; elsewhere nothing is found.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { isAlive, RUN_MARK, waitFor, WaitError } from './process.ts';

export interface Leftover {
  pid: number;
  command: string;
}

/** The processes with this mark, without this one. */
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

/** Gives what is left some time to end, then ends it by force. Returns what had to be ended. */
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
        // Ended between the look and the kill.
      }
    }
    return left;
  }
}
