import { beforeEach, describe, expect, test } from 'vitest';
import type { ShellState } from '../ipc/channels.ts';
import { Connection, PATIENCE, type Problem } from './connection.ts';
import { HandSchedule, KeptLog } from '../../../test/support/desktop/main.ts';

const ADDRESS = new URL('http://127.0.0.1:4300/');
const OTHER = new URL('http://127.0.0.1:4301/');
const REFUSED: Problem = { kind: 'unreachable', reason: 'ERR_CONNECTION_REFUSED' };

/** The pages and states that the window showed, in order. */
let shown: (URL | ShellState)[];
let time: HandSchedule;
let log: KeptLog;
/** Probes that wait for their answer. */
let asked: { address: URL; answer: (problem: Problem | null) => Promise<void> }[];
let connection: Connection;

beforeEach(() => {
  shown = [];
  asked = [];
  time = new HandSchedule();
  log = new KeptLog();
  const view = {
    showConsole: (address: URL) => void shown.push(address),
    showStatus: (state: ShellState) => void shown.push(state),
  };
  const probe = (address: URL): Promise<Problem | null> =>
    new Promise((resolve) => {
      const answer = async (problem: Problem | null): Promise<void> => {
        resolve(problem);
        await Promise.resolve();
        await Promise.resolve();
      };
      asked.push({ address, answer });
    });
  connection = new Connection(view, probe, time.schedule, log);
});

async function answer(problem: Problem | null): Promise<void> {
  const question = asked.shift();
  if (question === undefined) throw new Error('nothing was asked');
  await question.answer(problem);
}

async function showConsole(): Promise<void> {
  connection.open(ADDRESS);
  await answer(null);
  connection.loaded();
}

describe('the console answers', () => {
  test('it is shown without a status page before it, and logged once', async () => {
    await showConsole();
    expect(shown).toEqual([ADDRESS]);
    expect(log.lines).toEqual([{ msg: 'window shown', url: ADDRESS.href }]);
    expect(time.waiting).toBe(0);
  });

  test('a console that has just reported that it listens is not probed first', () => {
    connection.open(ADDRESS, true);
    expect([shown, asked.length]).toEqual([[ADDRESS], 0]);
    connection.failed(REFUSED);
    expect(shown[1]).toMatchObject({ kind: 'unreachable' });
  });

  test('a slow answer is bridged by a status page', async () => {
    connection.open(ADDRESS);
    time.pass(PATIENCE.noticeMs);
    expect(shown).toEqual([{ kind: 'connecting', address: ADDRESS.href }]);
    await answer(null);
    expect(shown.at(-1)).toBe(ADDRESS);
  });

  test('one with an incompatible version is not shown, the page says which side is older, and it is shown once it fits', async () => {
    const misfit: Problem = { kind: 'other-version', reason: '1.0.0 / 2.0.0', older: 'program' };
    connection.open(ADDRESS);
    await answer(misfit);
    const { firstRetryMs: retryInMs } = PATIENCE;
    expect(shown).toEqual([{ ...misfit, address: ADDRESS.href, retryInMs }]);
    time.pass(retryInMs);
    await answer(null);
    connection.loaded();
    // Replaced under the page: reported by the next page load.
    connection.failed({ ...misfit, older: 'console' });
    expect(shown.slice(1)).toEqual([ADDRESS, { ...misfit, older: 'console', address: ADDRESS.href, retryInMs }]);
  });

  test('the same address again does not touch the page; another one is shown', async () => {
    await showConsole();
    connection.open(new URL(ADDRESS));
    expect(asked).toHaveLength(0);
    connection.open(OTHER);
    await answer(null);
    expect(shown).toEqual([ADDRESS, OTHER]);
  });
});

