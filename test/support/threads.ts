/** What the threads of a process wait for. A loop without work waits for `epoll`, one thread for another in a futex. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A line for each thread: its name, the function of the kernel that it waits in, and its state. Linux only; else empty. */
export function threadsOf(pid: number): string {
  const folder = `/proc/${pid}/task`;
  return foldersIn(folder)
    .map((id) => {
      const name = read(path.join(folder, id, 'comm'));
      const state = /^State:\s+(.*)$/m.exec(read(path.join(folder, id, 'status')))?.[1] ?? 'gone';
      return `${id} ${name}: ${read(path.join(folder, id, 'wchan'))}, ${state}`;
    })
    .join('\n');
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Empty where the thread has ended meanwhile. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}
