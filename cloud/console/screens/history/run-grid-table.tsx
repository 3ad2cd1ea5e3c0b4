import { useEffect, useEffectEvent, useRef, type ReactNode } from 'react';
import type { RunGrid } from '../../../../shared/wire/operator/operator.ts';
import { useText } from '../../i18n/use-text.ts';
import { LaneName } from '../../runs/run-badges.tsx';
import { SlotMark } from '../../runs/run-strip.tsx';
import classes from '../../runs/runs.module.css';
import { byTime, placesOf } from '../../runs/slots.ts';
import { nextCell } from './next-cell.ts';

export interface RunGridTableProps {
  rows: RunGrid['lanes'];
  openKey: string | null;
  hrefOf: (runKey: string) => string;
}

/** Lanes by days. The arrow keys go from cell to cell that holds a run or a slot; Tab goes through them all the same. */
export function RunGridTable({ rows, openKey, hrefOf }: RunGridTableProps): ReactNode {
  const text = useText();
  const table = useRef<HTMLTableElement>(null);
  const days = rows[0]?.days.map(({ date }) => date) ?? [];
  // The newest days are the ones that count, where not all of them find room: they stay in view, whatever changes its
  // width (a pane, a font that comes later), until somebody scrolls away from them.
  useEffect(() => {
    const place = table.current?.parentElement;
    if (table.current === null || place === null || place === undefined) return undefined;
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

  const go = useEffectEvent((event: KeyboardEvent): void => {
    const cell = event.target instanceof Element ? event.target.closest('td') : null;
    const body = table.current?.tBodies[0];
    if (cell === null || body === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    const cells = [...body.rows].map((row) => [...row.cells].slice(1));
    const at = { row: cells.findIndex((row) => row.includes(cell)), column: cell.cellIndex - 1 };
    const next = nextCell(
      cells.map((row) => row.map((one) => one.querySelector('a') !== null)),
      at,
      event.key,
    );
    if (next === null) return;
    event.preventDefault();
    cells[next.row]?.[next.column]?.querySelector('a')?.focus();
  });
  // On the table as a whole, which is no control itself: the keys only help those that Tab serves as well.
  useEffect(() => {
    const place = table.current;
    const listener = (event: KeyboardEvent): void => go(event);
    place?.addEventListener('keydown', listener);
    return () => place?.removeEventListener('keydown', listener);
  }, []);

  return (
    <table ref={table} className={classes['grid']} aria-label={text('history.table')}>
      <thead>
        <tr>
          <th scope="col">{text('field.lane')}</th>
          {days.map((date) => (
            <th key={date} scope="col" data-weekend={isWeekend(date) || undefined}>
              <span className={classes['year']}>{date.slice(0, 5)}</span>
              {date.slice(5)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <LaneRow key={row.lane} row={row} openKey={openKey} hrefOf={hrefOf} />
        ))}
      </tbody>
    </table>
  );
}

/** The same slot stands at the same place of every day; the hours of the places stand below the name of the lane. */
function LaneRow({
  row: { lane, days },
  openKey,
  hrefOf,
}: Pick<RunGridTableProps, 'openKey' | 'hrefOf'> & { row: RunGrid['lanes'][number] }): ReactNode {
  const text = useText();
  const cells = days.map(({ date, runs, planningGaps }) => ({ date, slots: byTime(runs, planningGaps) }));
  const places = placesOf(cells.map(({ slots }) => slots));
  return (
    <tr>
      <th scope="row">
        <span className={classes['laneCell']}>
          <LaneName lane={lane} />
        </span>
        {places.hours.length > 1 && (
          <span className={classes['cell']} aria-hidden="true">
            {places.hours.map((hour, index) => (
              <span key={index} className={classes['hour']}>
                {hour}
              </span>
            ))}
          </span>
        )}
      </th>
      {cells.map(({ date, slots }) => (
        <td key={date} data-weekend={isWeekend(date) || undefined}>
          {slots.length === 0 ? (
            <span className={classes['quiet']} role="img" aria-label={text('history.none')}>
              ·
            </span>
          ) : (
            <span className={classes['cell']}>
              {places.of(slots).map((place, index) => (
                <span key={index} className={classes['place']}>
                  {place.map((slot) => (
                    <SlotMark key={slot.key} slot={slot} isOpen={slot.key === openKey} href={hrefOf(slot.key)} />
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

/** Of a date alone: which weekday it is does not depend on any zone. */
function isWeekend(date: string): boolean {
  const weekday = new Date(`${date}T00:00:00Z`).getUTCDay();
  return weekday === 0 || weekday === 6;
}
