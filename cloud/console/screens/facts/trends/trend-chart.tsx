import { useElementSize } from '@mantine/hooks';
import { scaleLinear } from 'd3-scale';
import { line } from 'd3-shape';
import type { PointerEvent, ReactNode } from 'react';
import { useText } from '../../../i18n/use-text.ts';
import type { DayMark } from './day-marks.ts';
import { stretchesOf, type SeriesPoint, type Usual } from './trend-series.ts';
import classes from './trends.module.css';

/** In CSS pixels, like the whole drawing: it takes the available width, and letters keep their size. */
const HEIGHT = 150;
const EDGES = { left: 44, right: 10, top: 8, bottom: HEIGHT - 32 };
/** Until the place has been measured. */
const FIRST_WIDTH = 420;
/** The space that keeps two dates apart. */
const LABEL_WIDTH = 52;
/** Up to this many days have a dot each. */
const DOTTED = 31;
const TICKS = 3;

export interface TrendChartProps {
  name: string;
  series: readonly SeriesPoint[];
  format: (value: number) => string;
  /** Null: without a usual band. */
  usual: Usual | null;
  /** The least top of the scale. */
  ceiling: number;
  marks: ReadonlyMap<string, DayMark>;
  /** The day that is read off, in all charts at once; null: the last one. */
  at: string | null;
  onAt: (date: string | null) => void;
}

/**
 * A line that breaks where nothing was measured, over the usual band. Days without trading are shaded, and days with a
 * blocked run have a mark. A day is read off with the pointer, or with the arrow keys once the chart has the focus.
 */
