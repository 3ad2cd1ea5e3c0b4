import { line } from 'd3-shape';
import { useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { Axes, countScale, EDGES, HEIGHT, useChartWidth } from '../../components/charts/axes.tsx';
import charts from '../../components/charts/charts.module.css';
import parts from '../../components/parts/parts.module.css';
import { kstText } from '../../../shared/ui/time/format.ts';
import { KstTime } from '../../../shared/ui/time/times.tsx';
import type { Traffic } from '../../../shared/wire/console/console.ts';
import { useText } from '../../i18n/use-text.ts';
import { auditHref } from '../settings/audit-filter.ts';
import classes from './dashboard.module.css';
import { HOUR_MS, hourAfter, hourAt, markAt, placeOf } from './traffic-model.ts';
import { MarkSign, TrafficMarks } from './traffic-marks.tsx';

const HOURS_PER_LABEL = 3;
/** Pixels beside a mark that still press it. */
const REACH = 8;

/**
 * Lines of the requests and errors of 24 hours, and of the requests in the same hours of a week before. The hour at the
 * pointer, or chosen by the keys of a slider, is told in figures.
 */
export function TrafficChart({ traffic }: { traffic: Traffic }): ReactNode {
  const text = useText();
  const [, navigate] = useLocation();
  const { ref, width } = useChartWidth();
  const [chosen, setChosen] = useState<number | null>(null);
  const { hours, marks, requests, errors, weekBefore } = traffic;
  const edges = { left: EDGES.left, right: width };
  const step = (width - EDGES.left) / hours.length;
  const index = chosen ?? hours.length - 1;
  const hour = hours[index];
  const y = countScale(hours.flatMap((one) => [one.requests, one.weekBefore.requests]));
  const path = (counts: readonly number[], from = 0): string | undefined =>
    line<number>()
      .x((_, at) => EDGES.left + (from + at + 0.5) * step)
      .y((count) => y(count))(counts) ?? undefined;
  // The present hour is not over: its count is no fall.
  const over = hours.length - 1;
  const today = hours.map((one) => one.requests);
  const timeOf = (at: number): string => kstText(new Date(at).toISOString())?.slice(11) ?? '';
  const reading =
    hour === undefined
      ? ''
      : text('traffic.reading', {
          from: timeOf(Date.parse(hour.at)),
          to: timeOf(Date.parse(hour.at) + HOUR_MS),
          isRunning: String(index === over),
          requests: hour.requests,
          errors: hour.errors,
          before: hour.weekBefore.requests,
          errorsBefore: hour.weekBefore.errors,
        });
  const xOf = (event: { clientX: number; currentTarget: Element }): number =>
    event.clientX - event.currentTarget.getBoundingClientRect().left;
  return (
    <figure className={charts['chart']}>
      <p className={classes['reading']}>{reading}</p>
      <div
        ref={ref}
        className={`${charts['drawing'] ?? ''} ${classes['hour'] ?? ''}`}
        role="slider"
        tabIndex={0}
        aria-label={text('traffic.chart', { requests, errors, before: weekBefore.requests })}
        aria-valuemin={1}
        aria-valuemax={hours.length}
        aria-valuenow={index + 1}
        aria-valuetext={reading}
        onPointerMove={(event) => setChosen(hourAt(xOf(event), hours.length, edges))}
        onPointerLeave={() => setChosen(null)}
        onKeyDown={(event) => {
          const next = hourAfter(event.key, index, hours.length);
          if (next === null) return;
          event.preventDefault();
          setChosen(next);
        }}
        onClick={(event) => {
          const mark = markAt(xOf(event), traffic, { ...edges, reach: REACH });
          if (mark !== undefined) navigate(auditHref({ row: String(mark.seq) }));
        }}
      >
        <svg width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`} aria-hidden="true">
          <rect
            x={EDGES.left + index * step}
            y={EDGES.top}
            width={step}
            height={EDGES.bottom - EDGES.top}
            className={classes['chosen']}
          />
          <Axes
            y={y}
            width={width}
            labels={hours.flatMap(({ at }, n) =>
              n % HOURS_PER_LABEL === 0 ? { key: at, label: timeOf(Date.parse(at)), x: EDGES.left + n * step } : [],
            )}
          />
          {marks.map((mark) => (
            <g key={mark.seq} transform={`translate(${placeOf(mark.at, traffic, edges)} 0)`}>
              <path d={`M0 ${EDGES.top}V${EDGES.bottom}`} className={classes['markLine']} />
              <MarkSign mark={mark} />
            </g>
          ))}
          {weekBefore.requests > 0 && (
            <path d={path(hours.map((one) => one.weekBefore.requests))} className={classes['before']} />
          )}
          <path d={path(hours.map((one) => one.errors))} className={classes['errors']} />
          <path d={path(today.slice(0, over))} className={classes['today']} />
          <path d={path(today.slice(over - 1), over - 1)} className={classes['running']} />
          {hour !== undefined && (
            <circle cx={EDGES.left + (index + 0.5) * step} cy={y(hour.requests)} r="3.5" className={classes['point']} />
          )}
        </svg>
      </div>
      <figcaption className={parts['quiet']}>
        <KstTime at={traffic.from} /> – <KstTime at={traffic.to} />
        {(['today', 'before', 'errors'] as const).map((kind) => (
          <span key={kind} className={classes['key']}>
            <svg width="26" height="8" aria-hidden="true">
              <path d="M1 4H25" className={classes[kind]} />
            </svg>{' '}
            {text(kind === 'before' && weekBefore.requests === 0 ? 'traffic.line.none' : `traffic.line.${kind}`)}
          </span>
        ))}
      </figcaption>
      <TrafficMarks traffic={traffic} hour={chosen === null ? undefined : hour} />
    </figure>
  );
}
