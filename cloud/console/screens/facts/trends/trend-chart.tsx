import { scaleLinear } from 'd3-scale';
import { line } from 'd3-shape';
import type { ReactNode } from 'react';
import { useText } from '../../../i18n/use-text.ts';
import classes from '../values/facts.module.css';
import { stretchesOf, type SeriesPoint } from './trend-series.ts';

/** In units of the drawing, which is as wide as its place lets it be. */
const WIDTH = 320;
const HEIGHT = 110;
const EDGES = { left: 38, right: WIDTH - 6, top: 8, bottom: HEIGHT - 18 };
/** As many days have room for a dot each. */
const DOTTED = 31;
const TICKS = 2;

export interface TrendChartProps {
  name: string;
  series: readonly SeriesPoint[];
  format: (value: number) => string;
  /** Null: there is none. */
  usual: number | null;
  /** The least top of the scale. */
  ceiling: number;
}

/** A line that breaks where nothing was measured, with the usual value as a dashed one. */
export function TrendChart({ name, series, usual, format, ceiling }: TrendChartProps): ReactNode {
  const text = useText();
  const values = series.flatMap(({ value }) => (value === null ? [] : [value]));
  const x = scaleLinear([0, Math.max(1, series.length - 1)], [EDGES.left, EDGES.right]);
  const y = scaleLinear([0, Math.max(ceiling, ...values)], [EDGES.bottom, EDGES.top]).nice(TICKS);
  const draw = line<{ index: number; value: number }>()
    .x(({ index }) => x(index))
    .y(({ value }) => y(value));
  const last = series.at(-1);
  const from = series[0]?.date ?? '';
  const lastText = last === undefined || last.value === null ? text('trends.noLast') : format(last.value);
  const usualText = usual === null ? text('trends.noUsual') : text('trends.usual', { value: format(usual) });
  const label = text('trends.chart', {
    name,
    from,
    to: last?.date ?? '',
    measured: values.length,
    gaps: series.length - values.length,
    last: lastText,
    usual: usual === null ? text('trends.noUsual') : format(usual),
    least: values.length === 0 ? text('trends.noLast') : format(Math.min(...values)),
    most: values.length === 0 ? text('trends.noLast') : format(Math.max(...values)),
  });
  return (
    <figure className={classes['chart']}>
      <figcaption>
        <strong>{name}</strong> <span>{lastText}</span> <span className={classes['usualText']}>{usualText}</span>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
        {y.ticks(TICKS).map((tick) => (
          <g key={tick}>
            <path d={`M${EDGES.left} ${y(tick)}H${EDGES.right}`} className={classes['grid']} />
            <text x={EDGES.left - 5} y={y(tick) + 3.5} textAnchor="end" className={classes['axisText']}>
              {format(tick)}
            </text>
          </g>
        ))}
        {usual !== null && <path d={`M${EDGES.left} ${y(usual)}H${EDGES.right}`} className={classes['usual']} />}
        {stretchesOf(series).map((stretch) => (
          <g key={stretch[0]?.index}>
            <path d={draw(stretch) ?? ''} className={classes['line']} />
            {(series.length <= DOTTED || stretch.length === 1) &&
              stretch.map(({ index, value }) => (
                <circle key={index} cx={x(index)} cy={y(value)} r="2" className={classes['dot']} />
              ))}
          </g>
        ))}
        <text x={EDGES.left} y={HEIGHT - 4} className={classes['axisText']}>
          {from.slice(5)}
        </text>
        <text x={EDGES.right} y={HEIGHT - 4} textAnchor="end" className={classes['axisText']}>
          {last?.date.slice(5)}
        </text>
      </svg>
    </figure>
  );
}
