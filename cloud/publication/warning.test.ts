/** What the door says of a load that looks wrong: the returns in it, by the unit of each (D217). */
import { expect, test } from 'vitest';
import { live, result } from '../../test/support/cloud/loads.ts';
import { warningOf } from './warning.ts';

const warned = (surface: Record<string, number>, surface_units: Record<string, string>): string[] => {
  const told = { ...result({ key: 'a' }), surface, surface_units };
  return (
    warningOf(live({ key: 'a' }, { result: told }))
      ?.split(': ')[0]
      ?.split(', ') ?? []
  );
};

test.each([
  ['observed_return', 1.5, 'RATIO', true],
  ['return', -123, 'PERCENT', true],
  ['excess_return', 99, 'PERCENT', false],
  ['observed_return', 1, 'RATIO', false],
  ['turnover', 2.5, 'RATIO', false],
  ['share', 180, 'PERCENT', false],
  ['index_return', 2_650, 'POINTS', false],
  ['returned', 2.5, 'RATIO', false],
])('%s of %d %s: %s', (name, value, unit, isWarned) => {
  expect(warned({ [name]: value }, { [name]: unit })).toEqual(isWarned ? [`result.surface.${name} ${value}`] : []);
});
