import type { ReactNode } from 'react';
import { ListFoot, ListScreen } from '../../../../shared/ui/list/list-screen.tsx';
import { Badge } from '../../../../shared/ui/parts/badge.tsx';
import { EmptyState, Loaded } from '../../../../shared/ui/parts/data-state.tsx';
import { DataTable } from '../../../../shared/ui/table/data-table.tsx';
import { KstShortTime } from '../../../../shared/ui/time/times.tsx';
import { COLLECTION_SOURCES, type SourceReport, type SourceStatus } from '../../../../shared/wire/operator/operator.ts';
import { useOperator } from '../../api/operator-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import { CsvButton } from '../../lists/csv-button.tsx';
import { timeCell } from '../../lists/csv.ts';
import { LiveBar } from '../../live/live-bar.tsx';
import { useLive } from '../../live/refresh.tsx';
import { LedgerCode } from '../../runs/ledger-code.tsx';
import { LongText } from '../../runs/long-text.tsx';
import { Quantity, QuantityLegend } from '../../runs/quantity.tsx';
import type { Look } from '../../runs/run-badges.tsx';
import { isSourceLate, isSourceUnknown } from '../../rules/reading/silence.ts';
import classes from '../../runs/runs.module.css';

const LOOKS: Readonly<Record<SourceStatus, Look>> = {
  NORMAL: { tone: 'good', glyph: 'approved' },
  COLLECTING: { tone: 'info', glyph: 'running' },
  DELAYED: { tone: 'wait', glyph: 'waiting' },
  ERROR: { tone: 'bad', glyph: 'refused' },
  UNKNOWN: { tone: 'neutral', glyph: 'unknown' },
};

/** The state of each source's collection (operator API 2). */
export function SourcesScreen(): ReactNode {
  const text = useText();
  const { queries } = useOperator();
  const report = useLive(queries.report);
  return (
    <ListScreen
      title={text('nav.sources')}
      aside={<LiveBar query={report} asOf={report.data?.asOf} />}
      tools={null}
      tableLabel={text('sources.table')}
      foot={
        report.data !== undefined && (
          <ListFoot
            count={text('sources.total', { total: report.data.sources.length })}
            tools={<SourcesCsv report={report.data} />}
          />
        )
      }
      detail={null}
    >
      <Loaded query={report}>
        {({ sources, asOf }) =>
          sources.length === 0 ? (
            <EmptyState title={text('sources.empty')} />
          ) : (
            <>
              <SourceTable sources={sources} asOf={asOf} />
              <div className={classes['below']}>
                <QuantityLegend />
              </div>
            </>
          )
        }
      </Loaded>
    </ListScreen>
  );
}

type Source = SourceReport['sources'][number];

/** The ledger says good of a source without a due time, however long ago that was: its own rhythm says late (D215). */
function statusOf(source: Source, asOf: string): SourceStatus {
  const { status, nextDueAt: dueAt, lastCollectedAt: last, hours, nonTradingDays } = source;
  if (dueAt !== null || (status !== 'NORMAL' && status !== 'COLLECTING')) return status;
  const heard = { dueAt, last, hours, nonTradingDays };
  return isSourceLate(heard, asOf) ? 'DELAYED' : isSourceUnknown(heard, asOf) ? 'UNKNOWN' : status;
}

function SourcesCsv({ report: { sources, asOf } }: { report: SourceReport }): ReactNode {
  const text = useText();
  return (
    <CsvButton
      name="sources"
      rows={sources}
      columns={[
        [text('field.source'), ({ source }) => source],
        [text('field.state'), (source) => text(`sourceStatus.${statusOf(source, asOf)}`)],
        [text('sources.collected'), ({ lastCollectedAt }) => timeCell(lastCollectedAt)],
        [text('sources.processed'), ({ lastProcessedAt }) => timeCell(lastProcessedAt)],
        [text('sources.due'), ({ nextDueAt }) => timeCell(nextDueAt)],
        [text('sources.records'), ({ records }) => records],
        [text('field.errorCode'), ({ latestError }) => latestError?.code],
        [text('sources.latestError'), ({ latestError }) => latestError?.message],
      ]}
    />
  );
}

function SourceTable({ sources, asOf }: { sources: readonly Source[]; asOf: string }): ReactNode {
  const text = useText();
  return (
    <DataTable
      isScreen
      label={text('sources.table')}
      rows={sources}
      idOf={({ source }) => source}
      columns={[
        {
          id: 'source',
          head: text('field.source'),
          kind: 'name',
          render: ({ source }) => <SourceName source={source} />,
        },
        {
          id: 'status',
          head: text('field.state'),
          kind: 'short',
          render: (source) => {
            const status = statusOf(source, asOf);
            return <Badge {...LOOKS[status]}>{text(`sourceStatus.${status}`)}</Badge>;
          },
        },
        {
          id: 'collected',
          head: text('sources.collected'),
          kind: 'short',
          render: ({ lastCollectedAt }) => <OnceOrNever at={lastCollectedAt} />,
        },
        {
          id: 'processed',
          head: text('sources.processed'),
          kind: 'short',
          render: ({ lastProcessedAt }) => <OnceOrNever at={lastProcessedAt} />,
        },
        { id: 'due', head: text('sources.due'), render: ({ nextDueAt }) => <KstShortTime at={nextDueAt} /> },
        {
          id: 'records',
          head: text('sources.records'),
          kind: 'number',
          render: ({ records }) => <Quantity value={records} />,
        },
        {
          id: 'error',
          head: text('sources.latestError'),
          kind: 'wide',
          render: ({ latestError }) => <LatestError error={latestError} />,
        },
      ]}
    />
  );
}

function OnceOrNever({ at }: { at: string | null }): ReactNode {
  const text = useText();
  return at === null ? text('sources.never') : <KstShortTime at={at} />;
}

function LatestError({ error }: { error: Source['latestError'] }): ReactNode {
  const text = useText();
  if (error === null) return <span className={classes['quiet']}>{text('sources.noError')}</span>;
  return (
    <>
      <LedgerCode code={error.code} /> <KstShortTime at={error.at} />
      {error.message !== null && (
        <p>
          <LongText>{error.message}</LongText>
        </p>
      )}
    </>
  );
}

/** The ledger may know sources that the contract does not name. */
function SourceName({ source }: { source: string }): ReactNode {
  const text = useText();
  const named = COLLECTION_SOURCES.find((one) => one === source);
  return named === undefined ? <code>{source}</code> : text(`source.${named}`);
}
