import { expect, test } from 'vitest';
import { fromStored } from '../../../shared/evidence/evidence.ts';
import { factsOf } from '../../../shared/evidence/facts.ts';
import { checkFigures } from '../../../shared/evidence/support.ts';
import { lightOf, lightsOfEvidence } from './lights.ts';

test('an evidence has the lights of the figures that are held against it, also of two with one title', () => {
  const stored = (x_pct: number) => ({
    ...({
      kind: 'CALCULATION',
      title: '기여도',
      source: '시세',
      published_at: null,
      as_of: null,
      tool_run_id: 't',
    } as const),
    ...{ item_ids: [], arguments: {}, output: { x_pct }, formula_latex: null, description: '' },
  });
  const measured = { observed_return: 0.01, trade_date: '2026-11-20', explanation_as_of: '2026-11-20T05:35:00.000Z' };
  const facts = factsOf({ ...measured, content_as_of: null }, [stored(2), stored(3), stored(4)].map(fromStored));
  const figures = checkFigures('1%, 2%, 3%, 3%, 9%', [], facts);
  const [, two, three, again] = figures.map(lightOf);
  expect([0, 1, 2].map((index) => lightsOfEvidence(figures, index))).toEqual([two, `${three} ${again}`, undefined]);
});
