import type { ReactNode } from 'react';
import { DataTable } from '../../../shared/ui/table/data-table.tsx';
import { KstTime } from '../../../shared/ui/time/times.tsx';
import type { Served } from '../../../shared/wire/console/console.ts';
import { useText } from '../../i18n/use-text.ts';

/** How often each channel got an explanation: those for which a stop comes too late. */
export function ServedBy({ served }: { served: readonly Served[] }): ReactNode {
  const text = useText();
  if (served.length === 0) return <p>{text('served.never')}</p>;
  const times = served.reduce((sum, channel) => sum + channel.times, 0);
  return (
    <div>
      <p>{text('served.sum', { times, channels: served.length })}</p>
      <DataTable
        label={text('served.title')}
        rows={served}
        idOf={({ channel }) => channel}
        isDense
        columns={[
          { id: 'channel', head: text('served.channel'), kind: 'name', render: ({ channel }) => channel },
          {
            id: 'times',
            head: text('served.times'),
            kind: 'number',
            render: (row) => row.times.toLocaleString('en-US'),
          },
          { id: 'first', head: text('served.first'), kind: 'short', render: ({ firstAt }) => <KstTime at={firstAt} /> },
          { id: 'last', head: text('served.last'), kind: 'short', render: ({ lastAt }) => <KstTime at={lastAt} /> },
        ]}
      />
    </div>
  );
}
