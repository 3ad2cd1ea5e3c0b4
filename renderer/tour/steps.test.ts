import { expect, test } from 'vitest';
import { changeTour, readTour, ticking, type Step } from './steps.ts';

async function ticked(method: string, path: string, status: number): Promise<Step[]> {
  const done: Step[] = [];
  const fetch = ticking(
    () => Promise.resolve(new Response(null, { status })),
    (step) => done.push(step),
  );
  await fetch(path, { method });
  return done;
}

test.each([
  ['POST', '/api/v1/review/items/a-1/approve', 'approve'],
  ['POST', '/api/v1/review/items/a-1/approve-edited', 'edit'],
  ['POST', '/api/v1/screening/preview?days=30', 'preview'],
  ['POST', '/api/v1/dossiers', 'dossier'],
])('%s %s ends the step "%s" when the API has done it, and not when it refuses', async (method, path, step) => {
  expect(await ticked(method, path, 200)).toEqual([step]);
  expect(await ticked(method, path, 409)).toEqual([]);
});

test.each([
  ['GET', '/api/v1/review/items/a-1'],
  ['POST', '/api/v1/review/items/a-1/reject'],
  ['POST', '/api/v1/review/items/approve/claim'],
])('%s %s ends none', async (method, path) => {
  expect(await ticked(method, path, 200)).toEqual([]);
});

test('a step is kept once, beside the rest; what is not readable begins anew', () => {
  const kept = changeTour(changeTour(changeTour(null, { step: 'edit' }), { target: 'a-1' }), { step: 'edit' });
  expect(readTour(kept)).toEqual({ done: ['edit'], target: 'a-1', isHidden: false });
  expect(readTour('no JSON')).toEqual({ done: [], target: null, isHidden: false });
});
