/** The launcher as a process: its messages before it packs or opens anything. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

function launch(args: string[], env: Record<string, string>): { code: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, 'console.ts'), ...args], {
    env: { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...env },
    encoding: 'utf8',
    timeout: 30_000,
  });
  return { code: status, stdout, stderr };
}

describe('npm run console', () => {
  test('--help', () => {
    const { code, stdout } = launch(['--help'], {});
    expect(code).toBe(0);
    expect(stdout).toContain('CAUSEWAY_CONSOLE_URL');
  });

  test('a wrong variable: its sentence and code 2', () => {
    expect(launch([], { CAUSEWAY_CONSOLE_URL: 'http://console.firm.example', DISPLAY: ':0' })).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'CAUSEWAY_CONSOLE_URL must begin with https:// for another machine than this one, not "http://console.firm.example".\n',
    });
  });

  test('an unknown argument: code 2', () => {
    const { code, stderr } = launch(['--no-sandbox'], { DISPLAY: ':0' });
    expect(code).toBe(2);
    expect(stderr).toContain('--no-sandbox is not known here');
  });

  test.runIf(process.platform === 'linux')('no display: one sentence and code 1', () => {
    const { code, stdout, stderr } = launch([], { CAUSEWAY_CONSOLE_URL: 'http://127.0.0.1:4300' });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^There is no display .*\n$/);
  });
});
