import { expect, test } from 'vitest';
import { StartProgress } from './progress.ts';

test('a start tells each finished step with its time, and what it waits for and how far that is', async () => {
  const said: string[] = [];
  let now = 0;
  const progress = new StartProgress(2, (line) => said.push(line), { now: () => new Date(now) });
  const pages = Promise.withResolvers<string>();
  const past = Promise.withResolvers<null>();
  const steps = [
    progress.step('pages', pages.promise, (place) => `pages in ${place}`),
    progress.step('past', past.promise),
  ];
  progress.reach('past', 0.426);
  now = 5_000;
  progress.tellWaiting();
  now = 8_100;
  pages.resolve('dist');
  await steps[0];
  now = 41_000;
  past.resolve(null);
  await steps[1];
  progress.tellWaiting();
  expect(said).toEqual([
    '      5.0 s: waiting for pages, past 42 %',
    '[1/2] pages in dist (8.1 s)',
    '[2/2] past (41 s)',
  ]);
});
