/** A display for windows on a machine without one: Xvfb on a free number, ended by its process id. */
import { spawn } from 'node:child_process';

export interface Display {
  /** For the variable DISPLAY, such as `:99`. */
  name: string;
  end(): Promise<void>;
}

/** There is no display, and none can be started. */
export class NoDisplayError extends Error {
  constructor(why: string) {
    super(
      `There is no display (DISPLAY is not set), and Xvfb does not start: ${why}. Install it: apt-get install xvfb`,
    );
    this.name = 'NoDisplayError';
  }
}

const START_MS = 20_000;

/** Whether windows can be opened now. */
export function hasDisplay(): boolean {
  if (process.platform !== 'linux') return true;
  return Boolean(process.env['DISPLAY']) || Boolean(process.env['WAYLAND_DISPLAY']);
}

/** Starts Xvfb. It chooses a free number and writes it to the given file descriptor. */
export async function startDisplay(): Promise<Display> {
  const child = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1600x1000x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const number = await new Promise<string>((resolve, reject) => {
    let told = '';
    const timer = setTimeout(() => reject(new NoDisplayError(`it said nothing for ${START_MS} ms`)), START_MS);
    child.once('error', (error) => reject(new NoDisplayError(error.message)));
    child.once('close', (code) => reject(new NoDisplayError(`exit code ${code}, ${errors.trim()}`)));
    child.stdio[3]?.on('data', (chunk: Buffer) => {
      told += chunk.toString();
      if (!told.includes('\n')) return;
      clearTimeout(timer);
      resolve(told.trim());
    });
  }).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  return {
    name: `:${number}`,
    end: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
