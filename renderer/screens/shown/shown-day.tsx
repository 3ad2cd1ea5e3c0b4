import { Button } from '@mantine/core';
import { useId, type ReactNode } from 'react';
import { kstDayEnd } from '../../../shared/time/kst.ts';
import { Panel } from '../../../shared/ui/parts/panel.tsx';
import { DataTable } from '../../../shared/ui/table/data-table.tsx';
import { kstText } from '../../../shared/ui/time/format.ts';
import { KstTime, NoValue } from '../../../shared/ui/time/times.tsx';
import type { ShownDay, ShownSpan } from '../../../shared/wire/console/console.ts';
import parts from '../../components/parts/parts.module.css';
import { useText } from '../../i18n/use-text.ts';
import { useShownWords, wasExposed } from './shown-words.ts';
import { ShownText } from './shown-text.tsx';
import classes from './shown.module.css';

const DAY_S = 86_400;
const HOURS = ['00:00', '06:00', '12:00', '18:00', '24:00'];

/** A moment of the address as an ISO instant; null for a text that is none. */
export function momentOf(at: string): string | null {
  const time = Date.parse(at);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

/** The day as a band with a pointer, the text at the pointer, and the same changes as a table. */
export function ShownDayView({
  day,
  at,
  onMove,
}: {
  day: ShownDay;
  at: string | null;
  onMove: (at: string) => void;
}): ReactNode {
  const text = useText();
  const { stateOf, causesOf } = useShownWords();
  const { spans } = day;
  const asked = at === null ? null : momentOf(at);
  const isWithin = asked !== null && asked >= day.from && asked <= day.to;
  const wanted = isWithin ? asked : (spans.at(-1)?.from ?? day.from);
  const index = Math.max(
    0,
    spans.findLastIndex(({ from }) => from <= wanted),
  );
  const span = spans[index];
  const goTo = (to: ShownSpan | undefined): void => {
    if (to !== undefined) onMove(to.from);
  };
  if (span === undefined) return null;
  return (
    <>
      {at !== null && !isWithin && <p role="status">{text('shown.otherMoment', { at, date: day.date })}</p>}
      <Band day={day} at={wanted} onMove={onMove} state={stateOf(span.showing)} />
      <div className={classes['steps']}>
        <Button size="compact-sm" variant="default" disabled={index === 0} onClick={() => goTo(spans[index - 1])}>
          {text('shown.earlier')}
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          disabled={index === spans.length - 1}
          onClick={() => goTo(spans[index + 1])}
        >
          {text('shown.later')}
        </Button>
        <span className={parts['quiet']}>{text('shown.legend')}</span>
      </div>
      <ShownText span={span} at={wanted} begins={day.recordBegins} />
      <Panel title={text('shown.changes')} level={2}>
        <DataTable
          label={text('shown.changes')}
          rows={spans}
          idOf={({ from }) => from}
          isCurrent={(row) => row === span}
          columns={[
            {
              id: 'from',
              head: text('shown.from'),
              kind: 'name',
              render: (row) => (
                <Button size="compact-sm" variant="subtle" onClick={() => goTo(row)}>
                  {kstText(row.from, 'second')}
                </Button>
              ),
            },
            { id: 'state', head: text('shown.state'), render: (row) => stateOf(row.showing) },
            {
              id: 'text',
              head: text('shown.listed'),
              lang: 'ko',
              render: ({ showing }) =>
                showing.state === 'GIVEN' ? <span className={classes['listed']}>{showing.text}</span> : <NoValue />,
            },
            {
              id: 'cause',
              head: text('shown.cause'),
              kind: 'wide',
              render: (row) => (
                <ul className={classes['causes']}>
                  {causesOf(row).map((cause) => (
                    <li key={cause}>{cause}</li>
                  ))}
                </ul>
              ),
            },
          ]}
        />
        <p className={parts['quiet']}>
          {text('quality.asOf')} <KstTime at={day.readAt} precision="second" />
        </p>
      </Panel>
    </>
  );
}

function Band({
  day,
  at,
  state,
  onMove,
}: {
  day: ShownDay;
  at: string;
  state: string;
  onMove: (at: string) => void;
}): ReactNode {
  const text = useText();
  const hatching = useId();
  const begins = Date.parse(day.from);
  const second = (instant: string): number => (Date.parse(instant) - begins) / 1_000;
  const label = text('shown.band', { ticker: day.ticker, date: day.date, count: day.spans.length - 1 });
  const isWhole = day.to === kstDayEnd(day.date).toISOString();
  const last = isWhole ? DAY_S - 1 : Math.floor(second(day.to));
  const moveTo = (seconds: number): void => {
    // The day may end between two whole seconds: the pointer stays within it.
    const to = new Date(begins + seconds * 1_000).toISOString();
    onMove(to > day.to ? day.to : to);
  };
  return (
    <>
      <div className={classes['frame']}>
        <svg
          className={classes['band']}
          viewBox={`0 0 ${DAY_S} 100`}
          preserveAspectRatio="none"
          role="img"
          aria-label={label}
        >
          <defs>
            <pattern id={hatching} width="900" height="50" patternUnits="userSpaceOnUse">
              <rect width="900" height="50" className={classes['nothingGround']} />
              <path d="M0 50L900 0" className={classes['nothingLine']} vectorEffect="non-scaling-stroke" />
            </pattern>
          </defs>
          {day.spans
            .filter(({ showing }) => showing.state !== 'UNKNOWN')
            .map(({ from, to, showing }) => (
              <rect
                key={from}
                x={second(from)}
                width={Math.max(0, second(to) - second(from))}
                height="100"
                className={wasExposed(showing) ? classes['exposed'] : undefined}
                fill={wasExposed(showing) ? undefined : `url(#${hatching})`}
              />
            ))}
          {!isWhole && (
            <rect x={second(day.to)} width={DAY_S - second(day.to)} height="100" className={classes['ahead']} />
          )}
          {day.spans.slice(1).map(({ from }) => (
            <path
              key={from}
              d={`M${second(from)} 0V100`}
              className={classes['border']}
              vectorEffect="non-scaling-stroke"
            />
          ))}
        </svg>
        <input
          type="range"
          className={classes['range']}
          aria-label={text('shown.pointer')}
          aria-valuetext={`${kstText(at, 'second') ?? at}, ${state}`}
          min={0}
          max={DAY_S - 1}
          step={60}
          value={Math.floor(second(at))}
          onChange={(event) => moveTo(Math.min(Number(event.currentTarget.value), last))}
        />
      </div>
      <svg className={classes['ticks']} viewBox={`0 0 ${DAY_S} 10`} preserveAspectRatio="none" aria-hidden="true">
        {day.spans.slice(1).map(({ from }) => (
          <path key={from} d={`M${second(from)} 0V10`} vectorEffect="non-scaling-stroke" />
        ))}
      </svg>
      <div className={classes['hours']} aria-hidden="true">
        {HOURS.map((hour) => (
          <span key={hour}>{hour}</span>
        ))}
      </div>
    </>
  );
}
