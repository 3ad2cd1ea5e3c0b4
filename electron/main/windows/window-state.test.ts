import { describe, expect, test } from 'vitest';
import { readWindowState, usableState, type Bounds, type WindowState } from './window-state.ts';

const LEFT: Bounds = { x: 0, y: 0, width: 1600, height: 1000 };
const RIGHT: Bounds = { x: 1600, y: 0, width: 1920, height: 1080 };
const at = (x: number, y: number, width = 1200, height = 800): WindowState => ({
  bounds: { x, y, width, height },
  maximized: false,
});

describe('where the window opens', () => {
  test.each([
    ['inside', at(100, 50)],
    ['on the other display', at(1700, 100)],
    ['half over the edge', at(1000, 300)],
  ])('%s: there again', (_where, state) => {
    expect(usableState(state, [LEFT, RIGHT])).toEqual(state);
  });

  test.each([
    ['on a display that is gone', at(1700, 100)],
    ['left of everything', at(-1190, 0)],
    ['with its head above the screen', at(100, -200)],
    ['below the screen', at(100, 990)],
  ])('%s: nowhere in particular', (_where, state) => {
    expect(usableState(state, [LEFT])).toBeNull();
  });

  test('larger than its display: reduced, but never too small to use', () => {
    expect(usableState(at(0, 0, 4000, 3000), [LEFT])?.bounds).toEqual(LEFT);
    expect(usableState(at(0, 0, 200, 100), [LEFT])?.bounds).toEqual({ x: 0, y: 0, width: 800, height: 560 });
  });

  test('without a stored state none is used', () => expect(usableState(null, [LEFT])).toBeNull());
});

test('a stored state is read back, and invalid content is not', () => {
  const state = { ...at(1, 2), maximized: true };
  expect(readWindowState(JSON.stringify(state))).toEqual(state);
  for (const text of [
    '',
    'x',
    'null',
    '{}',
    '{"bounds":{"x":1},"maximized":true}',
    JSON.stringify({ ...state, more: 1 }),
  ])
    expect(readWindowState(text), text).toBeNull();
  expect(readWindowState(JSON.stringify({ ...state, bounds: { ...state.bounds, x: 1e9 } }))).toBeNull();
});
