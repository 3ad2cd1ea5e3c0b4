import { expect, test } from 'vitest';
import { CONSOLE_ROUTES } from '../../../shared/policy/console-routes.ts';
import { ACTION_RULES, DECISIONS, OPERATIONS, problemOf, type ActionDraft } from './actions.ts';
import { hasMovedOn, type PresentItem } from './changed-meanwhile.tsx';

test('each action needs the permission of its route', () => {
  for (const action of [...DECISIONS, ...OPERATIONS]) {
    const route = CONSOLE_ROUTES.find(({ path }) => path.endsWith(`/{id}/${action === 'correct' ? 'final' : action}`));
    expect(route?.functionId, action).toBe(ACTION_RULES[action].permission);
  }
});

const draft: ActionDraft = {
  action: 'approve',
  isOpen: true,
  version: 2,
  base: 'x',
  text: 'x',
  carried: null,
  saved: { version: 0, text: 'x', note: '' },
  code: null,
  note: '',
};

test('a block is lifted with a written reason', () => {
  expect(problemOf({ ...draft, action: 'unblock', note: ' ' }, 'x')).toBe('note');
  expect(problemOf({ ...draft, action: 'unblock', note: '오탐' }, 'x')).toBeNull();
  expect(problemOf({ ...draft, action: 'move-to-review' }, 'x')).toBeNull();
});

test("an item has moved on when its version or status differs from the draft's", () => {
  const item: PresentItem = {
    id: 'e',
    version: 2,
    status: 'PENDING_REVIEW',
    summary: 'x',
    published_summary: null,
    history: [],
  };
  expect(hasMovedOn(draft, item)).toBe(false);
  expect(hasMovedOn(draft, { ...item, version: 3 })).toBe(true);
  expect(hasMovedOn(draft, { ...item, status: 'PUBLISHED' })).toBe(true);
  expect(hasMovedOn({ ...draft, action: 'stop' }, { ...item, status: 'PUBLISHED' })).toBe(false);
});
