import { expect, test } from 'vitest';
import { targetStateOf } from './target.ts';

test.for([
  [0, 'within'],
  [44, 'within'],
  [45, 'near'],
  [60, 'near'],
  [61, 'over'],
] as const)('%i of 60 minutes is %s the target', ([minutes, standing]) => {
  expect(targetStateOf(minutes * 60_000, 60)).toBe(standing);
});
