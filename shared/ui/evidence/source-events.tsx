import type { ReactNode } from 'react';
import type { SourceEvent } from '../../wire/bundle.ts';
import { useSharedText } from '../i18n/use-text.ts';
import { NoValue } from '../time/times.tsx';
import classes from './evidence.module.css';

/** The source events of a run. The source-count policy counts their distinct ids. */
export function SourceEvents({ events }: { events: readonly SourceEvent[] }): ReactNode {
  const text = useSharedText();
  if (events.length === 0) return <p className={classes['quiet']}>{text('evidence.events.none')}</p>;
  return (
    <div className={classes['scroll']} role="region" aria-label={text('evidence.events')} tabIndex={0}>
      <table className={classes['table']}>
        <thead>
          <tr>
            <th scope="col">{text('evidence.event.class')}</th>
            <th scope="col">{text('evidence.event.type')}</th>
            <th scope="col">{text('evidence.event.date')}</th>
            <th scope="col">{text('evidence.event.id')}</th>
          </tr>
        </thead>
        <tbody>
          {events.map((event) => (
            <tr key={event.source_event_id}>
              <td>{text(`evidence.kind.${event.source_class}`)}</td>
              <td>{event.event_type_code}</td>
              <td>{event.event_date ?? <NoValue />}</td>
              <td>
                <code>{event.source_event_id}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
