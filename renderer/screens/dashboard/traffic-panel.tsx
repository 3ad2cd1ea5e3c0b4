import type { ReactNode } from 'react';
import { DataTable, type Column } from '../../../shared/ui/table/data-table.tsx';
import { EVEN } from '../../../shared/ui/parts/tiles.tsx';
import { KstTime } from '../../../shared/ui/time/times.tsx';
import { TRAFFIC_OUTCOMES, type Traffic } from '../../../shared/wire/console/console.ts';
import { useText } from '../../i18n/use-text.ts';
import parts from '../../components/parts/parts.module.css';
import classes from './dashboard.module.css';
import { Figure } from './figure.tsx';
import { TrafficChart } from './traffic-chart.tsx';

/** Anchor of the table by channel. */
const CHANNELS = 'traffic-channels';

type TrafficChannel = Traffic['channels'][number];

/** The channels' requests of 24 hours, hour by hour beside the same weekday of a week before, as a chart and a table. */
export function TrafficPanel({ traffic }: { traffic: Traffic }): ReactNode {
  const text = useText();
  return (
    <>
      <div data-tiles className={`${EVEN} ${classes['tiles']}`}>
        <TrafficNumber name={text('traffic.requests')} value={traffic.requests} before={traffic.weekBefore.requests} />
        <TrafficNumber name={text('traffic.errors')} value={traffic.errors} before={traffic.weekBefore.errors} />
      </div>
      <TrafficChart traffic={traffic} />
      <Hours traffic={traffic} />
      <h3 id={CHANNELS} tabIndex={-1} className={classes['tableTitle']}>
        {text('traffic.channels')}
      </h3>
      <DataTable
        label={text('traffic.channels')}
        rows={traffic.channels}
        idOf={({ channel }) => channel}
        columns={[
          {
            id: 'channel',
            head: text('traffic.channel'),
            kind: 'name',
            render: ({ channel }) => (channel === '' ? text('traffic.unknownChannel') : channel),
          },
          ...useCountColumns(),
          ...TRAFFIC_OUTCOMES.map((outcome) => ({
            id: outcome,
            head: text(`traffic.outcome.${outcome}`),
            kind: 'number' as const,
            render: ({ outcomes }: TrafficChannel) => outcomes[outcome].toLocaleString('en-US'),
          })),
        ]}
      />
      {traffic.channels.length === 0 && <p className={parts['quiet']}>{text('traffic.none')}</p>}
    </>
  );
}

/** Columns of requests and errors for both tables. */
function useCountColumns(): Column<{ requests: number; errors: number }>[] {
  const text = useText();
  return (['requests', 'errors'] as const).map((count) => ({
    id: count,
    head: text(`traffic.${count}`),
    kind: 'number',
    render: (row) => row[count].toLocaleString('en-US'),
  }));
}

/** A total over all channels; links to the table by channel. */
function TrafficNumber({ name, value, before }: { name: string; value: number; before: number }): ReactNode {
  const text = useText();
  return (
    <Figure
      href={`#${CHANNELS}`}
      name={name}
      value={value.toLocaleString('en-US')}
      note={text('traffic.weekBefore', { count: before })}
    />
  );
}

/** The chart as a table, for readers of numbers and for screen readers. */
function Hours({ traffic }: { traffic: Traffic }): ReactNode {
  const text = useText();
  return (
    <details className={classes['hours']}>
      <summary>{text('traffic.hours')}</summary>
      <DataTable
        label={text('traffic.hours')}
        rows={traffic.hours}
        idOf={({ at }) => at}
        isDense
        columns={[
          {
            id: 'at',
            head: text('traffic.hour'),
            kind: 'name',
            render: ({ at }) => <KstTime at={at} />,
          },
          ...useCountColumns(),
          {
            id: 'requestsBefore',
            head: text('traffic.requestsBefore'),
            kind: 'number',
            render: ({ weekBefore }) => weekBefore.requests.toLocaleString('en-US'),
          },
          {
            id: 'errorsBefore',
            head: text('traffic.errorsBefore'),
            kind: 'number',
            render: ({ weekBefore }) => weekBefore.errors.toLocaleString('en-US'),
          },
        ]}
      />
    </details>
  );
}
