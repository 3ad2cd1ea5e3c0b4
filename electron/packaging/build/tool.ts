/** Runs a build tool of node_modules on this Node; its output is shown only on failure. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { PackagingError, PROJECT } from './inputs.ts';

const LAST_WORDS = 4_000;

/** @param script the tool's script, from node_modules. @throws PackagingError with the tool's last lines */
export async function runTool(
  name: string,
  script: string,
  args: string[],
  env: Record<string, string>,
  signal?: AbortSignal,
): Promise<void> {
  const child = spawn(process.execPath, [join(PROJECT, 'node_modules', script), ...args], {
    cwd: PROJECT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(signal === undefined ? {} : { signal }),
  });
  let words = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      words = (words + text).slice(-LAST_WORDS);
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new PackagingError(`${name} failed (${code ?? 'stopped'}):\n${words.trim()}`);
}
