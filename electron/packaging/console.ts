/**
 * `npm run console`: opens the tenant console in its packed program, with the given environment (D42). Packs the
 * program first if needed.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { programHelp, readConfiguration } from '../main/settings/configuration.ts';
import { ConfigurationError } from '../../shared/service/variables.ts';
import { displayHindrance, sandboxArguments, sandboxHindrance } from './display.ts';
import { ensurePackaged } from './package.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

class CannotOpenError extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'CannotOpenError';
  }
}

async function main(args: string[]): Promise<number> {
  if (args.includes('--help')) {
    process.stdout.write(programHelp('npm run console'));
    return 0;
  }
  if (args.length > 0)
    throw new ConfigurationError([`${args[0]} is not known here: the console is configured by variables, see --help.`]);
  readConfiguration(process.env);
  refuse(displayHindrance(process.env));
  const stop = new AbortController();
  const asked = forwardedSignals((signal) => stop.abort(signal));
  const executable = await packaged(stop.signal);
  if (executable === null) return 0;
  asked.remove();
  refuse(sandboxHindrance(executable));
  const { args: sandbox, notice } = sandboxArguments(process.getuid?.() === 0);
  if (notice !== null) say(notice);
  return run(executable, sandbox);
}

function refuse(hindrance: string | null): void {
  if (hindrance !== null) throw new CannotOpenError(hindrance);
}

/** Null when it was stopped during packaging. */
async function packaged(signal: AbortSignal): Promise<string | null> {
  try {
    const { executable } = await ensurePackaged({ log: say, signal });
    return signal.aborted ? null : executable;
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

/** Runs the program until it ends; the end of this process also ends the program. */
function run(executable: string, args: string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(executable, args, { stdio: ['ignore', 'inherit', 'inherit'] });
    const signals = forwardedSignals((signal) => child.kill(signal));
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      signals.remove();
      resolve(signal === null ? (code ?? 1) : 128 + constants.signals[signal]);
    });
  });
}

function forwardedSignals(act: (signal: NodeJS.Signals) => void): { remove(): void } {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const handlers = signals.map((signal) => [signal, () => act(signal)] as const);
  for (const [signal, handler] of handlers) process.on(signal, handler);
  return {
    remove: () => {
      for (const [signal, handler] of handlers) process.off(signal, handler);
    },
  };
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = error instanceof ConfigurationError ? 2 : 1;
  },
);
