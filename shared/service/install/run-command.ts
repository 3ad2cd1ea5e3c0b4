/** Runs programs of the system. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { systemProgram } from '../windows-rights.ts';
import { startOptions } from './as-service.ts';

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** On Windows a system program is started by its whole path: the bare name would start one in the present folder. */
const placed = (command: string, env: NodeJS.ProcessEnv): string =>
  process.platform === 'win32' && /^[a-z]+\.exe$/.test(command) ? systemProgram(command, env) : command;

/** Runs a program to its end and returns its output. @throws the system's error where it cannot be started */
export function runCommand(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(placed(command, env), args, { ...startOptions(env), stdio: ['ignore', 'pipe', 'pipe'] });
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
    const child = spawn(placed(command, env), args, { ...options, stdio: 'inherit' });
    // A program in a session of its own gets no signals from the terminal. Another one has got Ctrl-C itself, and says
    // how it stops while this process waits.
    const taken: readonly NodeJS.Signals[] = options.detached ? FROM_TERMINAL : ['SIGINT'];
    const forward = (signal: NodeJS.Signals): void => void (options.detached && child.kill(signal));
    for (const signal of taken) process.on(signal, forward);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      for (const each of taken) process.off(each, forward);
      resolve(code ?? (signal === null ? 1 : 128 + constants.signals[signal]));
    });
  });
}

const FROM_TERMINAL = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
