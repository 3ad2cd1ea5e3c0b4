import { Button } from '@mantine/core';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useMemo, type ReactNode } from 'react';
import { useLocation, useParams, useSearch } from 'wouter';
import { ListFoot, ListScreen } from '../../../shared/ui/list/list-screen.tsx';
import { EmptyState, Loaded } from '../../../shared/ui/parts/data-state.tsx';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import { kstText } from '../../../shared/ui/time/format.ts';
import { useOperator } from '../api/operator-context.tsx';
import { REFRESH_SECONDS } from '../api/queries.ts';
import { useText } from '../i18n/use-text.ts';
import classes from './analyses.module.css';
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

/** Event Pipeline: the price-movement analyses of both generations, with what is open beside them. */
export function AnalysesScreen(): ReactNode {
  const text = useText();
  const { queries } = useOperator();
  const [, navigate] = useLocation();
  const { id: openId = null } = useParams<{ id?: string }>();
  const addressed = useSearch();
  const filter = useMemo(() => readAnalysisFilter(new URLSearchParams(addressed)), [addressed]);
  const search = writeAnalysisFilter(filter);
  const list = useQuery(queries.analyses(askedOf(filter)));

  const placeOf = (id: string | null): string => (id === null ? PLACE : `${PLACE}/${encodeURIComponent(id)}`);
  const hrefOf = (id: string): string => `${placeOf(id)}${search}`;
  // A filter that changes begins at its first page again.
  const change = (changes: Partial<AnalysisFilter>): void =>
    navigate(`${placeOf(openId)}${writeAnalysisFilter({ ...filter, page: 1, ...changes })}`);

  return (
    <ListScreen
      title={text('nav.analyses')}
      aside={<ReadAt list={list} />}
      tools={<AnalysesBar filter={filter} onChange={change} onReset={() => navigate(placeOf(openId))} />}
      tableLabel={text('analyses.table')}
      foot={
        list.data !== undefined && (
          <ListFoot
            count={text('analyses.total', { total: list.data.total })}
            pages={Math.ceil(list.data.total / ANALYSES_PAGE)}
            page={filter.page}
            onPage={(page) => change({ page })}
          />
        )
      }
      detail={openId === null ? null : <AnalysisDetail id={openId} onClose={() => navigate(`${PLACE}${search}`)} />}
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
                {text('analyses.firstPage')}
              </Button>
            </EmptyState>
          );
        }}
      </Loaded>
    </ListScreen>
  );
}

/** How old the list is, since nothing tells this console of changes; said aloud only when it could not be renewed. */
function ReadAt({ list }: { list: UseQueryResult }): ReactNode {
  const text = useText();
  if (list.dataUpdatedAt === 0) return null;
  const time = text('time.kst', { time: kstText(new Date(list.dataUpdatedAt).toISOString(), 'second') ?? '' });
  if (!list.isRefetchError)
    return <p className={classes['readAt']}>{text('analyses.readAt', { time, seconds: REFRESH_SECONDS })}</p>;
  return (
    <p className={classes['old']} data-tone="wait" role="alert">
      <Glyph name="warning" /> {text('analyses.old', { time })}
    </p>
  );
}
