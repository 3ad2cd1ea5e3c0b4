import type { ReactNode } from 'react';
import { ListFoot, ListScreen } from '../../../shared/ui/list/list-screen.tsx';
import { Badge } from '../../../shared/ui/parts/badge.tsx';
import { EmptyState, Loaded } from '../../../shared/ui/parts/data-state.tsx';
import { KstShortTime } from '../../../shared/ui/time/times.tsx';
import { COLLECTION_SOURCES, type SourceReport, type SourceStatus } from '../../../shared/wire/operator.ts';
import { useOperator } from '../api/operator-context.tsx';
import { useText } from '../i18n/use-text.ts';
import { LiveBar } from '../live/live-bar.tsx';
import { useLive } from '../live/refresh.tsx';
import { Quantity, QuantityLegend } from '../runs/quantity.tsx';
import type { Look } from '../runs/run-looks.tsx';
import classes from '../runs/runs.module.css';

const LOOKS: Readonly<Record<SourceStatus, Look>> = {
  NORMAL: { tone: 'good', glyph: 'approved' },
  COLLECTING: { tone: 'info', glyph: 'running' },
  DELAYED: { tone: 'wait', glyph: 'waiting' },
  ERROR: { tone: 'bad', glyph: 'refused' },
  UNKNOWN: { tone: 'neutral', glyph: 'unknown' },
};

/** How the collection of each source stands (document 2 section 2). */
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
        report.data !== undefined && <ListFoot count={text('sources.total', { total: report.data.sources.length })} />
      }
      detail={null}
    >
      <Loaded query={report}>
        {({ sources }) =>
          sources.length === 0 ? (
            <EmptyState title={text('sources.empty')} />
          ) : (
            <>
              <SourceTable sources={sources} />
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

function SourceTable({ sources }: { sources: SourceReport['sources'] }): ReactNode {
  const text = useText();
  return (
    <table className={classes['facts']} aria-label={text('sources.table')}>
      <thead>
        <tr>
          <th scope="col">{text('field.source')}</th>
          <th scope="col">{text('field.state')}</th>
          <th scope="col">{text('sources.collected')}</th>
          <th scope="col">{text('sources.processed')}</th>
          <th scope="col">{text('sources.due')}</th>
          <th scope="col" data-number>
            {text('sources.records')}
          </th>
          <th scope="col">{text('sources.latestError')}</th>
        </tr>
      </thead>
      <tbody>
        {sources.map(({ source, status, lastCollectedAt, lastProcessedAt, nextDueAt, records, latestError }) => (
          <tr key={source}>
            <th scope="row">
              <SourceName source={source} />
            </th>
            <td>
              <Badge {...LOOKS[status]}>{text(`sourceStatus.${status}`)}</Badge>
            </td>
            <td>{lastCollectedAt === null ? text('sources.never') : <KstShortTime at={lastCollectedAt} />}</td>
            <td>{lastProcessedAt === null ? text('sources.never') : <KstShortTime at={lastProcessedAt} />}</td>
            <td>
              <KstShortTime at={nextDueAt} />
            </td>
            <td data-number>
              <Quantity value={records} />
            </td>
            <td className={classes['wide']}>
              {latestError === null ? (
                <span className={classes['quiet']}>{text('sources.noError')}</span>
              ) : (
                <>
                  <code>{latestError.code}</code> <KstShortTime at={latestError.at} />
                  {latestError.message !== null && <p>{latestError.message}</p>}
                </>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The ledger may know sources that the contract does not name. */
function SourceName({ source }: { source: string }): ReactNode {
  const text = useText();
  const named = COLLECTION_SOURCES.find((one) => one === source);
  return named === undefined ? <code>{source}</code> : text(`source.${named}`);
}
