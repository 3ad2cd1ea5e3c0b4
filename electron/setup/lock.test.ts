/** The lock between real processes. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withLock } from './lock.js';

let folder: string;
let lock: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-lock-'));
  lock = join(folder, 'one', 'work.lock');
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Runs `body` in its own process, with `withLock`, `lock` and `fs` in scope. */
function inProcess(body: string): {
  child: ChildProcess;
  said: (text: string) => Promise<void>;
  ended: Promise<number | null>;
} {
  const script = join(folder, `${children.length}.mjs`);
  const url = pathToFileURL(join(import.meta.dirname, 'lock.js')).href;
  writeFileSync(
    script,
    `import { withLock } from ${JSON.stringify(url)}; import fs from 'node:fs'; const lock = ${JSON.stringify(lock)};\n${body}`,
  );
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  let text = '';
  const said = (wanted: string): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (text.includes(wanted)) resolve();
      };
      child.stdout?.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        look();
      });
      look();
    });
  return { child, said, ended: new Promise((resolve) => child.once('exit', resolve)) };
}

test('many processes at once run one after the other', async () => {
  const count = join(folder, 'count');
  writeFileSync(count, '0');
  const body = `
    const count = ${JSON.stringify(count)};
    for (let i = 0; i < 5; i += 1) {
      await withLock(lock, () => undefined, async () => {
        const seen = Number(fs.readFileSync(count, 'utf8'));
        await new Promise((resolve) => setImmediate(resolve));
        fs.writeFileSync(count, String(seen + 1));
      });
    }`;
  const codes = await Promise.all([0, 1, 2, 3].map(() => inProcess(body).ended));
  expect(codes).toEqual([0, 0, 0, 0]);
  expect(readFileSync(count, 'utf8')).toBe('20');
});

test('a killed holder leaves no lock that blocks others', async () => {
  const holder = inProcess(
    `await withLock(lock, () => undefined, () => { console.log('held'); return new Promise(() => setInterval(() => 0, 1_000)); });`,
  );
  await holder.said('held');
  holder.child.kill('SIGKILL');
  await holder.ended;
  await expect(
    withLock(
      lock,
      () => undefined,
      async () => 'mine',
    ),
  ).resolves.toBe('mine');
});

test('a lock that is no longer touched is taken over, even if its process id is in use', async () => {
  await withLock(
    lock,
    () => undefined,
    async () => undefined,
  );
  writeFileSync(lock, String(process.pid));
  const longAgo = new Date(Date.now() - 3_600_000);
  utimesSync(lock, longAgo, longAgo);
  await expect(
    withLock(
      lock,
      () => undefined,
      async () => 'mine',
    ),
  ).resolves.toBe('mine');
});

test('a failure of the work releases the lock and is passed on', async () => {
  const fail = async (): Promise<never> => {
    throw new Error('no');
  };
  await expect(withLock(lock, () => undefined, fail)).rejects.toThrow('no');
  await expect(
    withLock(
      lock,
      () => undefined,
      async () => 'free',
    ),
  ).resolves.toBe('free');
});

test('a waiting process is notified once', async () => {
  const holder = inProcess(
    `await withLock(lock, () => undefined, () => { console.log('held'); return new Promise((resolve) => process.once('SIGTERM', resolve)); });`,
  );
  await holder.said('held');
  let told = 0;
  const work = withLock(
    lock,
    () => {
      told += 1;
      holder.child.kill('SIGTERM');
    },
    async () => 'after',
  );
  await expect(work).resolves.toBe('after');
  expect(told).toBe(1);
});