describe('the console does not answer', () => {
  test('the page says why; it is probed again with growing pauses and shown when it answers', async () => {
    connection.open(ADDRESS);
    const pauses = [1_000, 2_000, 4_000, 8_000, 10_000, 10_000];
    for (const retryInMs of pauses) {
      await answer(REFUSED);
      expect(shown.at(-1)).toEqual({
        kind: 'unreachable',
        address: ADDRESS.href,
        reason: 'ERR_CONNECTION_REFUSED',
        retryInMs,
      });
      time.pass(retryInMs - 1);
      expect(asked).toHaveLength(0);
      time.pass(1);
    }
    await answer(null);
    connection.loaded();
    expect(connection.isShown).toBe(true);
  });

  test('a person can retry at once', async () => {
    connection.open(ADDRESS);
    await answer(REFUSED);
    connection.retryNow();
    expect(asked).toHaveLength(1);
    // Only once, however often the button is pressed.
    connection.retryNow();
    expect(asked).toHaveLength(1);
    await answer(null);
    connection.loaded();
    expect(time.waiting).toBe(0);
  });

  test('an answer from something other than a console is distinguished', async () => {
    connection.open(ADDRESS);
    await answer({ kind: 'refused', reason: 'HTTP 503' });
    expect(shown.at(-1)).toMatchObject({ kind: 'refused', reason: 'HTTP 503' });
  });

  test('a page that never finishes loading is abandoned', async () => {
    connection.open(ADDRESS);
    await answer(null);
    time.pass(PATIENCE.loadMs);
    expect(shown.at(-1)).toMatchObject({ kind: 'unreachable', reason: 'ERR_TIMED_OUT' });
  });
});

describe('the console was shown and is lost', () => {
  test('a crashed page is opened again', async () => {
    await showConsole();
    connection.failed({ kind: 'crashed', reason: 'oom' });
    expect(shown.at(-1)).toEqual({ kind: 'crashed', reason: 'oom', retryInMs: PATIENCE.firstRetryMs });
    time.pass(PATIENCE.firstRetryMs);
    await answer(null);
    connection.loaded();
    expect(connection.isShown).toBe(true);
  });

  test('a late report of the status page does not count twice', async () => {
    connection.open(ADDRESS);
    await answer(REFUSED);
    const before = shown.length;
    connection.failed(REFUSED);
    connection.loaded();
    expect(shown).toHaveLength(before);
  });
});

describe('the address is withdrawn (local mode)', () => {
  const ended: ShellState = { kind: 'service-ended', reason: 'exit code 1', words: '', retryInMs: 500 };

  test('a visible console stays on the screen, with its unsaved work', async () => {
    await showConsole();
    connection.withdraw(ended);
    expect(shown).toEqual([ADDRESS]);
  });

  test('a short start shows no page', async () => {
    connection.withdraw({ kind: 'starting' });
    time.pass(PATIENCE.noticeMs - 1);
    connection.open(ADDRESS);
    await answer(null);
    time.pass(PATIENCE.noticeMs);
    expect(shown).toEqual([ADDRESS]);
  });

  test('an end is reported at once, and a late answer of the old address changes nothing', async () => {
    connection.open(ADDRESS);
    connection.withdraw(ended);
    expect(shown).toEqual([ended]);
    await answer(null);
    expect(shown).toEqual([ended]);
    expect(connection.address).toBeNull();
  });
});

test('after the end nothing is retried', async () => {
  connection.open(ADDRESS);
  await answer(REFUSED);
  connection.close();
  expect(time.waiting).toBe(0);
  connection.open(ADDRESS);
  expect(asked).toHaveLength(0);
});

test('the end: the page in the window closes, and nothing is retried', async () => {
  await showConsole();
  connection.end({ kind: 'altered', words: 'node/node (changed)' });
  connection.open(OTHER);
  connection.retryNow();
  connection.failed(REFUSED);
  connection.withdraw({ kind: 'starting' });
  time.pass(60_000);
  expect(shown.slice(1)).toEqual([{ kind: 'altered', words: 'node/node (changed)' }]);
  expect([asked.length, time.waiting, connection.address]).toEqual([0, 0, null]);
});
