import { useLingui } from '@lingui/react';
import type { ReactNode } from 'react';
import type { SourceEvent } from '../../wire/bundle.ts';
import { useSharedText } from '../i18n/use-text.ts';
import { DataTable } from '../table/data-table.tsx';
import { NoValue } from '../time/times.tsx';
import { MOST_EVENTS } from './bounds.ts';
import classes from './evidence.module.css';

/** The source events of a run. The source-count policy counts their distinct ids. */
export function SourceEvents({
  events,
  isFolded = false,
}: {
  events: readonly SourceEvent[];
  /** Ids show on demand. */
  isFolded?: boolean;
}): ReactNode {
  const text = useSharedText();
  if (events.length === 0) return <p className={classes['quiet']}>{text('evidence.events.none')}</p>;
  return (
    <div className={classes['scroll']} role="region" aria-label={text('evidence.events')} tabIndex={0}>
      <DataTable
        label={text('evidence.events')}
        rows={events.slice(0, MOST_EVENTS)}
        idOf={(event) => event.source_event_id}
        isDense
        columns={[
          {
            id: 'class',
            head: text('evidence.event.class'),
            render: (event) => text(`evidence.kind.${event.source_class}`),
          },
          {
            id: 'type',
            head: text('evidence.event.type'),
            render: (event) => <EventType code={event.event_type_code} />,
          },
          {
            id: 'date',
            head: text('evidence.event.date'),
            kind: 'short',
            render: (event) => event.event_date ?? <NoValue />,
          },
          isFolded
            ? null
            : {
                id: 'id',
                head: text('evidence.event.id'),
                kind: 'name',
                render: (event) => <code>{event.source_event_id}</code>,
              },
        ]}
      />
      {isFolded && (
        <details className={classes['fold']}>
          <summary>{text('evidence.technical')}</summary>
          {events.slice(0, MOST_EVENTS).map(({ source_event_id: id }) => (
            <span key={id}>
              <code>{id}</code>
            </span>
          ))}
        </details>
      )}
      {events.length > MOST_EVENTS && (
        <p className={classes['quiet']}>{text('evidence.notShown', { count: events.length - MOST_EVENTS })}</p>
      )}
    </div>
  );
}

/** An event type in words; a type that the catalogue lacks by its code. */
function EventType({ code }: { code: string }): ReactNode {
  const { i18n } = useLingui();
  const id = `eventType.${code}`;
  return Object.hasOwn(i18n.messages, id) ? i18n._(id) : <code>{code}</code>;
}
