import { expect, test } from 'vitest';
import type { StateChange } from '../../../../shared/wire/console/console.ts';
import { returnOf } from './why-review.tsx';

const change = (move: StateChange['move'], to: StateChange['to'], actor = 'SYSTEM'): StateChange => ({
  move,
  from: null,
  to,
  actor,
  at: '2026-11-20T06:30:00.000Z',
  reason: null,
  policyVersion: 1,
  heldUntil: null,
  duringHold: false,
  authors: [],
  approvalNumber: null,
  validUntil: null,
  mine: false,
});

test('an item that its checks sent to review was not returned', () => {
  expect(returnOf([])).toBeNull();
  expect(returnOf([change('receive', 'PENDING_REVIEW')])).toBeNull();
  expect(returnOf([change('receive', 'AUTO_PUBLISHED')])).toBeNull();
});

test('the latest way into review is the one reported', () => {
  const history = [
    change('receive', 'PENDING_REVIEW'),
    change('approve', 'PUBLISHED', '심사자'),
    change('move-to-review', 'PENDING_REVIEW', '운영자'),
    change('reject', 'REJECTED', '심사자'),
  ];
  expect(returnOf(history)).toMatchObject({ move: 'move-to-review', actor: '운영자' });
  expect(returnOf([...history, change('text-changed', 'PENDING_REVIEW')])).toMatchObject({ move: 'text-changed' });
});
