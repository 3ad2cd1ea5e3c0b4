import type { ReactNode } from 'react';
import { Tag } from '../../../../shared/ui/parts/badge.tsx';
import { DataTable } from '../../../../shared/ui/table/data-table.tsx';
import { useText } from '../../i18n/use-text.ts';
import runs from '../../runs/runs.module.css';
import { FactValue } from './values/fact-value.tsx';
import { isToday, type ShownFacts } from './values/sides.ts';

/** The day of the facts and the times of their reading: database and control plane have a clock each. */
export function Clocks({ shown, against }: { shown: ShownFacts; against: ShownFacts | null }): ReactNode {
  const text = useText();
  const rows = [
    { name: text('facts.side.viewed'), ...shown },
    ...(against === null ? [] : [{ name: text('facts.side.against'), ...against }]),
  ];
  return (
    <div className={runs['scroll']} role="region" aria-label={text('facts.clocks')} tabIndex={0}>
      <DataTable
        isDense
        label={text('facts.clocks')}
        rows={rows}
        idOf={({ name }) => name}
        columns={[
          {
            id: 'side',
            head: text('facts.clocks'),
            kind: 'name',
            render: ({ name, facts }) => (
              <>
                {name} {facts.meta.today}{' '}
                {isToday(facts) ? (
                  <Tag tone="info">{text('facts.today')}</Tag>
                ) : (
                  <Tag tone="wait" glyph="waiting">
                    {text('facts.past')}
                  </Tag>
                )}
              </>
            ),
          },
          {
            id: 'db',
            head: text('facts.clock.db'),
            kind: 'short',
            render: ({ facts }) => <FactValue value={facts.meta.db} kind="instant" />,
          },
          {
            id: 'cloud',
            head: text('facts.clock.cloud'),
            kind: 'short',
            render: ({ facts }) => <FactValue value={facts.meta.cloud} kind="instant" />,
          },
          {
            id: 'source',
            head: text('facts.source'),
            render: ({ file }) =>
              file === null ? text('facts.source.server') : text('facts.source.file', { name: file }),
          },
        ]}
      />
    </div>
  );
}
