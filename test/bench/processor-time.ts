/** Processor time of this process and of everything that it started, whichever process did the work (Linux). */
import { readdirSync, readFileSync } from 'node:fs';

/** What `/proc/PID/stat` counts in: a hundredth of a second wherever Linux runs Node. */
const TICK_MS = 10;

interface Stat {
  pid: number;
  parent: number;
  /** User and system time, with that of ended children that were waited for, in ticks. */
  ticks: number;
}

/** In ms; `own`: whether with this process itself. */
export function processorTimeMs({ own }: { own: boolean }): number {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (statOf(name) ?? []) : []));
  const children = Map.groupBy(all, ({ parent }) => parent);
  const self = all.find(({ pid }) => pid === process.pid);
  const below = (pid: number): number =>
    (children.get(pid) ?? []).reduce((sum, child) => sum + child.ticks + below(child.pid), 0);
  return ((own ? (self?.ticks ?? 0) : 0) + below(process.pid)) * TICK_MS;
}

/** Of one process alone, in ms. */
export const processorTimeOf = (pid: number): number => (statOf(String(pid))?.ticks ?? 0) * TICK_MS;

function statOf(pid: string): Stat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may hold spaces and brackets.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0);
    return { pid: Number(pid), parent: Number(fields[1]), ticks };
  } catch {
    // It ended meanwhile.
    return null;
  }
}
