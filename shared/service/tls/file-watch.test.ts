/** When files are checked, with real file system events and a clock that the test sets. */
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { TestFixture, waitFor } from '../../../test/support/process.ts';
import { FileWatch } from './file-watch.ts';

const fixture = new TestFixture();
afterAll(() => fixture.clear());

let folder: string;
let file: string;
let reads: number;
let nowMs: number;
let watching: FileWatch<string>;

beforeEach(() => {
  folder = fixture.folder('watched');
  file = path.join(folder, 'pair');
  reads = 0;
  nowMs = 1_000;
  writeFileSync(file, 'first');
  watching = watch(file);
});
afterEach(() => watching.stop());

function watch(at: string): FileWatch<string> {
  const read = (): string => {
    reads += 1;
    return readFileSync(at, 'utf8');
  };
  return new FileWatch({ paths: [at], first: 'first', read, told: () => undefined }, () => nowMs).listen();
}

function replace(text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

/** Checks until the system has reported every change so far. */
async function settle(): Promise<void> {
  do {
    await watching.check();
    await setImmediate();
  } while (watching.isDue);
}

describe('a look is due', () => {
  test('at first, and not again while the files stay the same', async () => {
    expect(watching.isDue).toBe(true);
    await settle();
    nowMs += 499;
    expect(watching.isDue).toBe(false);
  });

  test('as soon as the system has reported a change', async () => {
    await settle();
    replace('second');
    await waitFor('the change to be told', () => watching.isDue);
    expect(await watching.check()).toBe('second');
  });

  test('when a file is written in place, removed or restored', async () => {
    for (const change of [
      () => writeFileSync(file, 'second'),
      () => rmSync(file),
      () => writeFileSync(file, 'third'),
    ]) {
      await settle();
      change();
      await waitFor('the change to be told', () => watching.isDue);
    }
    expect(await watching.check()).toBe('third');
  });

  test('half a second after the last check, because some changes raise no event', async () => {
    const other = fixture.folder('elsewhere');
    writeFileSync(path.join(other, 'pair'), 'first');
    rmSync(file);
    symlinkSync(path.join(other, 'pair'), file);
    await settle();
    writeFileSync(path.join(other, 'pair'), 'second');
    await setImmediate();
    expect(watching.isDue).toBe(false);
    nowMs += 500;
    expect(watching.isDue).toBe(true);
    expect(await watching.check()).toBe('second');
  });

  test('always while the folder cannot be watched, until it can', async () => {
    rmSync(folder, { recursive: true });
    await waitFor('the end of the folder to be told', () => watching.isDue);
    await watching.check();
    expect(watching.isDue).toBe(true);
    mkdirSync(folder);
    writeFileSync(file, 'second');
    await settle();
    expect([watching.current, watching.isDue]).toEqual(['second', false]);
    watching.stop();
    expect(watching.isDue).toBe(true);
  });

  test('as soon as another folder takes its place, and then on changes in that one', async () => {
    await settle();
    const other = fixture.folder('other');
    writeFileSync(path.join(other, 'pair'), 'second');
    renameSync(folder, `${folder}.old`);
    renameSync(other, folder);
    await waitFor('the change to be told', () => watching.isDue);
    await settle();
    expect(watching.current).toBe('second');
    replace('third');
    await waitFor('the change to be told', () => watching.isDue);
    expect(await watching.check()).toBe('third');
  });
});

test('files that change while they are read are read again at the next check', async () => {
  await settle();
  const before = reads;
  let isWriting = true;
  const busy = new FileWatch(
    {
      paths: [file],
      first: 'first',
      read: () => {
        if (isWriting) replace(`${readFileSync(file, 'utf8')}+`);
        return readFileSync(file, 'utf8');
      },
      told: () => undefined,
    },
    () => nowMs,
  ).listen();
  expect(await busy.check()).toBe('first');
  expect(busy.isDue).toBe(true);
  isWriting = false;
  expect(await busy.check()).toBe('first+');
  busy.stop();
  expect(reads).toBe(before);
});

test('a change counts once it was stable for a whole period', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const period = async (): Promise<void> => {
      vi.advanceTimersByTime(1_000);
      while (vi.getTimerCount() === 0) await setImmediate();
    };
    watching.every(1_000);
    for (const part of ['a', 'ab', 'abc']) {
      replace(part);
      await period();
    }
    expect([reads, watching.current]).toEqual([0, 'first']);
    await period();
    expect([reads, watching.current]).toEqual([1, 'abc']);
    await period();
    expect(reads).toBe(1);
    watching.stop();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
