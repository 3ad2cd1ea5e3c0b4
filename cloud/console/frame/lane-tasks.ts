/** The tasks of the lanes for the palette, read while it is open. */
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import type { RunOverview } from '../../../shared/wire/operator/operator.ts';
import { useOperator } from '../api/operator-context.tsx';
import { lastRuns, type NamedTask } from './found-in-day.ts';

/** The tasks of a run keep their names. */
const FRESH_MS = 60_000;
/** A flooded day has many lanes: so many are asked for at once, the next as they are answered. */
const AT_ONCE = 4;

export interface LaneTasks {
  tasks: readonly NamedTask[];
  /** Lanes whose tasks are among them. */
  read: number;
  /** Lanes that have tasks; more than `read` while they are read, where one could not be, and beyond the most. */
  total: number;
}

/** @param lanes undefined: nothing is asked for yet */
export function useLaneTasks(lanes: RunOverview['lanes'] | undefined): LaneTasks {
  const { queries } = useOperator();
  const [asked, setAsked] = useState(AT_ONCE);
  const keys = lastRuns(lanes ?? []);
  const runs = useQueries({
    queries: keys.map((key, index) => ({ ...queries.run(key), enabled: index < asked, staleTime: FRESH_MS })),
  });
  const ended = runs.filter(({ isSuccess, isError }) => isSuccess || isError).length;
  if (asked !== ended + AT_ONCE) setAsked(ended + AT_ONCE);
  return {
    tasks: runs.flatMap(({ data }) =>
      (data?.detail?.tasks ?? []).map(({ taskKey }) => ({ runKey: data?.detail?.run.runKey ?? '', taskKey })),
    ),
    read: runs.filter(({ isSuccess }) => isSuccess).length,
    total: (lanes ?? []).filter(({ lastCounted }) => lastCounted !== null).length,
  };
}
