import { useEffect, useEffectEvent, useRef, useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useText } from '../../i18n/use-text.ts';
import { LaneName } from '../../runs/run-badges.tsx';
import { SlotMark } from '../../runs/run-strip.tsx';
import { placesOf } from '../../runs/slots.ts';
import { reachedIn, type GridRow } from './grid-rows.ts';
import runs from '../../runs/runs.module.css';
import strip from '../../runs/strip.module.css';
import classes from './history.module.css';
import { nextSlot } from './next-slot.ts';

export interface RunGridTableProps {
  rows: readonly GridRow[];
  openKey: string | null;
  hrefOf: (runKey: string) => string;
  /** One day alone, of one lane or of those in view. */
  dayHref: (date: string, lane: string | null) => string;
}

/** Lanes by days. One stop of Tab: arrows, Home and End move between slots, those without a run included. */
export function RunGridTable({ rows, openKey, hrefOf, dayHref }: RunGridTableProps): ReactNode {
  const text = useText();
  const table = useRef<HTMLTableElement>(null);
  const days = rows[0]?.cells.map(({ date }) => date) ?? [];
  // Where not all days fit, the newest stay in view through every change of width (a pane, a late font), until the user
  // scrolls away from them.
  useEffect(() => {
    const place = table.current?.parentElement;
    if (table.current === null || place === null || place === undefined) return undefined;
    place.scrollLeft = place.scrollWidth;
    let isAtEnd = true;
    const look = (): void => {
      isAtEnd = place.scrollLeft + place.clientWidth >= place.scrollWidth - 1;
    };
    const sizes = new ResizeObserver(() => {
      if (isAtEnd) place.scrollLeft = place.scrollWidth;
    });
    sizes.observe(table.current);
    sizes.observe(place);
    place.addEventListener('scroll', look);
    return () => {
      sizes.disconnect();
      place.removeEventListener('scroll', look);
    };
  }, []);

  const slots = rows.map(reachedIn);
  const keys = new Set(slots.flat().map(({ key }) => key));
  const [visited, setVisited] = useState<string | null>(null);
  const stop = [visited, openKey].find((key) => key !== null && keys.has(key)) ?? slots.flat().at(-1)?.key;

  const go = useEffectEvent((event: KeyboardEvent): void => {
    const from = keyOf(event.target);
    if (from === undefined || event.altKey || event.metaKey || event.shiftKey) return;
    const placed = slots.map((row) => row.map(({ key, at }) => ({ key, at: Date.parse(at) })));
    const next = nextSlot(placed, from, `${event.ctrlKey ? 'Control+' : ''}${event.key}`);
    if (next === null) return;
    event.preventDefault();
    table.current?.querySelector<HTMLElement>(`[data-slot="${CSS.escape(next)}"]`)?.focus();
  });
  // On the table as a whole, which is no control itself.
  useEffect(() => {
    const listening = new AbortController();
    const { signal } = listening;
    table.current?.addEventListener('keydown', (event) => go(event), { signal });
    table.current?.addEventListener('focusin', ({ target }) => setVisited(keyOf(target) ?? null), { signal });
    return () => listening.abort();
  }, []);
  // A panel that opens below takes height from the grid.
  useEffect(() => {
    if (openKey === null) return;
    const open = table.current?.querySelector(`[data-slot="${CSS.escape(openKey)}"]`);
    open?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [openKey]);

  return (
    <table ref={table} className={classes['grid']} aria-label={text('history.table')}>
      <thead>
        <tr>
          <th scope="col">{text('field.lane')}</th>
          {days.map((date) => (
            <th key={date} scope="col" data-weekend={isWeekend(date) || undefined}>
              {days.length === 1 ? (
                date
              ) : (
                <Link href={dayHref(date, null)} title={text('history.dayAlone', { date })} tabIndex={-1}>
                  <span className={classes['year']}>{date.slice(0, 5)}</span>
                  {date.slice(5)}
                </Link>
              )}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <LaneRow key={row.lane} row={row} openKey={openKey} stop={stop} hrefOf={hrefOf} dayHref={dayHref} />
        ))}
      </tbody>
    </table>
  );
}

/** A slot has the same place on every day; the hours of the places stand below the name of the lane. */
function LaneRow({
  row: { lane, cells },
  openKey,
  stop,
  hrefOf,
  dayHref,
}: Pick<RunGridTableProps, 'openKey' | 'hrefOf' | 'dayHref'> & {
  row: GridRow;
  stop: string | undefined;
}): ReactNode {
  const text = useText();
  const isAlone = cells.length === 1;
  const isCounted = cells.some(({ counts }) => counts !== null);
  const places = placesOf(isAlone || isCounted ? [] : cells.map(({ slots }) => slots));
  return (
    <tr>
      <th scope="row">
        <span className={classes['laneCell']}>
          <LaneName lane={lane} />
        </span>
        {places.hours.length > 1 && (
          <span className={classes['cell']} aria-hidden="true">
            {places.hours.map((hour, index) => (
              <span key={index} className={strip['hour']}>
                {hour}
              </span>
            ))}
          </span>
        )}
      </th>
      {cells.map(({ date, slots, counts }) => (
        <td key={date} data-weekend={isWeekend(date) || undefined}>
          {counts !== null || isAlone || (isCounted && slots.length > 0) ? (
            <span className={isAlone ? classes['alone'] : classes['counted']}>
              {(counts ?? slots.map((slot) => ({ latest: slot, count: undefined }))).map(({ latest, count }) => (
                <SlotMark
                  key={latest.key}
                  slot={latest}
                  {...(count === undefined ? {} : { count })}
                  isOpen={latest.key === openKey}
                  isTabStop={latest.key === stop}
                  href={hrefOf(latest.key)}
                />
              ))}
              {counts !== null && (
                <Link className={classes['all']} href={dayHref(date, lane)} tabIndex={-1}>
                  {text('history.allOfDay', { count: slots.length })}
                </Link>
              )}
            </span>
          ) : slots.length === 0 ? (
            <span className={runs['quiet']} role="img" aria-label={text('history.none')}>
              ·
            </span>
          ) : (
            <span className={classes['cell']}>
              {places.of(slots).map((place, index) => (
                <span key={index} className={classes['place']}>
                  {place.map((slot) => (
                    <SlotMark
                      key={slot.key}
                      slot={slot}
                      isOpen={slot.key === openKey}
                      isTabStop={slot.key === stop}
                      href={hrefOf(slot.key)}
                    />
                  ))}
                </span>
              ))}
            </span>
          )}
        </td>
      ))}
    </tr>
  );
}

/** The slot of an element of the grid. */
function keyOf(target: EventTarget | null): string | undefined {
  return target instanceof HTMLElement ? target.closest<HTMLElement>('[data-slot]')?.dataset['slot'] : undefined;
}

/** The weekday of a date does not depend on a time zone. */
function isWeekend(date: string): boolean {
  const weekday = new Date(`${date}T00:00:00Z`).getUTCDay();
  return weekday === 0 || weekday === 6;
}
