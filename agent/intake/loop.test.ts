import { describe, expect, test } from 'vitest';
import { runLoop, type LoopParts } from './loop.ts';
import type { Next } from './receive/waits.ts';
import { readableLog, type LogLine } from '../../test/support/agent/intake.ts';

const AT_ONCE: Next = { when: 'AT_ONCE' };
const period = (notBeforeMs = 0): Next => ({ when: 'PERIOD', notBeforeMs });

/** Runs the loop on a script of pulls, ends it after the last, and returns the events in order. */
async function play(
  script: readonly (Next | Error)[],
  parts: Partial<LoopParts> = {},
): Promise<{ events: string[]; lines: LogLine[] }> {
  const events: string[] = [];
  const ending = new AbortController();
  const { log, lines } = readableLog();
  const left = [...script];
  await runLoop(
    {
      receive: async () => {
        const next = left.shift();
        events.push('pull');
        if (next === undefined) throw new Error('the script is over');
        if (next instanceof Error) throw next;
        return next;
      },
      apply: () => false,
      isBatchFull: () => true,
      leaveMs: () => 0,
      rest: () => undefined,
      random: () => 0.5,
      wait: async (ms) => {
        events.push(`wait ${Math.round(ms)}`);
        if (left.length === 0) ending.abort();
      },
      file: 'ledger.sqlite',
      periodMs: 60_000,
      log,
      ...parts,
    },
    ending.signal,
  );
  return { events, lines };
}

describe('when the next pull comes', () => {
  test('a backlog drains without waiting, then periods follow', async () => {
    const { events } = await play([AT_ONCE, AT_ONCE, AT_ONCE, period(), period()]);
    expect(events).toEqual(['pull', 'pull', 'pull', 'pull', 'wait 60000', 'pull', 'wait 60000']);
  });
  test.each([
    [0, 'wait 54000'],
    [0.999_999, 'wait 66000'],
  ])('the period has a tenth of play (%d)', async (random, wait) => {
    expect((await play([period()], { random: () => random })).events).toEqual(['pull', wait]);
  });
  test('the wait that the upstream asks for prolongs the period and never shortens it', async () => {
    expect((await play([period(300_000), period(1_000)])).events).toEqual([
      'pull',
      'wait 315000',
      'pull',
      'wait 60000',
    ]);
  });
  test('a pull that fails on the ledger is reported clearly and tried again after the period', async () => {
    const full = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    const { events, lines } = await play([full, period()]);
    expect(events).toEqual(['pull', 'wait 60000', 'pull', 'wait 60000']);
    expect(lines).toMatchObject([{ level: 50, err: { message: expect.stringContaining('free space') as string } }]);
  });
});

describe('waiting for news', () => {
  test('the next pull follows at once, and after a break as the rule says', async () => {
    const { events } = await play([
      { when: 'WAITING' },
      { when: 'SOON', ms: 1_500 },
      { when: 'WAITING' },
      period(),
      period(),
    ]);
    expect(events.filter((event) => event !== 'wait 5000')).toEqual([
      ...['pull', 'pull', 'wait 1500', 'pull', 'pull', 'wait 60000', 'pull', 'wait 60000'],
    ]);
  });

  test('a pull that waits leaves when what has come is applied, or after a moment', async () => {
    let left = 2;
    const { events } = await play([{ when: 'WAITING' }, period()], {
      apply: () => (left -= 1) >= 0,
      isApplied: () => left <= 0,
    });
    const told = (all: string[]): string[] => all.filter((event) => event !== 'wait 5000').slice(0, 3);
    expect(told(events)).toEqual(['pull', 'wait 250', 'pull']);
    const stuck = await play([{ when: 'WAITING' }, period()], { isApplied: () => false });
    expect(told(stuck.events)).toEqual(['pull', 'wait 250', 'pull']);
  });

  test('what has come is applied at once, without waiting for more, and the rest comes when the pull has waited for a while', async () => {
    const events: string[] = [];
    const ending = new AbortController();
    let batches = 0;
    let pulls = 0;
    const rests: (() => void)[] = [];
    const running = runLoop(
      {
        receive: (signal) => {
          pulls += 1;
          batches = 1;
          if (pulls < 3) return Promise.resolve({ when: 'WAITING' });
          return new Promise((resolve) => signal.addEventListener('abort', () => resolve(period())));
        },
        apply: () => {
          if (batches === 0) return false;
          batches -= 1;
          events.push('apply');
          return true;
        },
        isBatchFull: () => false,
        leaveMs: () => 0,
        rest: () => {
          events.push('rest');
          ending.abort();
        },
        random: () => 0.5,
        wait: (ms, signal) =>
          new Promise((resolve) => {
            expect(ms).toBe(5_000);
            rests.push(resolve);
            signal.addEventListener('abort', () => resolve());
          }),
        file: 'x',
        periodMs: 60_000,
        log: readableLog().log,
      },
      ending.signal,
    );
    await expect.poll(() => pulls === 3 && batches === 0).toBe(true);
    expect(events).not.toContain('rest');
    for (const rest of rests) rest();
    await running;
    expect(events.at(-1)).toBe('rest');
  });
});

