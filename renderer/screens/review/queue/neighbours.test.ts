import { describe, expect, test } from 'vitest';
import { afterDecision, neighbour } from './neighbours.ts';

const ids = ['a', 'b', 'c'];

describe('walking through the queue', () => {
  test('goes from the open item, and stops at the ends', () => {
    expect(neighbour(ids, { id: 'a', index: 0 }, 1)).toBe('b');
    expect(neighbour(ids, { id: 'c', index: 2 }, 1)).toBeNull();
    expect(neighbour(ids, { id: 'a', index: 0 }, -1)).toBeNull();
    expect(neighbour([], { id: null, index: 0 }, 1)).toBeNull();
  });

  test('without an open item it begins at the end it comes from', () => {
    expect(neighbour(ids, { id: null, index: 0 }, 1)).toBe('a');
    expect(neighbour(ids, { id: null, index: 0 }, -1)).toBe('c');
  });

  test('in a list that has moved, the open item counts, not its old index', () => {
    expect(neighbour(['x', 'y', 'a', 'b'], { id: 'a', index: 0 }, 1)).toBe('b');
  });

  test('an open item that has left the list is followed by the one in its place', () => {
    expect(neighbour(['a', 'c'], { id: 'b', index: 1 }, 1)).toBe('c');
    expect(neighbour(['a', 'c'], { id: 'b', index: 1 }, -1)).toBe('a');
  });

  test('after a decision comes the next item, at the end the previous one, and in an empty queue none', () => {
    expect(afterDecision(ids, { id: 'b', index: 1 })).toBe('c');
    expect(afterDecision(ids, { id: 'c', index: 2 })).toBe('b');
    expect(afterDecision(['a'], { id: 'a', index: 0 })).toBeNull();
    // It has already left the list, because the event came before the answer.
    expect(afterDecision(['a', 'c'], { id: 'b', index: 1 })).toBe('c');
    expect(afterDecision(['a', 'b'], { id: 'c', index: 2 })).toBe('b');
  });
});
