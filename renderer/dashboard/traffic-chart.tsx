import { scaleBand, scaleLinear } from 'd3-scale';
import { curveStepAfter, line } from 'd3-shape';
import { useId, type ReactNode } from 'react';
import { kstText } from '../../shared/ui/time/format.ts';
import { KstTime } from '../../shared/ui/time/times.tsx';
import type { Traffic } from '../../shared/wire/console.ts';
import { useText } from '../i18n/use-text.ts';
import parts from '../parts/parts.module.css';
import classes from './dashboard.module.css';

/** In units of the drawing, which is as wide as the screen lets it be. */
const WIDTH = 960;
const HEIGHT = 190;
const EDGES = { left: 52, right: WIDTH, top: 8, bottom: HEIGHT - 22 };
/** A quiet day still has a scale. */
const LEAST_CEILING = 2;
const TICKS = 3;
const HOURS_PER_LABEL = 3;

/** Bars for these 24 hours, a stepped line for the ones before, errors as the hatched part of a bar. */
export function TrafficChart({ traffic }: { traffic: Traffic }): ReactNode {
  const text = useText();
  const hatching = useId();
  const { hours } = traffic;
  const most = Math.max(LEAST_CEILING, ...hours.flatMap((hour) => [hour.requests, hour.dayBefore.requests]));
  const x = scaleBand(
    hours.map(({ at }) => at),
    [EDGES.left, EDGES.right],
  ).padding(0.3);
  const y = scaleLinear([0, most], [EDGES.bottom, EDGES.top]).nice(TICKS);
  const barOf = (at: string, count: number) => ({
    x: x(at) ?? 0,
    y: y(count),
    width: x.bandwidth(),
    height: EDGES.bottom - y(count),
  });
  const last = hours.at(-1);
  const before = hours.map(({ dayBefore }, index) => [EDGES.left + index * x.step(), y(dayBefore.requests)] as const);
  // A step holds until the next one begins; the last until the edge.
  if (last !== undefined) before.push([EDGES.right, y(last.dayBefore.requests)]);
  const steps = line<readonly [number, number]>().curve(curveStepAfter)(before);
  return (
    <figure className={classes['chart']}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={text('traffic.chart', totalsOf(traffic))}>
        <defs>
          <pattern id={hatching} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect width="5" height="5" className={classes['errorGround']} />
            <path d="M0 0V5" className={classes['errorLine']} />
          </pattern>
        </defs>
        {y
          .ticks(TICKS)
          .filter(Number.isInteger)
          .map((tick) => (
            <g key={tick}>
              <path d={`M${EDGES.left} ${y(tick)}H${EDGES.right}`} className={classes['grid']} />
              <text x={EDGES.left - 8} y={y(tick) + 4} textAnchor="end" className={classes['axis']}>
                {tick.toLocaleString('en-US')}
              </text>
            </g>
          ))}
        {hours.map(({ at, requests, errors }, index) => (
          <g key={at}>
            <rect {...barOf(at, requests)} className={classes['bar']} />
            <rect {...barOf(at, errors)} fill={`url(#${hatching})`} />
            {index % HOURS_PER_LABEL === 0 && (
              <text x={(x(at) ?? 0) + x.bandwidth() / 2} y={HEIGHT - 6} textAnchor="middle" className={classes['axis']}>
                {kstText(at)?.slice(11, 16)}
              </text>
            )}
          </g>
        ))}
        {steps !== null && <path d={steps} className={classes['before']} />}
      </svg>
      <figcaption className={parts['quiet']}>
        <KstTime at={traffic.from} /> – <KstTime at={traffic.to} /> · {text('traffic.legend')}
      </figcaption>
    </figure>
  );
}

function totalsOf({ requests, errors, dayBefore }: Traffic): Record<string, number> {
  return { requests, errors, before: dayBefore.requests };
}
