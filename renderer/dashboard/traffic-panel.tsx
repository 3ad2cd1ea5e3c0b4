import type { ReactNode } from 'react';
import { DataTable } from '../../shared/ui/table/data-table.tsx';
import { KstTime } from '../../shared/ui/time/times.tsx';
import { kstText } from '../../shared/ui/time/format.ts';
import { TRAFFIC_OUTCOMES, type Traffic } from '../../shared/wire/console.ts';
import { useText } from '../i18n/use-text.ts';
import parts from '../parts/parts.module.css';
import classes from './dashboard.module.css';

type TrafficChannel = Traffic['channels'][number];

/** What the channels asked for in 24 hours, hour by hour beside the day before; the same as a table. */
export function TrafficPanel({ traffic }: { traffic: Traffic }): ReactNode {
  const text = useText();
  return (
    <>
      <div className={classes['tiles']}>
        <TrafficNumber name={text('traffic.requests')} value={traffic.requests} before={traffic.dayBefore.requests} />
        <TrafficNumber name={text('traffic.errors')} value={traffic.errors} before={traffic.dayBefore.errors} />
      </div>
      <TrafficChart traffic={traffic} />
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
          {
            id: 'requests',
            head: text('traffic.requests'),
            kind: 'number',
            render: ({ requests }) => requests.toLocaleString('en-US'),
          },
          {
            id: 'errors',
            head: text('traffic.errors'),
            kind: 'number',
            render: ({ errors }) => errors.toLocaleString('en-US'),
          },
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

function TrafficNumber({ name, value, before }: { name: string; value: number; before: number }): ReactNode {
  const text = useText();
  return (
    <div className={classes['tile']}>
      <span className={classes['tileName']}>{name}</span>
      <span className={classes['number']}>{value.toLocaleString('en-US')}</span>
      <span className={classes['share']}>{text('traffic.dayBefore', { count: before })}</span>
    </div>
  );
}

const WIDTH = 960;
const HEIGHT = 190;
const FOOT = 22;
const LEFT = 52;
const TOP = 8;

/** Bars for these 24 hours, a stepped line for the ones before, errors as the hatched part of a bar. */
function TrafficChart({ traffic }: { traffic: Traffic }): ReactNode {
  const text = useText();
  const { hours } = traffic;
  const most = Math.max(2, ...hours.flatMap((hour) => [hour.requests, hour.dayBefore.requests]));
  const ceiling = niceCeiling(most);
  const inner = HEIGHT - FOOT - TOP;
  const step = (WIDTH - LEFT) / Math.max(1, hours.length);
  const y = (count: number): number => TOP + inner - (count / ceiling) * inner;
  const before = hours
    .map((hour, index) => {
      const level = y(hour.dayBefore.requests).toFixed(1);
      return `${index === 0 ? 'M' : 'L'}${(LEFT + index * step).toFixed(1)} ${level}H${(LEFT + (index + 1) * step).toFixed(1)}`;
    })
    .join('');
  return (
    <figure className={classes['chart']}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={text('traffic.chart', totals(traffic))}>
        <defs>
          <pattern id="traffic-errors" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect width="5" height="5" className={classes['errorGround']} />
            <path d="M0 0V5" className={classes['errorLine']} />
          </pattern>
        </defs>
        {[0, 0.5, 1].map((part) => (
          <g key={part}>
            <path d={`M${LEFT} ${y(ceiling * part)}H${WIDTH}`} className={classes['grid']} />
            <text x={LEFT - 8} y={y(ceiling * part) + 4} textAnchor="end" className={classes['axis']}>
              {Math.round(ceiling * part).toLocaleString('en-US')}
            </text>
          </g>
        ))}
        {hours.map((hour, index) => {
          const x = LEFT + index * step + step * 0.15;
          return (
            <g key={hour.at}>
              <rect
                x={x}
                y={y(hour.requests)}
                width={step * 0.7}
                height={TOP + inner - y(hour.requests)}
                className={classes['bar']}
              />
              <rect
                x={x}
                y={y(hour.errors)}
                width={step * 0.7}
                height={TOP + inner - y(hour.errors)}
                fill="url(#traffic-errors)"
              />
              {index % 3 === 0 && (
                <text x={x + step * 0.35} y={HEIGHT - 6} textAnchor="middle" className={classes['axis']}>
                  {kstText(hour.at)?.slice(11, 16)}
                </text>
              )}
            </g>
          );
        })}
        <path d={before} className={classes['before']} />
      </svg>
      <figcaption className={parts['quiet']}>
        <KstTime at={traffic.from} /> – <KstTime at={traffic.to} /> · {text('traffic.legend')}
      </figcaption>
    </figure>
  );
}

function totals({ requests, errors, dayBefore }: Traffic): Record<string, number> {
  return { requests, errors, before: dayBefore.requests };
}

/** The next round number: 1, 2 or 5 times a power of ten. */
function niceCeiling(count: number): number {
  const power = 10 ** Math.floor(Math.log10(count));
  return ([1, 2, 5, 10].find((factor) => factor * power >= count) ?? 10) * power;
}
