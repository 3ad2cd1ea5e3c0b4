/** A measured value is what its unit says, never what its name suggests (D217). */
import { expect, test } from 'vitest';
import { measuredText } from './analysis-values.tsx';

test.each([
  [1391.2, null, '1,391.2'],
  [-3181, '100M_KRW', '−3,181 100M_KRW'],
  [1.23, 'PERCENT', '1.23%'],
  [0.000001, null, '0.000001'],
])('%d in %s', (value, unit, words) => {
  expect(measuredText(value, unit)).toBe(words);
});
