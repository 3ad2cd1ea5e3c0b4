import { Button } from '@mantine/core';
import { useMemo, type ReactNode } from 'react';
import { useLocation, useSearch } from 'wouter';
import { ListFoot, ListScreen } from '../../../../shared/ui/list/list-screen.tsx';
import { useOpenId } from '../../../../shared/ui/frame/open-id.ts';
import { EmptyState, Loaded } from '../../../../shared/ui/parts/data-state.tsx';
import type { Analysis } from '../../../../shared/wire/operator/operator.ts';
import { useOperator } from '../../api/operator-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import { CsvButton } from '../../lists/csv-button.tsx';
import { allOf, timeCell } from '../../lists/csv.ts';
import { LiveBar } from '../../live/live-bar.tsx';
import { useLive } from '../../live/refresh.tsx';
import { AnalysesBar } from './analyses-bar.tsx';
import { AnalysesTable } from './analyses-table.tsx';
import { AnalysisDetail } from './analysis-detail.tsx';
import { shownDirection } from './analysis-values.tsx';
import {
  ANALYSES_PAGE,
  queryOf,
  isNarrowed,
  readAnalysisFilter,
  writeAnalysisFilter,
  type AnalysisFilter,
} from './analysis-filter.ts';

const PLACE = '/analyses';

/** Event Pipeline: the price-movement analyses of both generations, with the open one beside them. */
export function AnalysesScreen(): ReactNode {
  const text = useText();
  const { api, queries } = useOperator();
  const [, navigate] = useLocation();
  const openId = useOpenId();
  const addressed = useSearch();
  const filter = useMemo(() => readAnalysisFilter(new URLSearchParams(addressed)), [addressed]);
  const search = writeAnalysisFilter(filter);
  const list = useLive(queries.analyses(queryOf(filter)));

  const direction = (one: Analysis['direction']): string | null => (one === null ? null : text(`direction.${one}`));
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
            tools={
              <CsvButton
                name="analyses"
                rows={() => allOf((page, size) => api.analyses({ ...queryOf(filter), page, size }))}
                columns={[
                  [text('field.id'), ({ id }) => id],
                  [text('field.ticker'), ({ ticker }) => ticker],
                  [text('field.instrument'), ({ instrumentName }) => instrumentName],
                  [text('field.market'), ({ market }) => market],
                  [text('analyses.csv.changeRate'), ({ changeRate }) => changeRate],
                  [text('field.direction'), (one) => direction(shownDirection(one))],
                  [text('field.createdAtZone'), ({ createdAt }) => timeCell(createdAt)],
                  [text('field.evidenceCount'), ({ evidenceCount }) => evidenceCount],
                  [text('field.status'), ({ status }) => text(`analysisStatus.${status}`)],
                  [text('field.publicationState'), ({ publicationState }) => text(`publication.${publicationState}`)],
                  [text('analyses.csv.issued'), ({ receipts }) => receipts?.total],
                  [text('analyses.csv.received'), ({ receipts }) => receipts?.received],
                ]}
              />
            }
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
