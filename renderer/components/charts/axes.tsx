import { useElementSize } from '@mantine/hooks';
import { scaleLinear, type ScaleLinear } from 'd3-scale';
import type { ReactNode, RefCallback } from 'react';
import classes from './charts.module.css';

/** In CSS pixels, like the whole drawing: it fills the available width, and letters keep their size. */
export const HEIGHT = 190;
export const EDGES = { left: 52, top: 8, bottom: HEIGHT - 22 };
/** Until the element has been measured. */
const FIRST_WIDTH = 960;
/** Minimum width per label; labels without room are left out. */
const LABEL_WIDTH = 46;
/** Low counts still get a scale. */
const LEAST_CEILING = 2;
const TICKS = 3;

/** The width of a drawing that fills its element. */
export function useChartWidth(): { ref: RefCallback<HTMLDivElement>; width: number } {
  const { ref, width } = useElementSize<HTMLDivElement>();
  return { ref, width: Math.max(EDGES.left + LABEL_WIDTH, Math.floor(width === 0 ? FIRST_WIDTH : width)) };
}

export function countScale(counts: readonly number[]): ScaleLinear<number, number> {
  return scaleLinear([0, Math.max(LEAST_CEILING, ...counts)], [EDGES.bottom, EDGES.top]).nice(TICKS);
}

export interface AxisLabel {
  key: string;
  label: string;
  /** Where its middle stands. */
  x: number;
}

/** Rules with their counts, and the labels below that fit: one overlaps neither the one before it nor the edge. */
export function Axes({
  y,
  width,
  labels,
}: {
  y: ScaleLinear<number, number>;
  width: number;
  labels: readonly AxisLabel[];
}): ReactNode {
  const kept: AxisLabel[] = [];
  for (const one of labels) {
    const free = (kept.at(-1)?.x ?? Number.NEGATIVE_INFINITY) + LABEL_WIDTH;
    if (one.x >= free && one.x + LABEL_WIDTH / 2 <= width) kept.push(one);
  }
  return (
    <>
      {y
        .ticks(TICKS)
        .filter(Number.isInteger)
        .map((tick) => (
          <g key={tick}>
            <path d={`M${EDGES.left} ${y(tick)}H${width}`} className={classes['grid']} />
            <text x={EDGES.left - 8} y={y(tick) + 4} textAnchor="end" className={classes['axis']}>
              {tick.toLocaleString('en-US')}
            </text>
          </g>
        ))}
      {kept.map(({ key, label, x }) => (
        <text key={key} x={x} y={HEIGHT - 6} textAnchor="middle" className={classes['axis']}>
          {label}
        </text>
      ))}
    </>
  );
}
