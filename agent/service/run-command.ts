/** Programs of the system that are started by the way. */
import { spawn } from 'node:child_process';
import { startOptions } from './as-service.ts';

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs to its end and keeps what it says. @throws what the system says where it cannot be started */
export function runCommand(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...startOptions(env), stdio: ['ignore', 'pipe', 'pipe'] });
    const said = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const)
      child[stream].setEncoding('utf8').on('data', (text: string) => (said[stream] += text));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, ...said }));
  });
}

/** Runs with this process' own input and output. @returns the exit code */
export function showCommand(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = startOptions(env);
    const child = spawn(command, args, { ...options, stdio: 'inherit' });
    // One in a session of its own is told nothing by the terminal.
    const signals = options.detached ? FROM_TERMINAL : [];
    const passOn = (signal: NodeJS.Signals): void => void child.kill(signal);
    for (const signal of signals) process.on(signal, passOn);
    child.once('error', reject);
    child.once('close', (code) => {
      for (const signal of signals) process.off(signal, passOn);
      resolve(code ?? 1);
    });
  });
}

const FROM_TERMINAL = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
