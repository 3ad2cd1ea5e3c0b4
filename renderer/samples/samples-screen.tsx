import { useQuery } from '@tanstack/react-query';
import { useRef, type ReactNode } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useOpenId } from '../../shared/ui/frame/open-id.ts';
import { ListFoot, ListScreen } from '../../shared/ui/list/list-screen.tsx';
import { WINDOW_PAGE } from '../../shared/ui/list/page-window.ts';
import { usePageWindow } from '../../shared/ui/list/windowed-rows.tsx';
import { Tile, Tiles } from '../../shared/ui/parts/tiles.tsx';
import { SAMPLE_OUTCOMES } from '../../shared/wire/console.ts';
import { useOperationDone } from '../actions/use-operation-done.ts';
import { useSend } from '../actions/use-send.ts';
import { useConsole } from '../api/console-context.tsx';
import { BoardList } from '../explanations/board-list.tsx';
import { ExplanationDetail } from '../explanations/explanation-detail.tsx';
import { useText } from '../i18n/use-text.ts';
import parts from '../parts/parts.module.css';

/** What was provided without a review and is looked at afterwards, by what the look has ended in. */
export function SamplesScreen(): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  const [, navigate] = useLocation();
  const selectedId = useOpenId();
  const asked = new URLSearchParams(useSearch()).get('outcome');
  const outcome = SAMPLE_OUTCOMES.find((one) => one === asked) ?? 'OPEN';
  const search = outcome === 'OPEN' ? '' : `?outcome=${outcome}`;
  const counts = useQuery(queries.sampleCounts).data;
  const list = usePageWindow((page) => queries.samples({ outcome, page, size: WINDOW_PAGE }));
  const scroller = useRef<HTMLDivElement>(null);
  const hrefOf = (id: string): string => `/samples/${encodeURIComponent(id)}${search}`;
  const send = useSend(useOperationDone());
  return (
    <ListScreen
      title={text('nav.samples')}
      aside={<p className={parts['quiet']}>{text('sample.explained')}</p>}
      tools={
        <>
          <Tiles label={text('sample.outcomes')}>
            {SAMPLE_OUTCOMES.map((one) => (
              <Tile
                key={one}
                isSelected={one === outcome}
                onClick={() => navigate(one === 'OPEN' ? '/samples' : `/samples?outcome=${one}`)}
                label={text(`sample.${one}`)}
                count={counts?.[one]}
              />
            ))}
          </Tiles>
        </>
      }
      tableLabel={text('sample.table')}
      scroller={scroller}
      foot={list.total !== null && <ListFoot count={text('sample.total', { total: list.total })} />}
      detail={
        selectedId === null ? null : (
          <ExplanationDetail id={selectedId} send={send} onClose={() => navigate(`/samples${search}`)} />
        )
      }
    >
      <BoardList
        empty={text('sample.none')}
        window={list}
        scroller={scroller}
        selectedId={selectedId}
        hrefOf={hrefOf}
        onOpen={(id) => navigate(hrefOf(id))}
      />
    </ListScreen>
  );
}
