/** Programs of the system that are started by the way. */
import { spawn } from 'node:child_process';

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs to its end and keeps what it says. @throws what the system says where it cannot be started */
export function runCommand(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const said = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const)
      child[stream].setEncoding('utf8').on('data', (text: string) => (said[stream] += text));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, ...said }));
  });
}

/**
 * Runs with this process' own input and output.
 *
 * @param account whom it runs as: what it writes must not be another's; null: as whoever asks
 * @returns the exit code
 */
export function showCommand(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  account: { uid: number; gid: number } | null = null,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const identity = account === null ? {} : { uid: account.uid, gid: account.gid };
    const child = spawn(command, args, { env, stdio: 'inherit', ...identity });
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}
