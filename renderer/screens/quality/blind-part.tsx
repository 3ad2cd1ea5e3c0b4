import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { EmptyState, Loaded } from '../../../shared/ui/parts/data-state.tsx';
import { ReturnValue } from '../../../shared/ui/parts/return-value.tsx';
import { PagedTable } from '../../../shared/ui/table/data-table.tsx';
import { KstTime } from '../../../shared/ui/time/times.tsx';
import { useConsole } from '../../api/console-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import parts from '../../components/parts/parts.module.css';
import { blindHref, LISTED_STATES, readBlindView, type ListedState } from '../../components/domain/blind-address.ts';
import { BlindReviewDetail } from './blind-review-detail.tsx';

const PAGE = 25;

/** Blind reviews: the list, or the open one. */
export function BlindPart(): ReactNode {
  const text = useText();
  const [, navigate] = useLocation();
  const { state, review } = readBlindView(useSearch());
  if (review !== null) return <BlindReviewDetail id={review} state={state} />;
  return (
    <>
      <p className={parts['quiet']}>{text('blind.explained')}</p>
      <div className={parts['bar']}>
        <NativeSelect
          label={text('blind.state')}
          value={state}
          data={LISTED_STATES.map((one) => ({ value: one, label: text(`blind.state.${one}`) }))}
          onChange={(event) => {
            const chosen = LISTED_STATES.find((one) => one === event.currentTarget.value);
            if (chosen !== undefined) navigate(blindHref({ state: chosen }));
          }}
        />
      </div>
      <BlindList key={state} state={state} />
    </>
  );
}

function BlindList({ state }: { state: ListedState }): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  const [page, setPage] = useState(1);
  return (
    <Loaded query={useQuery(queries.blindReviews({ state, page, size: PAGE }))}>
      {(found) =>
        found.total === 0 ? (
          <EmptyState title={text('blind.none')} />
        ) : (
          <PagedTable
            label={text('quality.blind')}
            page={found}
            count={text('blind.total', { total: found.total })}
            onPage={setPage}
            idOf={({ id }) => id}
            columns={[
              {
                id: 'item',
                head: text('quality.item'),
                kind: 'name',
                render: ({ id, etf_ticker, etf_name }) => (
                  <Link href={blindHref({ state, review: id })}>
                    {etf_ticker} <span lang="ko">{etf_name}</span>
                  </Link>
                ),
              },
              { id: 'day', head: text('field.tradeDate'), kind: 'short', render: ({ trade_date }) => trade_date },
              {
                id: 'return',
                head: text('quality.return'),
                kind: 'number',
                render: ({ observed_return }) => <ReturnValue ratio={observed_return} />,
              },
              {
                id: 'drawn',
                head: text('blind.drawnAt'),
                kind: 'short',
                render: ({ drawnAt }) => <KstTime at={drawnAt} />,
              },
            ]}
          />
        )
      }
    </Loaded>
  );
}
