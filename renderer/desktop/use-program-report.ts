import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { useLanguagePreference } from '../../shared/ui/theme/preferences.ts';
import { useConsole } from '../api/console-context.tsx';
import type { LiveState } from '../api/live.ts';
import { useMay } from '../api/session-context.ts';
import { requestsOf } from './requested-opinions.ts';
import { isInProgram, reportToProgram } from './report.ts';

/**
 * Reports every change to the program, and at the end of the session an empty report. @param live state of the change
 * stream: while it is open, the API counts as answering
 */
export function useProgramReport(live: LiveState): void {
  const { queries } = useConsole();
  const may = useMay();
  const [language] = useLanguagePreference();
  const sync = useQuery(queries.syncStatus).data?.state ?? null;
  const { data: counts, dataUpdatedAt: countedAt } = useQuery(queries.statusCounts);
  const waiting = counts?.PENDING_REVIEW ?? null;
  const oldest = useQuery({ ...queries.oldestWaiting, enabled: isInProgram() }).data?.items[0]?.waitingSince ?? null;
  const lastSign = live.state === 'interrupted' ? (live.lastSign?.getTime() ?? 0) : null;
  const mayDecide = may('review.decide');
  const newest = useQuery({ ...queries.newestWaiting, enabled: isInProgram() && mayDecide }).data?.items[0];
  const asking = useQuery({ ...queries.askedOpinions, enabled: isInProgram() && mayDecide }).data?.items;
  const asked = useMemo(() => requestsOf(asking), [asking]);
  const id = newest?.id ?? null;
  const name = newest === undefined ? '' : `${newest.etf_ticker} ${newest.etf_name}`;
  useEffect(() => {
    reportToProgram({
      language,
      sync,
      waiting,
      newest: id === null ? null : { id, name: name.slice(0, 200) },
      asked,
      queue: {
        answeredMs: lastSign === null ? 0 : since(Math.max(lastSign, countedAt)),
        oldestMs: oldest === null ? null : since(Date.parse(oldest)),
      },
    });
  }, [language, sync, waiting, id, name, asked, lastSign, countedAt, oldest]);
  useEffect(() => () => reportToProgram({ language, sync: null, waiting: null, newest: null }), [language]);
}

/** Clocks of two machines may differ: no age is negative. */
function since(at: number): number {
  return Math.max(0, Date.now() - at);
}
