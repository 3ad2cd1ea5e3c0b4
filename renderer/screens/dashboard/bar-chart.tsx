import { useElementSize } from '@mantine/hooks';
import { scaleBand, scaleLinear } from 'd3-scale';
import { curveStepAfter, line } from 'd3-shape';
import { useId, type ReactNode } from 'react';
import parts from '../../components/parts/parts.module.css';
import classes from './dashboard.module.css';

/** In CSS pixels, like the whole drawing: it fills the available width, and letters keep their size. */
const HEIGHT = 190;
const EDGES = { left: 52, top: 8, bottom: HEIGHT - 22 };
/** Until the element has been measured. */
const FIRST_WIDTH = 960;
/** Minimum width per label; labels without room are left out. */
const LABEL_WIDTH = 46;
/** Low counts still get a scale. */
const LEAST_CEILING = 2;
const TICKS = 3;

export interface Bar {
  key: string;
  /** Under the bar; null without room. */
  label: string | null;
  count: number;
  /** The hatched share of the count. */
  part: number;
  /** Height of the stepped line; absent without one. */
  before?: number;
}

/**
 * Bars with a hatched part, and an optional stepped line for comparison. The caller must show the numbers beside it as
 * a table.
 */
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
  const { ref, width: measured } = useElementSize<HTMLDivElement>();
  const width = Math.max(EDGES.left + LABEL_WIDTH, Math.floor(measured === 0 ? FIRST_WIDTH : measured));
  const most = Math.max(LEAST_CEILING, ...bars.flatMap(({ count, before = 0 }) => [count, before]));
  const x = scaleBand(
    bars.map(({ key }) => key),
    [EDGES.left, width],
  ).padding(0.3);
  const y = scaleLinear([0, most], [EDGES.bottom, EDGES.top]).nice(TICKS);
  const barOf = (key: string, count: number) => ({
    x: x(key) ?? 0,
    y: y(count),
    width: x.bandwidth(),
    height: EDGES.bottom - y(count),
  });
  const labelled = labelsThatFit(bars, (key) => (x(key) ?? 0) + x.bandwidth() / 2, width);
  const before = bars.flatMap((bar, index) =>
    bar.before === undefined ? [] : [[EDGES.left + index * x.step(), y(bar.before)] as const],
  );
  const last = before.at(-1);
  // A step holds until the next one begins; the last until the edge.
  if (last !== undefined) before.push([width, last[1]]);
  const steps = line<readonly [number, number]>().curve(curveStepAfter)(before);
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
          {bars.map((bar) => (
            <g key={bar.key}>
              <rect {...barOf(bar.key, bar.count)} className={classes['bar']} />
              <rect {...barOf(bar.key, bar.part)} fill={`url(#${hatching})`} />
              {labelled.has(bar.key) && (
                <text
                  x={(x(bar.key) ?? 0) + x.bandwidth() / 2}
                  y={HEIGHT - 6}
                  textAnchor="middle"
                  className={classes['axis']}
                >
                  {bar.label}
                </text>
              )}
            </g>
          ))}
          {steps !== null && <path d={steps} className={classes['before']} />}
        </svg>
      </div>
      <figcaption className={parts['quiet']}>{children}</figcaption>
    </figure>
  );
}

/** The bars whose label fits: it overlaps neither the one before it nor the edge. */
function labelsThatFit(bars: readonly Bar[], middleOf: (key: string) => number, width: number): ReadonlySet<string> {
  const kept = new Set<string>();
  let free = Number.NEGATIVE_INFINITY;
  for (const { key, label } of bars) {
    const middle = middleOf(key);
    if (label === null || middle - LABEL_WIDTH / 2 < free || middle + LABEL_WIDTH / 2 > width) continue;
    kept.add(key);
    free = middle + LABEL_WIDTH / 2;
  }
  return kept;
}
