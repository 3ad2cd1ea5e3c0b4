import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { CodedName, ListRow, ListTable } from '../../../../shared/ui/list/list-screen.tsx';
import { KstShortTime } from '../../../../shared/ui/time/times.tsx';
import type { Analysis } from '../../../../shared/wire/operator/operator.ts';
import { useText } from '../../i18n/use-text.ts';
import { Quantity } from '../../runs/quantity.tsx';
import { Receipts } from './receipts.tsx';
import { AnalysisStatusWord, ChangeRate, DirectionWord, PublicationBadge } from './analysis-values.tsx';

export interface AnalysesTableProps {
  items: readonly Analysis[];
  openId: string | null;
  hrefOf: (id: string) => string;
  onOpen: (id: string) => void;
}

/** One row per analysis, with the columns of operator API 2 in their order. */
export function AnalysesTable({ items, openId, hrefOf, onOpen }: AnalysesTableProps): ReactNode {
  const text = useText();
  return (
    <ListTable label={text('analyses.table')}>
      <thead>
        <tr>
          <th scope="col">{text('field.instrument')}</th>
          <th scope="col" data-leaves="first">
            {text('field.market')}
          </th>
          <th scope="col" data-number>
            {text('field.changeRate')}
          </th>
          <th scope="col" data-leaves="first">
            {text('field.direction')}
          </th>
          <th scope="col" data-leaves="third">
            {text('field.createdAtZone')}
          </th>
          <th scope="col" data-number data-leaves="first">
            {text('field.evidenceCount')}
          </th>
          <th scope="col" data-leaves="first">
            {text('field.status')}
          </th>
          <th scope="col">{text('field.publicationState')}</th>
          <th scope="col" data-leaves="second">
            {text('field.receipts')}
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <ListRow key={item.id} isOpen={item.id === openId} onOpen={() => onOpen(item.id)}>
            <th scope="row">
              <Link href={hrefOf(item.id)}>
                <CodedName code={item.ticker} name={item.instrumentName} />
              </Link>
            </th>
            <td data-leaves="first">{item.market}</td>
            <td data-number>
              <ChangeRate ratio={item.changeRate} />
            </td>
            <td data-leaves="first">
              <DirectionWord of={item} />
            </td>
            <td data-leaves="third">
              <KstShortTime at={item.createdAt} />
            </td>
            <td data-number data-leaves="first">
              <Quantity value={item.evidenceCount} />
            </td>
            <td data-leaves="first">
              <AnalysisStatusWord status={item.status} />
            </td>
            <td>
              <PublicationBadge state={item.publicationState} />
            </td>
            <td data-leaves="second">
              <Receipts receipts={item.receipts} isWithdrawal={item.publicationState === 'INVALIDATED'} />
            </td>
          </ListRow>
        ))}
      </tbody>
    </ListTable>
  );
}
