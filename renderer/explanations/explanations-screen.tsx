import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, type ReactNode } from 'react';
import { useLocation, useParams, useSearch } from 'wouter';
import { ListFoot, ListScreen } from '../../shared/ui/list/list-screen.tsx';
import { EmptyState, Loaded } from '../../shared/ui/parts/data-state.tsx';
import { useNotify } from '../../shared/ui/parts/notices.tsx';
import { ACTION_RULES } from '../actions/actions.ts';
import { useSend, type Sending } from '../actions/use-send.ts';
import { useConsole } from '../api/console-context.tsx';
import { useText } from '../i18n/use-text.ts';
import { BoardBar } from './board-bar.tsx';
import {
  askedOf,
  BOARD_PAGE,
  isNarrowed,
  readBoardFilter,
  writeBoardFilter,
  type BoardFilter,
} from './board-filter.ts';
import { BoardTable } from './board-table.tsx';
import { ExplanationDetail } from './explanation-detail.tsx';
import { StatusTiles } from './status-tiles.tsx';

/** The status board: counts, filters and a table; the open explanation beside it. */
export function ExplanationsScreen(): ReactNode {
  const text = useText();
  const notify = useNotify();
  const { queries } = useConsole();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const { id: selectedId = null } = useParams<{ id?: string }>();
  const addressed = useSearch();
  const filter = useMemo(() => readBoardFilter(new URLSearchParams(addressed)), [addressed]);
  const search = writeBoardFilter(filter);
  const list = useQuery(queries.explanations(askedOf(filter)));

  const hrefOf = (id: string): string => `/explanations/${encodeURIComponent(id)}${search}`;
  const place = selectedId === null ? '/explanations' : `/explanations/${encodeURIComponent(selectedId)}`;
  // A filter that changes begins at its first page again.
  const change = (changes: Partial<BoardFilter>): void =>
    navigate(`${place}${writeBoardFilter({ ...filter, page: 1, ...changes })}`);

  const send = useSend(({ itemId, draft }: Sending) => {
    const item = client.getQueryData(queries.explanation(itemId).queryKey);
    const name = item === undefined ? itemId : `${item.etf_ticker} ${item.etf_name}`;
    const { tone, glyph } = ACTION_RULES[draft.action];
    notify({ tone, glyph, message: text(`action.${draft.action}.done`, { item: name }) });
  });

  return (
    <ListScreen
      title={text('nav.explanations')}
      tools={
        <>
          <StatusTiles selected={filter.status} onSelect={(status) => change({ status })} />
          <BoardBar filter={filter} onChange={change} onReset={() => navigate(place)} />
        </>
      }
      tableLabel={text('board.table')}
      foot={
        list.data !== undefined && (
          <ListFoot
            count={text('board.total', { total: list.data.total })}
            pages={Math.ceil(list.data.total / BOARD_PAGE)}
            page={filter.page}
            onPage={(page) => change({ page })}
          />
        )
      }
      detail={
        selectedId === null ? null : (
          <ExplanationDetail id={selectedId} send={send} onClose={() => navigate(`/explanations${search}`)} />
        )
      }
    >
      <Loaded query={list}>
        {(page) =>
          page.items.length === 0 ? (
            <EmptyState title={text(isNarrowed(filter) ? 'board.emptyFiltered' : 'board.empty')} />
          ) : (
            <BoardTable
              items={page.items}
              selectedId={selectedId}
              hrefOf={hrefOf}
              onOpen={(id) => navigate(hrefOf(id))}
            />
          )
        }
      </Loaded>
    </ListScreen>
  );
}