describe('applying beside it', () => {
  test('continues during a pull, until nothing is left', async () => {
    let answer: (next: Next) => void = () => undefined;
    const ending = new AbortController();
    const batches = [true, true, true, false];
    let pulls = 0;
    const running = runLoop(
      {
        receive: () => {
          pulls++;
          return pulls === 1 ? Promise.resolve(AT_ONCE) : new Promise((resolve) => (answer = resolve));
        },
        apply: () => batches.shift() ?? false,
        isBatchFull: () => true,
        leaveMs: () => 0,
        rest: () => undefined,
        random: () => 0,
        wait: async () => ending.abort(),
        file: 'x',
        periodMs: 1,
        log: readableLog().log,
      },
      ending.signal,
    );
    await expect.poll(() => batches).toEqual([]);
    expect(pulls).toBe(2);
    answer(period());
    await running;
  });
  test('bundles of an earlier run are applied before any answer comes', async () => {
    const ending = new AbortController();
    let applied = 0;
    const running = runLoop(
      {
        receive: (signal) =>
          new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('ended')))),
        apply: () => ++applied <= 2,
        isBatchFull: () => true,
        leaveMs: () => 0,
        rest: () => undefined,
        random: () => 0,
        wait: async () => undefined,
        file: 'x',
        periodMs: 1,
        log: readableLog().log,
      },
      ending.signal,
    );
    await expect.poll(() => applied).toBe(3);
    ending.abort();
    await running;
  });
  test('a batch that fails is reported and tried again after the next pull', async () => {
    let calls = 0;
    const { lines } = await play([period(), period(), period()], {
      apply: () => {
        calls++;
        if (calls === 1) throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' });
        return false;
      },
    });
    expect(calls).toBeGreaterThan(1);
    expect(lines).toMatchObject([
      {
        level: 50,
        msg: expect.stringContaining('applying failed') as string,
        err: { message: expect.stringContaining('locked') as string },
      },
    ]);
  });
});

/** Runs a backlog of bundles that each fill a quarter of a batch; returns the bundles of each batch. */
async function gather(answers: readonly (Next | 'LATE')[], patience: () => Promise<void>): Promise<number[]> {
  const batches: number[] = [];
  const ending = new AbortController();
  const left = [...answers];
  let waiting = 0;
  await runLoop(
    {
      receive: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        const next = left.shift();
        // No further bundle comes: waiting bundles are applied nevertheless.
        if (next === 'LATE') await expect.poll(() => waiting).toBe(0);
        if (next === undefined || next === 'LATE') return period();
        waiting += 1;
        return next;
      },
      apply: () => {
        if (waiting === 0) return false;
        batches.push(waiting);
        waiting = 0;
        return true;
      },
      isBatchFull: () => waiting >= 4,
      leaveMs: () => 0,
      rest: () => undefined,
      random: () => 0,
      wait: async (ms) => {
        if (ms < 1_000) return patience();
        await expect.poll(() => waiting).toBe(0);
        ending.abort();
      },
      file: 'x',
      periodMs: 60_000,
      log: readableLog().log,
    },
    ending.signal,
  );
  return batches;
}

describe('a backlog is gathered into full batches', () => {
  const never = (): Promise<void> => new Promise(() => undefined);
  test('the rest of a backlog is applied when its last bundle has come', async () => {
    expect(await gather([...Array.from({ length: 6 }, () => AT_ONCE), period()], never)).toEqual([4, 3]);
  });
  test('a bundle that is not full is applied at once', async () => {
    expect(await gather([period()], never)).toEqual([1]);
  });
  test('an answer that does not come holds up nothing for longer than a moment', async () => {
    expect(await gather([AT_ONCE, AT_ONCE, 'LATE'], async () => undefined)).not.toEqual([]);
  });
});

test('the write lock stays free between two batches while another writer may wait for it', async () => {
  const events: string[] = [];
  const ending = new AbortController();
  const batches = [true, true, false];
  await runLoop(
    {
      receive: async () => period(),
      apply: () => {
        events.push('batch');
        return batches.shift() ?? false;
      },
      isBatchFull: () => true,
      leaveMs: () => 16,
      rest: () => ending.abort(),
      random: () => 0,
      wait: async (ms) => {
        if (ms === 16) events.push('left alone');
      },
      file: 'x',
      periodMs: 1,
      log: readableLog().log,
    },
    ending.signal,
  );
  expect(events).toEqual(['batch', 'left alone', 'batch', 'left alone', 'batch']);
});

test('it rests when all is applied and a period begins: after the start, then only after work, and never in a drain', async () => {
  const events: string[] = [];
  const ending = new AbortController();
  const script: [next: Next, bundles: number][] = [
    [AT_ONCE, 1],
    [AT_ONCE, 1],
    [period(), 1],
    [period(), 0],
    [period(), 2],
  ];
  let waiting = 0;
  await runLoop(
    {
      receive: async () => {
        const [next, bundles] = script.shift() ?? [period(), 0];
        waiting += bundles;
        return next;
      },
      apply: () => {
        if (waiting === 0) return false;
        waiting -= 1;
        events.push('applied');
        return true;
      },
      isBatchFull: () => true,
      leaveMs: () => 0,
      rest: () => events.push('rest'),
      wait: async () => {
        // Enough turns to apply the received bundles.
        for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        events.push('period');
        if (script.length === 0) ending.abort();
      },
      random: () => 0,
      file: 'x',
      periodMs: 1,
      log: readableLog().log,
    },
    ending.signal,
  );
  expect(events).toEqual([
    ...['applied', 'applied', 'applied', 'rest', 'period'],
    ...['period'],
    ...['applied', 'applied', 'rest', 'period'],
  ]);
});
