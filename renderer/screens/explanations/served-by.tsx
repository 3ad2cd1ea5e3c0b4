import type { ReactNode } from 'react';
import { DataTable } from '../../../shared/ui/table/data-table.tsx';
import { KstTime } from '../../../shared/ui/time/times.tsx';
import type { Served, ShownSpan } from '../../../shared/wire/console/console.ts';
import { useText } from '../../i18n/use-text.ts';

/** How often each channel got an explanation: those for which a stop comes too late. */
export function ServedBy({ served }: { served: readonly Served[] }): ReactNode {
  const text = useText();
  if (served.length === 0) return <p>{text('served.never')}</p>;
  const times = served.reduce((sum, channel) => sum + channel.times, 0);
  return (
    <div>
      <p>{text('served.sum', { times, channels: served.length })}</p>
      <ByChannel counts={served.map((one) => ({ ...one, most: one.times }))} />
    </div>
  );
}

/** The requests by channel; a count that is not exact is given by its least and its most. */
export function ByChannel({ counts }: { counts: ShownSpan['requests'] }): ReactNode {
  const text = useText();
  return (
    <DataTable
      label={text('served.title')}
      rows={counts}
      idOf={({ channel }) => channel}
      isDense
      columns={[
        { id: 'channel', head: text('served.channel'), kind: 'name', render: ({ channel }) => channel },
        { id: 'times', head: text('served.times'), kind: 'number', render: ({ times, most }) => between(times, most) },
        { id: 'first', head: text('served.first'), kind: 'short', render: ({ firstAt }) => <KstTime at={firstAt} /> },
        { id: 'last', head: text('served.last'), kind: 'short', render: ({ lastAt }) => <KstTime at={lastAt} /> },
      ]}
    />
  );
}

/** One number, or the least and the most. */
export const between = (least: number, most: number): string =>
  [...new Set([least, most])].map((count) => count.toLocaleString('en-US')).join('–');
