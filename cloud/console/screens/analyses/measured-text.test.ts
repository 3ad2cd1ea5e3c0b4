/** Values of an analysis as they are shown: a value by its unit (D217), a direction beside its rate. */
import { expect, test } from 'vitest';
import { measuredText, shownDirection } from './analysis-values.tsx';

test.each([
  [1391.2, null, '1,391.2'],
  [-3181, '100M_KRW', '−3,181 100M_KRW'],
  [1.23, 'PERCENT', '1.23%'],
  [0.000001, null, '0.000001'],
  [2.5, 'RATIO', '250%'],
  [-0.07, 'RATIO', '−7%'],
])('%d in %s', (value, unit, words) => {
  expect(measuredText(value, unit)).toBe(words);
});

test.each([
  ['UP', 0.00004, 'FLAT'],
  ['DOWN', -0.00004, 'FLAT'],
  ['UP', 0.0001, 'UP'],
  ['UP', null, 'UP'],
  [null, 0, null],
] as const)('%s beside %s is shown as %s', (direction, changeRate, shown) => {
  expect(shownDirection({ direction, changeRate })).toBe(shown);
});
