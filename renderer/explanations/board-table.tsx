import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { CodedName, ListRow, ListTable } from '../../shared/ui/list/list-screen.tsx';
import { ReturnValue } from '../../shared/ui/parts/return-value.tsx';
import { KstShortTime, NoValue } from '../../shared/ui/time/times.tsx';
import type { ExplanationItem } from '../../shared/wire/console.ts';
import { Exposure, StatusBadge } from '../domain/status-badge.tsx';
import { useText } from '../i18n/use-text.ts';

export interface BoardTableProps {
  items: readonly ExplanationItem[];
  selectedId: string | null;
  hrefOf: (id: string) => string;
  onOpen: (id: string) => void;
}

/** One row per explanation. The name is the link; a click anywhere in the row does the same. */
export function BoardTable({ items, selectedId, hrefOf, onOpen }: BoardTableProps): ReactNode {
  const text = useText();
  return (
    <ListTable label={text('board.table')}>
      <thead>
        <tr>
          <th scope="col">{text('field.status')}</th>
          <th scope="col">{text('field.instrument')}</th>
          <th scope="col">{text('field.tradeDate')}</th>
          <th scope="col" data-number>
            {text('return.label')}
          </th>
          <th scope="col">{text('field.exposed')}</th>
          <th scope="col" data-leaves="first">
            {text('field.confidence')}
          </th>
          <th scope="col" data-leaves="first">
            {text('field.engine')}
          </th>
          <th scope="col" data-leaves="second">
            {text('field.explainedAtZone')}
          </th>
          <th scope="col" data-leaves="first">
            {text('field.receivedAtZone')}
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <ListRow key={item.id} isOpen={item.id === selectedId} onOpen={() => onOpen(item.id)}>
            <td>
              <StatusBadge status={item.status} />
            </td>
            <th scope="row">
              <Link href={hrefOf(item.id)}>
                <CodedName code={item.etf_ticker} name={item.etf_name} />
              </Link>
            </th>
            <td>{item.trade_date}</td>
            <td data-number>
              <ReturnValue ratio={item.observed_return} />
            </td>
            <td>
              <Exposure exposed={item.exposed} />
            </td>
            <td data-leaves="first">
              {item.confidence_level === null ? <NoValue /> : text(`confidence.${item.confidence_level}`)}
            </td>
            <td data-leaves="first">{item.analysis_engine}</td>
            <td data-leaves="second">
              <KstShortTime at={item.explanation_as_of} />
            </td>
            <td data-leaves="first">
              <KstShortTime at={item.receivedAt} />
            </td>
          </ListRow>
        ))}
      </tbody>
    </ListTable>
  );
}
