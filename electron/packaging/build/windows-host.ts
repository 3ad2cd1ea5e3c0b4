/** Compiles the host of the Windows services with MinGW: on Windows, or cross-compiled on Linux. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { PackagingError, PROJECT } from './inputs.ts';

export const WINDOWS_COMPILER = 'x86_64-w64-mingw32-gcc';
const SOURCE = 'agent/operations/windows/host.c';
const FLAGS = ['-std=c11', '-Wall', '-Wextra', '-Werror', '-O2', '-s', '-static', '-municode'];

/** @throws PackagingError */
export function compileWindowsHost(file: string): void {
  const { status, stderr, error } = spawnSync(WINDOWS_COMPILER, [...FLAGS, '-o', file, join(PROJECT, SOURCE)], {
    encoding: 'utf8',
  });
  if (status !== 0)
    throw new PackagingError(
      `The host of the Windows services cannot be compiled (${error?.message ?? stderr.trim()}): install MinGW, so that ${WINDOWS_COMPILER} is found.`,
    );
}
