import { expect, test } from 'vitest';
import type { TimelineEntry } from '../../../../shared/wire/console/console.ts';
import { recipientsOf } from './recipients.ts';

const at = '2026-11-20T06:30:00.000Z';
const claim = (displayName: string) => ({ displayName, claimedAt: at, expiresAt: at, mine: displayName === '나' });
const move = (name: string, actor: string): TimelineEntry =>
  ({ kind: 'MOVE', move: name, actor, at }) as unknown as TimelineEntry;

test('names those who are here, then those who have acted as reviewers; never oneself, the program or another role', () => {
  const entries: TimelineEntry[] = [
    { kind: 'HANDED_OVER', at, actor: '나', to: '넷째' },
    { kind: 'CLAIMED', at, actor: '셋째', authors: [] },
    move('move-to-review', '운영자'),
    move('approve', '다섯째'),
    move('receive', 'SYSTEM'),
  ];
  const item = { claims: [claim('나'), claim('둘째')], colleagueDrafts: [], waitingEdit: null };
  expect(recipientsOf(item, entries, '나')).toEqual(['둘째', '넷째', '셋째', '다섯째']);
});
