import { Button } from '@mantine/core';
import { useMemo, type ReactNode } from 'react';
import { useLocation, useSearch } from 'wouter';
import { ListFoot, ListScreen } from '../../../../shared/ui/list/list-screen.tsx';
import { useOpenId } from '../../../../shared/ui/frame/open-id.ts';
import { EmptyState, Loaded } from '../../../../shared/ui/parts/data-state.tsx';
import { useOperator } from '../../api/operator-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import { LiveBar } from '../../live/live-bar.tsx';
import { useLive } from '../../live/refresh.tsx';
import { AnalysesBar } from './analyses-bar.tsx';
import { AnalysesTable } from './analyses-table.tsx';
import { AnalysisDetail } from './analysis-detail.tsx';
import {
  ANALYSES_PAGE,
  askedOf,
  isNarrowed,
  readAnalysisFilter,
  writeAnalysisFilter,
  type AnalysisFilter,
} from './analysis-filter.ts';

const PLACE = '/analyses';

/** Event Pipeline: the price-movement analyses of both generations, with the open one beside them. */
export function AnalysesScreen(): ReactNode {
  const text = useText();
  const { queries } = useOperator();
  const [, navigate] = useLocation();
  const openId = useOpenId();
  const addressed = useSearch();
  const filter = useMemo(() => readAnalysisFilter(new URLSearchParams(addressed)), [addressed]);
  const search = writeAnalysisFilter(filter);
  const list = useLive(queries.analyses(askedOf(filter)));

  const placeOf = (id: string | null): string => (id === null ? PLACE : `${PLACE}/${encodeURIComponent(id)}`);
  const hrefOf = (id: string): string => `${placeOf(id)}${search}`;
  const close = (): void => navigate(`${PLACE}${search}`);
  // A filter that changes begins at its first page again.
  const change = (changes: Partial<AnalysisFilter>): void =>
    navigate(`${placeOf(openId)}${writeAnalysisFilter({ ...filter, page: 1, ...changes })}`);

  return (
    <ListScreen
      title={text('nav.analyses')}
      aside={<LiveBar query={list} />}
      tools={<AnalysesBar filter={filter} onChange={change} onReset={() => navigate(placeOf(openId))} />}
      tableLabel={text('analyses.table')}
      foot={
        list.data !== undefined && (
          <ListFoot
            count={text(list.data.more ? 'analyses.totalMore' : 'analyses.total', { total: list.data.total })}
            pages={Math.ceil(list.data.total / ANALYSES_PAGE)}
            page={filter.page}
            onPage={(page) => change({ page })}
          />
        )
      }
      onClosePanel={close}
      detail={openId === null ? null : <AnalysisDetail id={openId} onClose={close} />}
    >
      <Loaded query={list}>
        {({ items, total }) => {
          if (items.length > 0)
            return (
              <AnalysesTable items={items} openId={openId} hrefOf={hrefOf} onOpen={(id) => navigate(hrefOf(id))} />
            );
          if (total === 0)
            return <EmptyState title={text(isNarrowed(filter) ? 'analyses.emptyFiltered' : 'analyses.empty')} />;
          return (
            <EmptyState title={text('analyses.emptyPage')}>
              <Button variant="default" onClick={() => change({ page: 1 })}>
                {text('list.firstPage')}
              </Button>
            </EmptyState>
          );
        }}
      </Loaded>
    </ListScreen>
  );
}
