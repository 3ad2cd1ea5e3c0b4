/** The messages of a part to systemd, received by a stand-in for systemd's own program. */
import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const NOTIFY = pathToFileURL(path.join(import.meta.dirname, 'notify.ts')).href;
const READY = pathToFileURL(path.join(import.meta.dirname, '../ready.ts')).href;

let folder: string;
let part: ChildProcess | undefined;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'causeway-notify-'));
  const program = path.join(folder, 'systemd-notify');
  writeFileSync(program, `#!/bin/sh\necho "$*" >> ${folder}/told\n`);
  chmodSync(program, 0o755);
});
afterEach(() => {
  part?.kill('SIGKILL');
  part = undefined;
  rmSync(folder, { recursive: true, force: true });
});

function start(script: string, env: Record<string, string> = {}): ChildProcess {
  part = spawn(process.execPath, ['--import', NOTIFY, '--input-type=module', '--eval', script], {
    env: { PATH: `${folder}:${process.env['PATH'] ?? ''}`, ...env },
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  return part;
}
const told = (): string[] => {
  const file = path.join(folder, 'told');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
};
const END_AT_INPUT = `process.stdin.once('end', () => process.exit(0)).resume();`;
const TELL = `const { tellReady } = await import('${READY}'); tellReady();`;

test.runIf(process.platform === 'linux')(
  'a part notifies systemd of its readiness, and then of its progress',
  async () => {
    start(`${TELL} ${END_AT_INPUT}`, { WATCHDOG_USEC: '60000' });
    await vi.waitFor(() => expect(told().length).toBeGreaterThan(3), { timeout: 20_000 });
    expect(told().filter((state) => state === 'READY=1')).toHaveLength(1);
    expect(new Set(told())).toEqual(new Set(['READY=1', 'WATCHDOG=1']));
  },
);

test.runIf(process.platform === 'linux')('a hanging part sends no watchdog message', async () => {
  const waiting = start(`process.stdin.once('data', () => { for (;;); }); ${TELL}`, { WATCHDOG_USEC: '60000' });
  await vi.waitFor(() => expect(told()).toContain('WATCHDOG=1'), { timeout: 20_000 });
  waiting.stdin?.write('hang\n');
  let before = -1;
  await vi.waitFor(
    () => {
      const now = told().length;
      const isStill = now === before;
      before = now;
      expect(isStill).toBe(true);
    },
    { timeout: 20_000, interval: 500 },
  );
});

test.runIf(process.platform === 'linux')('a part that never becomes ready sends nothing', async () => {
  const child = start(END_AT_INPUT, { WATCHDOG_USEC: '60000' });
  child.stdin?.end();
  await new Promise((resolve) => child.once('exit', resolve));
  expect(told()).toEqual([]);
});
