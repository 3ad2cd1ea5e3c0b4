import { describe, expect, test } from 'vitest';
import { LiveUpdates, type StreamListener } from './live.ts';

/** A clock that the test advances, and streams that it opens and cuts. */
class Bench {
  readonly streams: { listener: StreamListener; since: string | null; isClosed: boolean }[] = [];
  readonly calls: string[] = [];
  readonly #timers = new Set<{ at: number; run: () => void }>();
  #now = 0;
  readonly live: LiveUpdates;

  constructor(since: string | null = null) {
    this.live = new LiveUpdates({
      since,
      open: (listener, since) => {
        const stream = { listener, since, isClosed: false };
        this.streams.push(stream);
        return () => {
          stream.isClosed = true;
        };
      },
      now: () => new Date(this.#now),
      later: (run, ms) => {
        const timer = { at: this.#now + ms, run };
        this.#timers.add(timer);
        return () => this.#timers.delete(timer);
      },
      onChange: (changed) => this.calls.push(changed === 'ALL' ? 'change' : 'claims'),
      onCut: () => this.calls.push('cut'),
    });
  }

  pass(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      const [next] = [...this.#timers].filter(({ at }) => at <= until).toSorted((one, other) => one.at - other.at);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#now = next.at;
      next.run();
    }
    this.#now = until;
  }

  get newest(): StreamListener {
    const stream = this.streams.at(-1);
    if (stream === undefined) throw new Error('No stream was opened.');
    return stream.listener;
  }
}

describe('live updates', () => {
  test('a burst of changes causes one read', () => {
    const bench = new Bench();
    bench.live.start();
    bench.newest.opened();
    bench.pass(10_000);
    bench.calls.length = 0;
    bench.newest.changed();
    bench.newest.changed();
    bench.newest.changed();
    bench.pass(1_000);
    expect(bench.calls).toEqual(['change']);
    bench.newest.changed();
    bench.pass(2_000);
    expect(bench.calls).toEqual(['change', 'change']);
  });

  test('continuous changes are read every two seconds, the last one too', () => {
    const bench = new Bench();
    bench.live.start();
    bench.newest.opened();
    bench.pass(10_000);
    bench.calls.length = 0;
    for (let event = 0; event < 100; event += 1) {
      bench.newest.changed();
      bench.pass(100);
    }
    expect(bench.calls).toHaveLength(5);
    bench.pass(2_000);
    expect(bench.calls).toHaveLength(6);
    bench.pass(10_000);
    bench.newest.changed();
    bench.pass(250);
    expect(bench.calls).toHaveLength(7);
  });

  test('every connection begins with a read, because no event reported earlier changes', () => {
    const bench = new Bench();
    bench.live.start();
    expect(bench.live.state).toEqual({ state: 'connecting' });
    bench.newest.opened();
    bench.pass(1_000);
    expect(bench.live.state).toEqual({ state: 'live' });
    expect(bench.calls).toEqual(['change']);
  });

  test('the first connection is compared by the server instead, where the stream is this window’s own', () => {
    const bench = new Bench('mark');
    bench.live.start();
    expect(bench.streams[0]?.since).toBe('mark');
    bench.newest.opened(true);
    bench.pass(10_000);
    expect(bench.calls).toEqual([]);
    // What the comparison found.
    bench.newest.changed();
    bench.pass(1_000);
    expect(bench.calls).toEqual(['change']);
    // A later connection reads: a cut may have lasted for long.
    bench.newest.failed();
    bench.pass(1_000);
    expect(bench.streams[1]?.since).toBeNull();
    bench.newest.opened(false);
    bench.pass(10_000);
    expect(bench.calls).toEqual(['change', 'cut', 'change']);

    const other = new Bench('mark');
    other.live.start();
    other.newest.opened();
    other.pass(1_000);
    expect(other.calls).toEqual(['change']);
  });

  test('a user’s own claims are told apart, unless more is new, and delay no other read', () => {
    const bench = new Bench('mark');
    bench.live.start();
    bench.newest.opened(true);
    bench.newest.claimed();
    bench.pass(250);
    expect(bench.calls).toEqual(['claims']);
    bench.newest.changed();
    bench.pass(250);
    expect(bench.calls).toEqual(['claims', 'change']);
    bench.newest.claimed();
    bench.newest.changed();
    bench.newest.claimed();
    bench.pass(2_000);
    expect(bench.calls).toEqual(['claims', 'change', 'change']);
    bench.newest.claimed();
    bench.pass(2_000);
    expect(bench.calls).toEqual(['claims', 'change', 'change', 'claims']);
  });

  test('a cut is reported once, with its time, and retried with growing pauses until the stream holds', () => {
    const bench = new Bench();
    bench.live.start();
    bench.newest.opened();
    for (let sign = 0; sign < 4; sign += 1) {
      bench.pass(15_000);
      bench.newest.alive();
    }
    bench.pass(5_000);
    bench.calls.length = 0;
    bench.newest.failed();
    const cut = { state: 'interrupted', since: new Date(65_000), lastSign: new Date(60_000) };
    expect(bench.live.state).toEqual(cut);
    for (const pause of [1_000, 2_000, 4_000, 8_000, 15_000, 15_000]) {
      const before = bench.streams.length;
      bench.pass(pause - 1);
      expect(bench.streams).toHaveLength(before);
      bench.pass(1);
      expect(bench.streams).toHaveLength(before + 1);
      bench.newest.failed();
    }
    expect(bench.calls).toEqual(['cut']);
    expect(bench.live.state).toEqual(cut);
    expect(bench.streams.every(({ isClosed }) => isClosed)).toBe(true);

    bench.pass(15_000);
    bench.newest.opened();
    bench.pass(1_000);
    expect(bench.live.state).toEqual({ state: 'live' });
    expect(bench.calls).toEqual(['cut', 'change']);
    bench.newest.failed();
    bench.pass(1_000);
    expect(bench.streams.at(-1)?.isClosed).toBe(false);
  });

  test('a silent stream counts as cut, and so does one that never opens', () => {
    const bench = new Bench();
    bench.live.start();
    bench.newest.opened();
    bench.pass(44_999);
    expect(bench.live.state).toEqual({ state: 'live' });
    bench.pass(1);
    expect(bench.live.state).toMatchObject({ state: 'interrupted', lastSign: new Date(0) });
    expect(bench.streams[0]?.isClosed).toBe(true);
    bench.pass(1_000);
    expect(bench.streams).toHaveLength(2);
    bench.pass(45_000);
    expect(bench.streams[1]?.isClosed).toBe(true);
    bench.pass(2_000);
    expect(bench.streams).toHaveLength(3);
    expect(bench.calls.filter((call) => call === 'cut')).toHaveLength(1);
  });

  test('reconnects at once when the network comes or goes', () => {
    const bench = new Bench();
    bench.live.start();
    bench.newest.opened();
    bench.live.networkChanged();
    expect(bench.streams.map(({ isClosed }) => isClosed)).toEqual([true, false]);
    bench.newest.failed();
    bench.live.networkChanged();
    bench.newest.opened();
    bench.pass(1_000);
    expect(bench.live.state).toEqual({ state: 'live' });
    expect(bench.streams.map(({ isClosed }) => isClosed)).toEqual([true, true, false]);
  });

  test('when stopped, it closes its stream and does nothing more', () => {
    const bench = new Bench();
    const stop = bench.live.start();
    bench.newest.opened();
    bench.newest.changed();
    stop();
    bench.pass(60_000);
    expect(bench.calls).toEqual([]);
    expect(bench.streams).toEqual([expect.objectContaining({ isClosed: true })]);
  });

  test('started again after a stop, it listens again', () => {
    const bench = new Bench();
    bench.live.start()();
    bench.live.start();
    bench.newest.opened();
    bench.newest.changed();
    bench.pass(1_000);
    expect(bench.calls).toEqual(['change']);
  });

  test('a subscriber is notified of each state', () => {
    const bench = new Bench();
    const seen: string[] = [];
    bench.live.start();
    const leave = bench.live.subscribe(() => seen.push(bench.live.state.state));
    bench.newest.opened();
    bench.newest.failed();
    leave();
    bench.pass(1_000);
    bench.newest.opened();
    expect(seen).toEqual(['live', 'interrupted']);
  });
});
