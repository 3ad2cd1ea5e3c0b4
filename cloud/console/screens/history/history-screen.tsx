import { Checkbox, NativeSelect } from '@mantine/core';
import { useId, useMemo, type ReactNode } from 'react';
import { useLocation, useSearch } from 'wouter';
import { DetailPane, FilterBar, ListFoot, ListScreen } from '../../../../shared/ui/list/list-screen.tsx';
import { useOpenId } from '../../../../shared/ui/frame/open-id.ts';
import { EmptyState, Loaded } from '../../../../shared/ui/parts/data-state.tsx';
import { DayField } from '../../../../shared/ui/days/day-field.tsx';
import type { RunGrid } from '../../../../shared/wire/operator/operator.ts';
import { useOperator } from '../../api/operator-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import { CsvButton } from '../../lists/csv-button.tsx';
import { timeCell } from '../../lists/csv.ts';
import { LiveBar } from '../../live/live-bar.tsx';
import { useLive } from '../../live/refresh.tsx';
import { GapList } from '../../runs/gap-list.tsx';
import { RunDetail } from '../../runs/run-detail.tsx';
import classes from '../../runs/runs.module.css';
import { kindOf } from '../../runs/slots.ts';
import { DAY_COUNTS, readHistoryFilter, writeHistoryFilter, type HistoryFilter } from './history-filter.ts';
import { rowsOf, slotsOf } from './grid-rows.ts';
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
          <Checkbox
            label={text('history.onlyFailed')}
            checked={filter.onlyFailed}
            onChange={({ currentTarget: { checked } }) => change({ onlyFailed: checked })}
          />
        </FilterBar>
      }
      tableLabel={text('history.table')}
      foot={
        grid.data !== undefined && (
          <ListFoot
            count={text('history.range', { from: grid.data.from, to: grid.data.to })}
            tools={
              <CsvButton
                name={`runs-${grid.data.from}-${grid.data.to}`}
                rows={slotsOf(rowsOf(grid.data.lanes, filter.onlyFailed), grid.data.unreadableGaps)}
                columns={[
                  [text('field.lane'), ({ lane }) => lane],
                  [text('history.csv.day'), ({ date }) => date],
                  [text('run.title'), ({ slot }) => slot.key],
                  [text('history.csv.begun'), ({ slot }) => timeCell(slot.at)],
                  [text('field.state'), ({ slot }) => text(`slot.${kindOf(slot)}`)],
                  [text('history.csv.status'), ({ slot }) => slot.run?.status],
                  [text('history.csv.defects'), ({ slot }) => slot.run?.defectCount],
                  [text('failures.recoveredZone'), ({ slot }) => timeCell(slot.run?.recovery?.at)],
                ]}
              />
            }
          />
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
            <Grid lanes={rows} filter={filter} openKey={openKey} placeOf={placeOf} />
          </>
        )}
      </Loaded>
    </ListScreen>
  );
}

function Grid({
  lanes,
  filter,
  openKey,
  placeOf,
}: {
  lanes: RunGrid['lanes'];
  filter: HistoryFilter;
  openKey: string | null;
  placeOf: (runKey: string | null) => string;
}): ReactNode {
  const text = useText();
  const rows = rowsOf(lanes, filter.onlyFailed);
  if (lanes.length === 0) return <EmptyState title={text('overview.empty')} />;
  if (rows.length === 0) return <EmptyState title={text('history.noneFailed')} />;
  return (
    <RunGridTable
      rows={rows}
      openKey={openKey}
      hrefOf={(runKey) => `${placeOf(runKey)}${writeHistoryFilter(filter)}`}
      dayHref={(to, lane) => `${PLACE}${writeHistoryFilter({ ...filter, to, days: 1, lane: lane ?? filter.lane })}`}
    />
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
