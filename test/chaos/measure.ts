/** Memory and open descriptors of the running processes, and whether they grow. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { growthOf, isMemoryJudged, type Sample } from './growth.ts';
import { now } from './recorder.ts';

/** A descriptor may be closed while it is looked at. */
function isSocket(descriptor: string): boolean {
  try {
    return readlinkSync(descriptor).startsWith('socket:');
  } catch {
    return false;
  }
}

export class Measurements {
  readonly #samples = new Map<string, Sample[]>();

  /** @param name names the process among all that ran */
  take(name: string, pid: number): void {
    try {
      const memoryMb = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
      const descriptors = readdirSync(`/proc/${pid}/fd`);
      const sockets = descriptors.filter((each) => isSocket(`/proc/${pid}/fd/${each}`)).length;
      const key = `${name} (${pid})`;
      const sample = { atMs: now(), memoryMb, files: descriptors.length - sockets, sockets };
      this.#samples.set(key, [...(this.#samples.get(key) ?? []), sample]);
    } catch {
      // The process has ended meanwhile.
    }
  }

  /** The largest values by part, in MB and open descriptors. */
  peaks(): string[] {
    const peaks = new Map<string, { memoryMb: number; open: number }>();
    for (const [key, samples] of this.#samples) {
      const name = key.replace(/(?: of tenant)? ?\d* \(\d+\)$/, '');
      const before = peaks.get(name) ?? { memoryMb: 0, open: 0 };
      peaks.set(name, {
        memoryMb: Math.max(before.memoryMb, ...samples.map(({ memoryMb }) => memoryMb)),
        open: Math.max(before.open, ...samples.map(({ files, sockets }) => files + sockets)),
      });
    }
    return [...peaks].map(([name, { memoryMb, open }]) => `${name}: ${memoryMb.toFixed(0)} MB, ${open} files`);
  }

  /** The processes whose memory was judged: they ran long enough. */
  judged(): number {
    return [...this.#samples.values()].filter(isMemoryJudged).length;
  }

  breaches(): string[] {
    return [...this.#samples].flatMap(([name, samples]) =>
      growthOf(samples, name.startsWith('cloud')).map((growth) => `${name} ${growth}`),
    );
  }
}
