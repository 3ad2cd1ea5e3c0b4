/** Child processes of the bootstrap. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import path from 'node:path';

const PASSED_ON = process.platform === 'win32' ? ['SIGINT', 'SIGBREAK'] : ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];
/** Ctrl-C reaches this process from the terminal and again through npm: both are one request. */
const SAME_WISH_MS = 500;
const POLL_NPM_MS = 250;

/** The folders of the search path. */
export function searchPath() {
  return (process.env.PATH ?? '').split(path.delimiter);
}

/** This process's environment with another search path. Windows writes the variable's name in its own way. */
export function withPath(change) {
  const name = Object.keys(process.env).find((key) => key.toUpperCase() === 'PATH') ?? 'PATH';
  return { ...process.env, [name]: change(searchPath()).join(path.delimiter) };
}

/**
 * Runs a command to its end without showing its output.
 *
 * @param {string} file
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, shell?: boolean }} [options]
 * @returns {Promise<{ code: number | null, output: string }>} `code` is null when it could not be started or was killed
 */
export function collect(file, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const take = (chunk) => {
      output = (output + chunk).slice(-200_000);
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    const dropped = passSignalsTo(child);
    child.on('error', (error) => {
      dropped();
      resolve({ code: null, output: `${output}${error.message}\n` });
    });
    child.on('close', (code) => {
      dropped();
      resolve({ code, output });
    });
  });
}

/**
 * Gives the terminal to a program and ends as it ends: with its exit code, or by its signal.
 * Signals to this process are forwarded, so that the program decides how to stop.
 *
 * @param {string} file
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number>} the exit code; never settles when the program ended by a signal
 */
export function handOver(file, args, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { env, stdio: 'inherit' });
    const dropped = passSignalsTo(child);
    const unwatched = endWhenNpmIsGone(child);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      dropped();
      unwatched();
      if (signal === null) resolve(code ?? 1);
      else if (process.platform === 'win32') resolve(128 + (constants.signals[signal] ?? 0));
      else process.kill(process.pid, signal);
    });
  });
}

/**
 * npm passes signals on (its scripts begin with `exec`, because the shell between would not), but it cannot pass on its
 * own death. So under npm the end of the parent is a request to stop.
 */
function endWhenNpmIsGone(child) {
  if (process.env.npm_lifecycle_event === undefined) return () => {};
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    child.kill('SIGTERM');
  }, POLL_NPM_MS);
  return () => clearInterval(watch);
}

function passSignalsTo(child) {
  const last = new Map();
  const handlers = PASSED_ON.map((signal) => [
    signal,
    () => {
      const now = Date.now();
      if (now - (last.get(signal) ?? 0) < SAME_WISH_MS) return;
      last.set(signal, now);
      child.kill(signal);
    },
  ]);
  for (const [signal, handler] of handlers) process.on(signal, handler);
  return () => {
    for (const [signal, handler] of handlers) process.off(signal, handler);
  };
}
