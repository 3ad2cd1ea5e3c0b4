import { useEffect, useMemo, useRef, type ReactNode } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useIsNarrow } from '../../../shared/ui/frame/narrow.ts';
import { useOpenId } from '../../../shared/ui/frame/open-id.ts';
import { ListFoot, ListScreen } from '../../../shared/ui/list/list-screen.tsx';
import { usePageWindow } from '../../../shared/ui/list/windowed-rows.tsx';
import { BulkButton, useBulkActions } from '../../components/actions/bulk-button.tsx';
import { useOperationDone } from '../../components/actions/use-operation-done.ts';
import { useSend } from '../../components/actions/use-send.ts';
import { useTicks } from '../../components/actions/use-ticks.ts';
import { useConsole } from '../../api/console-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import { SavedViews } from '../../components/views/saved-views.tsx';
import { BoardBar } from './board-bar.tsx';
import { queryOf, isNarrowed, readBoardFilter, writeBoardFilter, type BoardFilter } from './board-filter.ts';
import { BoardList } from './board-list.tsx';
import { ExplanationDetail } from './explanation-detail.tsx';
import { StatusTiles } from './status-tiles.tsx';

const BULK_ACTIONS = ['stop', 'move-to-review'] as const;

/** The status board: counts, filters and a table; the open explanation beside it. */
export function ExplanationsScreen(): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  const [, navigate] = useLocation();
  const selectedId = useOpenId();
  const addressed = useSearch();
  const filter = useMemo(() => readBoardFilter(new URLSearchParams(addressed)), [addressed]);
  const search = writeBoardFilter(filter);
  const list = usePageWindow((page) => queries.explanations(queryOf(filter, page)));
  const onView = [...list.items].toSorted(([a], [b]) => a - b).map(([, item]) => item);
  const ticks = useTicks(onView, search, false);
  const hasTicks = useBulkActions(BULK_ACTIONS).length > 0;
  const scroller = useRef<HTMLDivElement>(null);
  // Another filter is another list, which begins at its top.
  useEffect(() => {
    if (scroller.current !== null) scroller.current.scrollTop = 0;
  }, [search]);

  const hrefOf = (id: string): string => `/explanations/${encodeURIComponent(id)}${search}`;
  const place = selectedId === null ? '/explanations' : `/explanations/${encodeURIComponent(selectedId)}`;
  const change = (changes: Partial<BoardFilter>): void =>
    navigate(`${place}${writeBoardFilter({ ...filter, ...changes })}`);

  const send = useSend({ onDone: useOperationDone() });
  // An open explanation then replaces the list, so the list offers no choice.
  const isNarrow = useIsNarrow();

  return (
    <ListScreen
      title={text('nav.explanations')}
      aside={
        !(isNarrow && selectedId !== null) && (
          <>
            <BulkButton actions={BULK_ACTIONS} ticks={ticks} />
            <SavedViews screen="explanations" search={search} />
          </>
        )
      }
      tools={
        <>
          <StatusTiles filter={filter} onSelect={(status) => change({ status })} />
          <BoardBar filter={filter} onChange={change} onReset={() => navigate(place)} />
        </>
      }
      tableLabel={text('board.table')}
      scroller={scroller}
      foot={
        list.total !== null && (
          <ListFoot count={text(list.more ? 'board.totalMore' : 'board.total', { total: list.total })} />
        )
      }
      detail={
        selectedId === null ? null : (
          <ExplanationDetail id={selectedId} send={send} onClose={() => navigate(`/explanations${search}`)} />
        )
      }
    >
      <BoardList
        empty={text(isNarrowed(filter) ? 'board.emptyFiltered' : 'board.empty')}
        window={list}
        ticks={hasTicks ? ticks : null}
        scroller={scroller}
        selectedId={selectedId}
        hrefOf={hrefOf}
        onOpen={(id) => navigate(hrefOf(id))}
      />
    </ListScreen>
  );
}
