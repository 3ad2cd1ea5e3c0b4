/** Processor time of a process and of everything that it started, whichever process did the work (Linux). */
import { readdirSync, readFileSync } from 'node:fs';

/** What `/proc/PID/stat` counts in: a hundredth of a second wherever Linux runs Node. */
const TICK_MS = 10;

interface Stat {
  pid: number;
  parent: number;
  /** User and system time, with that of ended children that were waited for, in ticks. */
  ticks: number;
}

/** In ms, of this process' children; `own`: whether with this process itself. */
export const processorTimeMs = ({ own }: { own: boolean }): number => timeFrom(process.pid, own);

/** In ms, of another process with its children. */
export const processorTimeOf = (pid: number): number => timeFrom(pid, true);

function timeFrom(pid: number, own: boolean): number {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (statOf(name) ?? []) : []));
  const children = Map.groupBy(all, ({ parent }) => parent);
  const self = all.find((each) => each.pid === pid);
  const below = (parent: number): number =>
    (children.get(parent) ?? []).reduce((sum, child) => sum + child.ticks + below(child.pid), 0);
  return ((own ? (self?.ticks ?? 0) : 0) + below(pid)) * TICK_MS;
}

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
