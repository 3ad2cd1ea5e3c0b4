/**
 * Texts that this person has approved in this window and no channel gets yet. The hold itself is the ledger's; this is
 * only what the countdown is drawn from, so it outlives a look at another screen and nothing more.
 */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import { useProfile } from '../../../api/session-context.ts';

export interface Hold {
  id: string;
  version: number;
  name: string;
  /** A later text of the ticker keeps it from being provided. */
  isReplaced: boolean;
  /** When it goes out, on the clock of `performance.now()`: the server's own may be another one. */
  endsAt: number;
}

const NONE: readonly Hold[] = [];

export interface Holds {
  /** The last approval first. */
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
