import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { useLanguagePreference } from '../../shared/ui/preferences.ts';
import { useConsole } from '../api/console-context.tsx';
import { useMay } from '../session/session-context.ts';
import { askedOf } from './asked.ts';
import { isInProgram, reportToProgram } from './report.ts';

/** Tells the program of every change, and at the end of the session that there is nothing more to tell. */
export function useProgramReport(): void {
  const { queries } = useConsole();
  const may = useMay();
  const [language] = useLanguagePreference();
  const sync = useQuery(queries.syncStatus).data?.state ?? null;
  const waiting = useQuery(queries.statusCounts).data?.PENDING_REVIEW ?? null;
  const mayDecide = may('review.decide');
  const newest = useQuery({ ...queries.newestWaiting, enabled: isInProgram() && mayDecide }).data?.items[0];
  const asking = useQuery({ ...queries.askedOpinions, enabled: isInProgram() && mayDecide }).data?.items;
  const asked = useMemo(() => askedOf(asking), [asking]);
  const id = newest?.id ?? null;
  const name = newest === undefined ? '' : `${newest.etf_ticker} ${newest.etf_name}`;
  useEffect(() => {
    reportToProgram({
      language,
      sync,
      waiting,
      newest: id === null ? null : { id, name: name.slice(0, 200) },
      asked,
    });
  }, [language, sync, waiting, id, name, asked]);
  useEffect(() => () => reportToProgram({ language, sync: null, waiting: null, newest: null }), [language]);
}
