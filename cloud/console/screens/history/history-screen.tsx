import { NativeSelect } from '@mantine/core';
import { useId, useMemo, type ReactNode } from 'react';
import { useLocation, useSearch } from 'wouter';
import { DetailPane, FilterBar, ListFoot, ListScreen } from '../../../../shared/ui/list/list-screen.tsx';
import { useOpenId } from '../../../../shared/ui/frame/open-id.ts';
import { EmptyState, Loaded } from '../../../../shared/ui/parts/data-state.tsx';
import { DayField } from '../../../../shared/ui/days/day-field.tsx';
import { useOperator } from '../../api/operator-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import { LiveBar } from '../../live/live-bar.tsx';
import { useLive } from '../../live/refresh.tsx';
import { GapList } from '../../runs/gap-list.tsx';
import { RunDetail } from '../../runs/run-detail.tsx';
import classes from '../../runs/runs.module.css';
import { DAY_COUNTS, readHistoryFilter, writeHistoryFilter, type HistoryFilter } from './history-filter.ts';
import { RunGridTable } from './run-grid-table.tsx';

const PLACE = '/runs';

/** The run history: lanes by days, planned slots without a run included. */
export function HistoryScreen(): ReactNode {
  const text = useText();
  const { queries } = useOperator();
  const [, navigate] = useLocation();
  const openKey = useOpenId();
  const addressed = useSearch();
  const filter = useMemo(() => readHistoryFilter(new URLSearchParams(addressed)), [addressed]);
  const search = writeHistoryFilter(filter);
  const grid = useLive(queries.history(filter));

  const placeOf = (runKey: string | null): string =>
    runKey === null ? PLACE : `${PLACE}/${encodeURIComponent(runKey)}`;
  const change = (changes: Partial<HistoryFilter>): void =>
    navigate(`${placeOf(openKey)}${writeHistoryFilter({ ...filter, ...changes })}`);
  const lanes = grid.data?.lanes.map(({ lane }) => lane) ?? [];

  return (
    <ListScreen
      title={text('nav.runs')}
      aside={<LiveBar query={grid} asOf={grid.data?.asOf} />}
      tools={
        <FilterBar isNarrowed={search !== ''} onReset={() => navigate(placeOf(openKey))}>
          <DayField
            label={text('history.to')}
            value={filter.to ?? grid.data?.to ?? null}
            onChange={(to) => change({ to })}
          />
          <NativeSelect
            aria-label={text('history.days')}
            value={String(filter.days)}
            data={DAY_COUNTS.map((count) => ({ value: String(count), label: text('history.dayCount', { count }) }))}
            onChange={({ currentTarget: { value } }) =>
              change({ days: DAY_COUNTS.find((count) => String(count) === value) ?? filter.days })
            }
          />
          <NativeSelect
            aria-label={text('field.lane')}
            value={filter.lane}
            data={[
              { value: '', label: text('history.allLanes') },
              ...[...new Set([...lanes, ...(filter.lane === '' ? [] : [filter.lane])])].map((lane) => ({
                value: lane,
                label: lane,
              })),
            ]}
            onChange={({ currentTarget: { value } }) => change({ lane: value })}
          />
        </FilterBar>
      }
      tableLabel={text('history.table')}
      foot={
        grid.data !== undefined && (
          <ListFoot count={text('history.range', { from: grid.data.from, to: grid.data.to })} />
        )
      }
      isDetailBelow
      onClosePanel={() => navigate(`${PLACE}${search}`)}
      detail={openKey === null ? null : <RunPane runKey={openKey} onClose={() => navigate(`${PLACE}${search}`)} />}
    >
      <Loaded query={grid}>
        {({ lanes: rows, unreadableGaps }) => (
          <>
            {unreadableGaps.length > 0 && (
              <section className={classes['unreadable']} data-tone="bad" aria-label={text('overview.unreadable')}>
                <strong>{text('overview.unreadable')}</strong>
                <GapList gaps={unreadableGaps} />
              </section>
            )}
            {rows.length === 0 ? (
              <EmptyState title={text('overview.empty')} />
            ) : (
              <RunGridTable rows={rows} openKey={openKey} hrefOf={(runKey) => `${placeOf(runKey)}${search}`} />
            )}
          </>
        )}
      </Loaded>
    </ListScreen>
  );
}

function RunPane({ runKey, onClose }: { runKey: string; onClose: () => void }): ReactNode {
  const text = useText();
  const headingId = useId();
  return (
    <DetailPane
      headingId={headingId}
      label={text('run.title')}
      head={
        <h2 id={headingId} className={classes['laneTitle']}>
          {text('run.title')}
        </h2>
      }
      onClose={onClose}
      foot={null}
    >
      <RunDetail runKey={runKey} />
    </DetailPane>
  );
}
