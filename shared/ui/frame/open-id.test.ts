import { expect, test } from 'vitest';
import { openIdOf } from './open-id.ts';

test.each([
  ['/runs', null],
  ['/runs/', null],
  ['/', null],
  ['/runs/a', 'a'],
  [`/runs/${encodeURIComponent('market/2026-11-20/close')}`, 'market/2026-11-20/close'],
  [`/runs/${encodeURIComponent('100%/50%2F')}`, '100%/50%2F'],
  [`/runs/${encodeURIComponent('실행 1')}`, '실행 1'],
  ['/runs/%zz', null],
])('%s has open %s', (path, id) => {
  expect(openIdOf(path)).toBe(id);
});
