import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useLocation, useSearch } from 'wouter';
import { isCalendarDate } from '../../../shared/time/kst.ts';
import { Loaded } from '../../../shared/ui/parts/data-state.tsx';
import { DayField } from '../../../shared/ui/days/day-field.tsx';
import { KstTime } from '../../../shared/ui/time/times.tsx';
import type { StatisticsDays } from '../../api/client.ts';
import { useConsole } from '../../api/console-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import parts from '../../components/parts/parts.module.css';
import { MainFigures } from './main-figures.tsx';
import { StatisticsTables } from './statistics-tables.tsx';

/** Review statistics over a span of Korean days; the address holds the span. */
export function StatisticsPart(): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  const [, navigate] = useLocation();
  const asked = readDays(useSearch());
  const query = useQuery(queries.reviewStatistics(asked));
  const { data } = query;
  const ask = (change: StatisticsDays): void =>
    navigate(`/quality/statistics?${new URLSearchParams({ ...asked, ...change }).toString()}`, { replace: true });
  return (
    <>
      <search className={parts['bar']}>
        {(['from', 'to'] as const).map((end) => (
          <DayField
            key={end}
            label={text(`quality.${end}`)}
            labelAt="above"
            value={asked[end] ?? data?.[end] ?? null}
            onChange={(day) => {
              if (day !== null) ask({ [end]: day });
            }}
          />
        ))}
        <Button variant="default" loading={query.isFetching} onClick={() => void query.refetch()}>
          {text('quality.again')}
        </Button>
        <span className={parts['quiet']}>
          {text('quality.asOf')}{' '}
          <KstTime at={data === undefined ? null : new Date(query.dataUpdatedAt).toISOString()} precision="second" /> ·{' '}
          {text('quality.days')}
        </span>
      </search>
      <Loaded query={query}>
        {(statistics) => (
          <>
            <MainFigures statistics={statistics} />
            <StatisticsTables statistics={statistics} />
          </>
        )}
      </Loaded>
      <p className={parts['quiet']}>{text('quality.noNames')}</p>
    </>
  );
}

/** The server chooses a span that the address lacks. */
function readDays(search: string): StatisticsDays {
  const params = new URLSearchParams(search);
  const day = (name: 'from' | 'to'): StatisticsDays => {
    const date = params.get(name) ?? '';
    return isCalendarDate(date) ? { [name]: date } : {};
  };
  return { ...day('from'), ...day('to') };
}
