import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState, type ReactNode } from 'react';
import { EmptyState, Loaded } from '../../../../../shared/ui/parts/data-state.tsx';
import { Panel } from '../../../../../shared/ui/parts/panel.tsx';
import { KstTime } from '../../../../../shared/ui/time/times.tsx';
import type { EntityResolutionPoint, IntradayPoint } from '../../../../../shared/wire/facts.ts';
import type { RunGrid } from '../../../../../shared/wire/operator/operator.ts';
import { useOperator } from '../../../api/operator-context.tsx';
import { useText } from '../../../i18n/use-text.ts';
import { useLive } from '../../../live/refresh.tsx';
import runs from '../../../runs/runs.module.css';
import { TREND_DAYS, type TrendDays } from '../values/facts-view.ts';
import { dayMarksOf, type DayMark } from './day-marks.ts';
import { TrendChart } from './trend-chart.tsx';
import { everyDay, usualOf, type SeriesPoint } from './trend-series.ts';
import { TrendTable } from './trend-table.tsx';
import classes from './trends.module.css';

const COUNTS = [
  'triggers',
  'observations',
  'runs',
  'activeRuns',
  'failedRuns',
  'results',
  'published',
] as const satisfies (keyof IntradayPoint)[];
/** The number of days that the run history answers for. */
const MOST_RUN_DAYS = 31;
/** A quiet day still has a scale. */
const LEAST_COUNT = 2;

const percent = (ratio: number): string => `${(ratio * 100).toLocaleString('en-US', { maximumFractionDigits: 1 })}%`;
const whole = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 1 });

export interface TrendsPartProps {
  /** The last day. */
  day: string;
  days: TrendDays;
  onDays: (days: TrendDays) => void;
}

/** Both trends up to the viewed day (operator API 4, rules 5 to 7). */
export function TrendsPart({ day, days, onDays }: TrendsPartProps): ReactNode {
  const text = useText();
  const { queries } = useOperator();
  const entity = useLive(queries.entityResolution(day));
  const intraday = useLive(queries.intradayTrend(day, days));
  // Marks of past days: they are read once and not every half minute.
  const history = useQuery(queries.history({ to: day, days: Math.min(days, MOST_RUN_DAYS), lane: '' }));
  const lanes = history.data?.lanes;
  return (
    <Panel
      level={2}
      title={text('trends.title')}
      aside={
        <NativeSelect
          size="xs"
          aria-label={text('trends.days')}
          value={String(days)}
          data={TREND_DAYS.map((count) => ({ value: String(count), label: text('trends.dayCount', { count }) }))}
          onChange={({ currentTarget: { value } }) =>
            onDays(TREND_DAYS.find((count) => String(count) === value) ?? days)
          }
        />
      }
    >
      <p className={runs['note']}>{text('trends.usual.definition')}</p>
      <Legend />
      <Panel title={text('trends.entity')}>
        <Loaded query={entity}>{({ points }) => <EntityTrend points={points} lanes={lanes} />}</Loaded>
      </Panel>
      <Panel
        title={text('trends.intraday')}
        aside={
          intraday.data !== undefined && (
            <span className={runs['quiet']}>
              {text('facts.clock.db')} <KstTime at={intraday.data.asOf} precision="second" />
            </span>
          )
        }
      >
        <Loaded query={intraday}>{({ points }) => <IntradayTrendView points={points} lanes={lanes} />}</Loaded>
      </Panel>
    </Panel>
  );
}

/** The legend of the chart, in words. */
function Legend(): ReactNode {
  const text = useText();
  return (
    <ul className={classes['legend']}>
      <li>
        <svg width="22" height="12" aria-hidden="true">
          <rect y="1" width="22" height="10" className={classes['band']} />
          <path d="M0 6H22" className={classes['usual']} />
        </svg>
        {text('trends.legend.usual')}
      </li>
      <li>
        <svg width="14" height="12" aria-hidden="true">
          <rect width="14" height="12" className={classes['closed']} />
        </svg>
        {text('trends.closed')}
      </li>
      <li>
        <svg width="10" height="10" aria-hidden="true">
          <path d="M5 1l4 7h-8z" className={classes['mark']} />
        </svg>
        {text('trends.legend.runs', { days: MOST_RUN_DAYS })}
      </li>
    </ul>
  );
}

type Lanes = RunGrid['lanes'] | undefined;

function useMarks(series: readonly { date: string }[], lanes: Lanes): Map<string, DayMark> {
  return useMemo(
    () =>
      dayMarksOf(
        series.map(({ date }) => date),
        lanes,
      ),
    [series, lanes],
  );
}

function EntityTrend({ points, lanes }: { points: readonly EntityResolutionPoint[]; lanes: Lanes }): ReactNode {
  const text = useText();
  const [at, setAt] = useState<string | null>(null);
  const series = useMemo(() => everyDay(points.map(({ date, rate }) => ({ date, value: rate }))), [points]);
  const marks = useMarks(series, lanes);
  return (
    <>
      <p className={runs['note']}>{text('trends.entity.definition')}</p>
      {points.length === 0 ? (
        <EmptyState title={text('trends.entity.none')} />
      ) : (
        <div className={classes['both']}>
          <TrendChart
            name={text('trend.rate')}
            series={series}
            usual={usualOf(series)}
            format={percent}
            ceiling={1}
            marks={marks}
            at={at}
            onAt={setAt}
          />
          <TrendTable
            name={text('trends.entity')}
            points={points}
            fields={['totalArguments', 'resolvedArguments', 'rate']}
            headOf={(field) => `trend.${field}`}
            valueOf={(point, field) => (field === 'rate' && point.rate !== null ? percent(point.rate) : point[field])}
            marks={marks}
            at={at}
          />
        </div>
      )}
    </>
  );
}

function IntradayTrendView({ points, lanes }: { points: readonly IntradayPoint[]; lanes: Lanes }): ReactNode {
  const text = useText();
  const [at, setAt] = useState<string | null>(null);
  const marks = useMarks(points, lanes);
  const all = useMemo(
    () =>
      COUNTS.map((count) => {
        const of = (point: IntradayPoint): SeriesPoint => ({ date: point.date, value: point[count] });
        // A day without firings does not count for the usual value.
        const fired = points.filter(({ triggers }, index) => triggers > 0 || index === points.length - 1);
        return { count, series: points.map(of), usual: usualOf(fired.map(of)) };
      }),
    [points],
  );
  return (
    <>
      <p className={runs['note']}>{text('trends.intraday.definition')}</p>
      <div className={classes['both']}>
        <div className={classes['charts']}>
          {all.map(({ count, series, usual }) => (
            <TrendChart
              key={count}
              name={text(`trend.${count}`)}
              series={series}
              usual={usual}
              format={whole}
              ceiling={LEAST_COUNT}
              marks={marks}
              at={at}
              onAt={setAt}
            />
          ))}
        </div>
        <TrendTable
          name={text('trends.intraday')}
          points={points}
          fields={COUNTS}
          headOf={(field) => `trend.${field}`}
          valueOf={(point, field) => point[field]}
          marks={marks}
          at={at}
        />
      </div>
    </>
  );
}
