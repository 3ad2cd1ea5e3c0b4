/**
 * Texts that this user approved in this window and that are still on hold. The ledger keeps the hold; this state only
 * feeds the countdown, so it needs to outlive no more than a visit to another screen.
 */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import { useProfile } from '../../../api/session-context.ts';

export interface Hold {
  id: string;
  version: number;
  name: string;
  /** A later text of the ticker prevents its publication. */
  isReplaced: boolean;
  /** End of the hold, on the clock of `performance.now()`: the server's clock may differ. */
  endsAt: number;
}

const NONE: readonly Hold[] = [];

export interface Holds {
  /** The latest approval first. */
  holds: readonly Hold[];
  add: (hold: Hold) => void;
  remove: (id: string) => void;
}

export function useHolds(): Holds {
  const client = useQueryClient();
  const { id: memberId } = useProfile();
  const read = useCallback(() => client.getQueryData<readonly Hold[]>(holdsKey(memberId)) ?? NONE, [client, memberId]);
  const subscribe = useCallback((listener: () => void) => client.getQueryCache().subscribe(listener), [client]);
  const change = (next: (before: readonly Hold[]) => readonly Hold[]): void => {
    client.setQueryData<readonly Hold[]>(holdsKey(memberId), (before) => next(before ?? NONE));
  };
  return {
    holds: useSyncExternalStore(subscribe, read),
    add: (hold) => change((before) => [hold, ...before.filter(({ id }) => id !== hold.id)]),
    remove: (id) => change((before) => before.filter((hold) => hold.id !== id)),
  };
}

const holdsKey = (memberId: string): readonly string[] => ['holds', memberId];
