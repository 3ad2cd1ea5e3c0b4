import { scaleBand } from 'd3-scale';
import { useId, type ReactNode } from 'react';
import parts from '../parts/parts.module.css';
import { Axes, countScale, EDGES, HEIGHT, useChartWidth } from './axes.tsx';
import classes from './charts.module.css';

export interface Bar {
  key: string;
  /** Under the bar; null without room. */
  label: string | null;
  count: number;
  /** The hatched share of the count. */
  part: number;
}

/** Bars with a hatched part. The caller must show the numbers beside it as a table. */
export function BarChart({
  label,
  bars,
  children,
}: {
  /** The content of the chart, in words. */
  label: string;
  bars: readonly Bar[];
  /** The legend. */
  children: ReactNode;
}): ReactNode {
  const hatching = useId();
  const { ref, width } = useChartWidth();
  const x = scaleBand(
    bars.map(({ key }) => key),
    [EDGES.left, width],
  ).padding(0.3);
  const y = countScale(bars.map(({ count }) => count));
  const barOf = (key: string, count: number) => ({
    x: x(key) ?? 0,
    y: y(count),
    width: x.bandwidth(),
    height: EDGES.bottom - y(count),
  });
  const labels = bars.flatMap((bar) =>
    bar.label === null ? [] : { ...bar, label: bar.label, x: (x(bar.key) ?? 0) + x.bandwidth() / 2 },
  );
  return (
    <figure className={classes['chart']}>
      <div ref={ref} className={classes['drawing']}>
        <svg width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={label}>
          <defs>
            <pattern id={hatching} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <rect width="5" height="5" className={classes['errorGround']} />
              <path d="M0 0V5" className={classes['errorLine']} />
            </pattern>
          </defs>
          <Axes y={y} width={width} labels={labels} />
          {bars.map((bar) => (
            <g key={bar.key}>
              <rect {...barOf(bar.key, bar.count)} className={classes['bar']} />
              <rect {...barOf(bar.key, bar.part)} fill={`url(#${hatching})`} />
            </g>
          ))}
        </svg>
      </div>
      <figcaption className={parts['quiet']}>{children}</figcaption>
    </figure>
  );
}
