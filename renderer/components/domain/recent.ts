/** The explanations that this person opened last in this window, for the palette. */
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useProfile } from '../../api/session-context.ts';

const MOST = 5;

export interface Recent {
  id: string;
  name: string;
  href: string;
}

const keyOf = (memberId: string): readonly string[] => ['recent', memberId];

/** Latest first. */
export function recentOf(client: QueryClient, memberId: string): readonly Recent[] {
  return client.getQueryData<readonly Recent[]>(keyOf(memberId)) ?? [];
}

/** Notes that an explanation is open at an address. */
export function useRecent(
  { id, etf_ticker, etf_name }: { id: string; etf_ticker: string; etf_name: string },
  screen: 'review' | 'explanations',
): void {
  const client = useQueryClient();
  const { id: memberId } = useProfile();
  const name = `${etf_ticker} ${etf_name}`;
  useEffect(() => {
    const opened = { id, name, href: `/${screen}/${encodeURIComponent(id)}` };
    const before = recentOf(client, memberId).filter((one) => one.id !== id);
    client.setQueryData<readonly Recent[]>(keyOf(memberId), [opened, ...before].slice(0, MOST));
  }, [client, memberId, id, name, screen]);
}
