/** A long command as a process: lines while it runs, a stop between two steps and in the middle of one. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { TestFixture } from '../../../test/support/process.ts';
import { heapMb } from './supervise.ts';

const fixture = new TestFixture();
afterAll(() => fixture.clear());

const start = (...args: string[]) =>
  fixture.start('test/support/shared/long-work.ts', { args, env: { CAUSEWAY_PROGRESS_SECONDS: '1' } });

test('says how far it is', async () => {
  const part = start('steps');
  await part.output(/^Stage 1 of 2: [\d,]+ of 1,000,000 steps to do\. Ctrl-C stops it\.\n/);
  expect(part.stdout).toBe('');
  await part.stop();
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('stops between two steps at %s, with a sentence', async (signal, code) => {
  const part = start('steps');
  await part.output('Stage 1 of 2');
  expect(await part.stop(signal)).toEqual({ code, signal: null });
  expect(part.stderr).toMatch(
    /\nStopping after the present step; a second signal ends it at once\.\nStopped at [\d,]+ of 1,000,000 steps to do\. Run it again\.\n$/,
  );
});

test('a second signal ends it in the middle of a step, and what it had begun is removed', async () => {
  const half = path.join(fixture.folder('long'), 'half');
  const part = start('stuck', half);
  await part.output('Stage 2 of 2: 0 of 1,000,000 rows to count');
  expect(existsSync(half)).toBe(true);
  part.child.kill('SIGINT');
  // One more within half a second is the same wish: sent until it counts as another.
  const again = setInterval(() => part.child.kill('SIGTERM'), 100);
  const exit = await part.ended();
  clearInterval(again);
  expect(exit).toEqual({ code: null, signal: 'SIGINT' });
  expect(part.stderr).toContain('Stopped at 0 of 1,000,000 rows to count. Run it again.');
  expect(part.stderr.match(/Stopping after the present step/g)).toHaveLength(1);
  expect(existsSync(half)).toBe(false);
});

test('one signal ends it there too, after some seconds', async () => {
  const part = start('stuck', path.join(fixture.folder('long'), 'half'));
  await part.output('Stage 2 of 2: 0 of 1,000,000 rows to count');
  expect(await part.stop('SIGTERM', 30_000)).toEqual({ code: null, signal: 'SIGTERM' });
});

test('the exit code of the command is that of the program', async () => {
  const part = start('short', '7');
  expect(await part.ended()).toEqual({ code: 7, signal: null });
  expect(part.stdout).toBe('done\n');
});

test('the thread may take three quarters of what the unit, or the machine, has', () => {
  const gb = 1_024 ** 3;
  expect(heapMb(2 * gb, 16 * gb)).toBe(1_536);
  expect(heapMb(2 ** 64, 16 * gb)).toBe(12_288);
  expect(heapMb(0, 4 * gb)).toBe(3_072);
});
