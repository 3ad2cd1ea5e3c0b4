import { afterEach, expect, test, vi } from 'vitest';
import type { StreamListener } from './live.ts';
import { shareStream } from './shared-stream.ts';

/** The windows of one browser, and the streams that they have opened. */
const streams: { listener: StreamListener; since: string | null; isClosed: boolean }[] = [];
const windows: Window[] = [];
const openOwn = (listener: StreamListener, since: string | null): (() => void) => {
  const stream = { listener, since, isClosed: false };
  streams.push(stream);
  return () => (stream.isClosed = true);
};

class Window {
  readonly heard: string[] = [];
  readonly close: () => void;
  constructor(since: string | null = null) {
    const hear = (sign: string) => (): void => void this.heard.push(sign);
    const listener = {
      opened: (isCompared = false) => void this.heard.push(isCompared ? 'opened and compared' : 'opened'),
      failed: hear('failed'),
      changed: hear('changed'),
      claimed: hear('claimed'),
      alive: hear('alive'),
    };
    this.close = shareStream(openOwn)(listener, since);
    windows.push(this);
  }
}

const open = (): (typeof streams)[number][] => streams.filter(({ isClosed }) => !isClosed);
const only = () => vi.waitUntil(() => (open().length === 1 ? open()[0] : undefined));

afterEach(() => {
  for (const window of windows.splice(0)) window.close();
  streams.splice(0);
});

test('several windows share one stream', async () => {
  const [one, two, three] = [new Window(), new Window(), new Window()];
  const { listener } = await only();
  listener.opened();
  listener.changed();
  for (const { heard } of [one, two, three]) await vi.waitUntil(() => heard.join() === 'opened,changed');
  expect(streams).toHaveLength(1);
});

test('a window opened later learns at once that the stream is open, and only that window is told', async () => {
  const one = new Window();
  (await only()).listener.opened();
  const two = new Window();
  await vi.waitUntil(() => two.heard.join() === 'opened');
  expect(one.heard).toEqual(['opened']);
});

test('a stream is opened with the mark of its window, and counts as compared for that window only', async () => {
  const one = new Window('mark of one');
  const { listener, since } = await only();
  expect(since).toBe('mark of one');
  const two = new Window('mark of two');
  listener.opened();
  await vi.waitUntil(() => two.heard.length > 0);
  listener.claimed();
  await vi.waitUntil(() => two.heard.includes('claimed'));
  expect([one.heard[0], two.heard[0]]).toEqual(['opened and compared', 'opened']);
  one.close();
  await vi.waitUntil(() => streams.length === 2);
  expect((await only()).since).toBe('mark of two');
});

test('when the window with the stream closes, the next one opens a stream', async () => {
  const [one, two] = [new Window(), new Window()];
  (await only()).listener.opened();
  await vi.waitUntil(() => two.heard.length === 1);
  one.close();
  await vi.waitUntil(() => streams.length === 2);
  (await only()).listener.changed();
  expect(two.heard).toEqual(['opened', 'changed']);
  expect(one.heard).toEqual(['opened']);
});

test('every window learns that a stream failed; the first to ask again opens a new one', async () => {
  const [one, two] = [new Window(), new Window()];
  (await only()).listener.failed();
  await vi.waitUntil(() => two.heard.join() === 'failed');
  one.close();
  two.close();
  const again = new Window();
  await vi.waitUntil(() => streams.length > 1 && open().length === 1);
  (await only()).listener.opened();
  expect(again.heard).toEqual(['opened']);
});

test('a window that closes before its turn opens no stream', async () => {
  const one = new Window();
  await only();
  const two = new Window();
  two.close();
  one.close();
  const three = new Window();
  await vi.waitUntil(() => streams.length === 2);
  (await only()).listener.opened();
  expect([two.heard, three.heard]).toEqual([[], ['opened']]);
});