export function TrendChart({ name, series, usual, format, ceiling, marks, at, onAt }: TrendChartProps): ReactNode {
  const text = useText();
  const { ref, width: measured } = useElementSize<HTMLDivElement>();
  const width = Math.max(EDGES.left + EDGES.right + LABEL_WIDTH, measured === 0 ? FIRST_WIDTH : Math.floor(measured));
  const right = width - EDGES.right;
  const values = series.flatMap(({ value }) => (value === null ? [] : [value]));
  const steps = Math.max(1, series.length - 1);
  const x = scaleLinear([0, steps], [EDGES.left, right]);
  const y = scaleLinear([0, Math.max(ceiling, usual?.high ?? 0, ...values)], [EDGES.bottom, EDGES.top]).nice(TICKS);
  const draw = line<{ index: number; value: number }>()
    .x(({ index }) => x(index))
    .y(({ value }) => y(value));
  const chosen = series.findIndex(({ date }) => date === at);
  const index = chosen === -1 ? series.length - 1 : chosen;
  const point = series[index];
  const told = (value: number | null | undefined): string =>
    value === null || value === undefined ? text('trends.noLast') : format(value);
  const usualText =
    usual === null
      ? text('trends.noUsual')
      : text('trends.usual', { value: format(usual.middle), low: format(usual.low), high: format(usual.high) });
  const dayText = useDayText();
  const saysOf = (one: SeriesPoint | undefined): string =>
    one === undefined ? '' : `${dayText(one.date, marks.get(one.date))}: ${told(one.value)}`;
  const label = text('trends.chart', {
    name,
    from: series[0]?.date ?? '',
    to: series.at(-1)?.date ?? '',
    measured: values.length,
    gaps: series.length - values.length,
    last: told(series.at(-1)?.value),
    usual: usualText,
    least: told(values.length === 0 ? null : Math.min(...values)),
    most: told(values.length === 0 ? null : Math.max(...values)),
  });
  const follow = (event: PointerEvent): void => {
    const { left } = event.currentTarget.getBoundingClientRect();
    const place = Math.round(x.invert(event.clientX - left));
    onAt(series[Math.min(Math.max(place, 0), series.length - 1)]?.date ?? null);
  };
  const every = Math.max(1, Math.ceil((LABEL_WIDTH * series.length) / (right - EDGES.left)));
  const half = (x(1) - x(0)) / 2;
  return (
    <figure className={classes['chart']}>
      <figcaption>
        <strong>{name}</strong> <output className={classes['read']}>{saysOf(point)}</output>{' '}
        <span className={classes['usualText']}>{usualText}</span>
      </figcaption>
      <div ref={ref} className={classes['plot']} onPointerMove={follow} onPointerLeave={() => onAt(null)}>
        <svg width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={label}>
          {series.map(({ date }, place) =>
            marks.get(date)?.isTrading === false ? (
              <rect
                key={date}
                data-closed
                className={classes['closed']}
                x={Math.max(EDGES.left, x(place) - half)}
                width={Math.min(right, x(place) + half) - Math.max(EDGES.left, x(place) - half)}
                y={EDGES.top}
                height={EDGES.bottom - EDGES.top}
              />
            ) : null,
          )}
          {usual !== null && (
            <rect
              className={classes['band']}
              x={EDGES.left}
              width={right - EDGES.left}
              y={y(usual.high)}
              height={Math.max(1, y(usual.low) - y(usual.high))}
            />
          )}
          {y.ticks(TICKS).map((tick) => (
            <g key={tick}>
              <path d={`M${EDGES.left} ${y(tick)}H${right}`} className={classes['grid']} />
              <text x={EDGES.left - 6} y={y(tick) + 4} textAnchor="end" className={classes['axisText']}>
                {format(tick)}
              </text>
            </g>
          ))}
          {usual !== null && (
            <path d={`M${EDGES.left} ${y(usual.middle)}H${right}`} className={classes['usual']} data-usual />
          )}
          {stretchesOf(series).map((stretch) => (
            <g key={stretch[0]?.index}>
              <path d={draw(stretch) ?? ''} className={classes['line']} data-line />
              {(series.length <= DOTTED || stretch.length === 1) &&
                stretch.map(({ index: place, value }) => (
                  <circle key={place} cx={x(place)} cy={y(value)} r="2" className={classes['dot']} />
                ))}
            </g>
          ))}
          {series.map(({ date }, place) => {
            const runs = marks.get(date)?.runs;
            return runs !== null && runs !== undefined && runs.blocked + runs.missed > 0 ? (
              <path key={date} data-mark className={classes['mark']} d={`M${x(place)} ${EDGES.bottom + 3}l4 7h-8z`} />
            ) : null;
          })}
          {series.map(({ date }, place) =>
            place % every === 0 && x(place) + LABEL_WIDTH / 2 <= width ? (
              <text key={date} x={x(place)} y={HEIGHT - 6} textAnchor="middle" className={classes['axisText']}>
                {date.slice(5)}
              </text>
            ) : null,
          )}
          {chosen !== -1 && (
            <g data-read={at}>
              <path d={`M${x(index)} ${EDGES.top}V${EDGES.bottom}`} className={classes['cross']} />
              {point !== undefined && point.value !== null && (
                <circle cx={x(index)} cy={y(point.value)} r="4" className={classes['at']} />
              )}
            </g>
          )}
        </svg>
        <input
          type="range"
          className={classes['range']}
          aria-label={text('trends.read', { name })}
          aria-valuetext={saysOf(point)}
          min={0}
          max={steps}
          value={Math.max(0, index)}
          onChange={({ currentTarget: { value } }) => onAt(series[Number(value)]?.date ?? null)}
          onBlur={() => onAt(null)}
        />
      </div>
    </figure>
  );
}

/** The text of a day's marks: no trading, blocked or missing runs. */
export function useDayText(): (date: string, mark: DayMark | undefined) => string {
  const text = useText();
  return (date, mark) => {
    const { blocked, missed } = mark?.runs ?? { blocked: 0, missed: 0 };
    return [
      date,
      ...(mark?.isTrading === false ? [text('trends.closed')] : []),
      ...(blocked + missed > 0 ? [text('trends.badRuns', { blocked, missed })] : []),
    ].join(' · ');
  };
}
