import { NativeSelect } from '@mantine/core';
import { useMemo, type ReactNode } from 'react';
import { EmptyState, Loaded } from '../../../../../shared/ui/parts/data-state.tsx';
import { Panel } from '../../../../../shared/ui/parts/panel.tsx';
import { DataTable, type Column } from '../../../../../shared/ui/table/data-table.tsx';
import { KstTime } from '../../../../../shared/ui/time/times.tsx';
import type { EntityResolutionPoint, IntradayPoint } from '../../../../../shared/wire/facts.ts';
import { useOperator } from '../../../api/operator-context.tsx';
import { useText } from '../../../i18n/use-text.ts';
import { useLive } from '../../../live/refresh.tsx';
import runs from '../../../runs/runs.module.css';
import { FactValue } from '../values/fact-value.tsx';
import classes from '../values/facts.module.css';
import { TREND_DAYS, type TrendDays } from '../values/facts-view.ts';
import { TrendChart } from './trend-chart.tsx';
import { everyDay, usualValue, type SeriesPoint } from './trend-series.ts';

const COUNTS = [
  'triggers',
  'observations',
  'runs',
  'activeRuns',
  'failedRuns',
  'results',
  'published',
] as const satisfies (keyof IntradayPoint)[];
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
      <Panel title={text('trends.entity')}>
        <Loaded query={entity}>{({ points }) => <EntityTrend points={points} />}</Loaded>
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
        <Loaded query={intraday}>{({ points }) => <IntradayTrendView points={points} />}</Loaded>
      </Panel>
    </Panel>
  );
}

function EntityTrend({ points }: { points: readonly EntityResolutionPoint[] }): ReactNode {
  const text = useText();
  const series = useMemo(() => everyDay(points.map(({ date, rate }) => ({ date, value: rate }))), [points]);
  const name = text('trends.entity');
  return (
    <>
      <p className={runs['note']}>{text('trends.entity.definition')}</p>
      {points.length === 0 ? (
        <EmptyState title={text('trends.entity.none')} />
      ) : (
        <>
          <div className={classes['charts']}>
            <TrendChart
              name={text('trend.rate')}
              series={series}
              usual={usualValue(series)}
              format={percent}
              ceiling={1}
            />
          </div>
          <TrendTable
            name={name}
            points={points}
            fields={['totalArguments', 'resolvedArguments', 'rate']}
            valueOf={(point, field) => (field === 'rate' && point.rate !== null ? percent(point.rate) : point[field])}
          />
        </>
      )}
    </>
  );
}

function IntradayTrendView({ points }: { points: readonly IntradayPoint[] }): ReactNode {
  const text = useText();
  const all = useMemo(
    () =>
      COUNTS.map((count) => {
        const of = (point: IntradayPoint): SeriesPoint => ({ date: point.date, value: point[count] });
        // A day on which nothing fired is none of those that say what is usual.
        const fired = points.filter(({ triggers }, index) => triggers > 0 || index === points.length - 1);
        return { count, series: points.map(of), usual: usualValue(fired.map(of)) };
      }),
    [points],
  );
  return (
    <>
      <p className={runs['note']}>{text('trends.intraday.definition')}</p>
      <div className={classes['charts']}>
        {all.map(({ count, series, usual }) => (
          <TrendChart
            key={count}
            name={text(`trend.${count}`)}
            series={series}
            usual={usual}
            format={whole}
            ceiling={LEAST_COUNT}
          />
        ))}
      </div>
      <TrendTable
        name={text('trends.intraday')}
        points={points}
        fields={COUNTS}
        valueOf={(point, field) => point[field]}
      />
    </>
  );
}

type TrendField = (typeof COUNTS)[number] | Exclude<keyof EntityResolutionPoint, 'date'>;

/** The same as the charts in numbers, the newest day first. */
function TrendTable<Point extends { date: string }, Name extends TrendField>({
  name,
  points,
  fields,
  valueOf,
}: {
  name: string;
  points: readonly Point[];
  fields: readonly Name[];
  valueOf: (point: Point, field: Name) => string | number | null;
}): ReactNode {
  const text = useText();
  return (
    <details className={classes['trendTable']}>
      <summary>{text('trends.table', { name })}</summary>
      <div className={runs['scroll']} role="region" aria-label={name} tabIndex={0}>
        <DataTable
          isDense
          label={name}
          rows={points.toReversed()}
          idOf={({ date }) => date}
          columns={[
            { id: 'date', head: text('trends.date'), kind: 'name', render: ({ date }) => date },
            ...fields.map((field): Column<Point> => ({
              id: field,
              head: text(`trend.${field}`),
              kind: 'number',
              render: (point) => <FactValue value={valueOf(point, field)} kind="number" />,
            })),
          ]}
        />
      </div>
    </details>
  );
}
