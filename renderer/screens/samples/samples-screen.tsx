import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, type ReactNode } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useOpenId } from '../../../shared/ui/frame/open-id.ts';
import { useShortcuts } from '../../../shared/ui/keys/use-shortcuts.ts';
import { ListFoot, ListScreen } from '../../../shared/ui/list/list-screen.tsx';
import { WINDOW_PAGE } from '../../../shared/ui/list/page-window.ts';
import { usePageWindow } from '../../../shared/ui/list/windowed-rows.tsx';
import { Tile, Tiles } from '../../../shared/ui/parts/tiles.tsx';
import { SAMPLE_OUTCOMES } from '../../../shared/wire/console/console.ts';
import { useOperationDone } from '../../components/actions/use-operation-done.ts';
import { useSend } from '../../components/actions/use-send.ts';
import { useConsole } from '../../api/console-context.tsx';
import { BoardList } from '../explanations/board-list.tsx';
import { ExplanationDetail } from '../explanations/explanation-detail.tsx';
import { useText } from '../../i18n/use-text.ts';
import parts from '../../components/parts/parts.module.css';
import { afterDecision, neighbour, type Place } from '../review/queue/neighbours.ts';
import { useKeys } from '../review/item/use-keys.ts';

/** Texts provided without a review and checked afterwards, by outcome. */
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
  const send = useSend({ onDone: useOperationDone() });
  const { shortcuts } = useKeys();
  const ids = [...list.items.entries()].toSorted(([one], [other]) => one - other).map(([, { id }]) => id);
  /** Samples with a verdict from here; the list may still hold them until it is read again. */
  const seen = useRef(new Set<string>());
  // A list that no longer holds the open sample continues from its old position.
  const lastIndex = useRef(0);
  const at = selectedId === null ? -1 : ids.indexOf(selectedId);
  useEffect(() => {
    if (at >= 0) lastIndex.current = at;
  }, [at]);
  const place = (): Place => ({ id: selectedId, index: lastIndex.current });
  // Read in advance, so that it is there at the key press.
  const client = useQueryClient();
  const nextId = selectedId === null ? null : afterDecision(ids, { id: selectedId, index: Math.max(0, at) });
  useEffect(() => {
    if (nextId !== null) client.query(queries.explanation(nextId)).catch(() => undefined);
  }, [nextId, client, queries]);
  const walk = (next: string | null): void => {
    if (next !== null) navigate(hrefOf(next));
  };
  useShortcuts(shortcuts.list, true, (key) => walk(neighbour(ids, place(), key === 'next' ? 1 : -1)));
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
          <ExplanationDetail
            id={selectedId}
            send={send}
            onClose={() => navigate(`/samples${search}`)}
            onNextSample={() => {
              seen.current.add(selectedId);
              const next = afterDecision(
                ids.filter((id) => id === selectedId || !seen.current.has(id)),
                place(),
              );
              navigate(next === null ? `/samples${search}` : hrefOf(next));
            }}
          />
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
