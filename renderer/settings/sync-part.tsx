import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Badge } from '../../shared/ui/parts/badge.tsx';
import { Loaded } from '../../shared/ui/parts/data-state.tsx';
import { Glyph } from '../../shared/ui/parts/glyphs.tsx';
import { Facts, Panel } from '../../shared/ui/parts/panel.tsx';
import { PagedTable } from '../../shared/ui/table/data-table.tsx';
import { KstTime, NoValue } from '../../shared/ui/time/times.tsx';
import type { SyncHistoryItem } from '../../shared/wire/console.ts';
import { useConsole } from '../api/console-context.tsx';
import { alarmCounts, SYNC_LOOKS } from '../frame/sync-state.tsx';
import { useText } from '../i18n/use-text.ts';
import parts from '../parts/parts.module.css';
import { CertificatePanel } from './certificate-panel.tsx';

const PAGE = 25;

/** How the reception goes, the certificate that it goes by, and what came or was set aside. */
export function SyncPart(): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  return (
    <>
      <div className={parts['columns']}>
        <Panel title={text('sync.details')}>
          <Loaded query={useQuery(queries.syncStatus)}>
            {(status) => (
              <>
                <p className={parts['text']}>
                  <Badge {...SYNC_LOOKS[status.state]}>{text(`sync.state.${status.state}`)}</Badge>{' '}
                  {text(`sync.explained.${status.state}`)}
                </p>
                {status.alarms
                  .filter((alarm) => alarm !== 'NOT_OK')
                  .map((alarm) => (
                    <p key={alarm} className={parts['text']}>
                      <Glyph name="warning" /> {text(`alarm.${alarm}`, alarmCounts(status))}
                    </p>
                  ))}
                <Facts
                  rows={[
                    [text('sync.committed'), status.committedCursor],
                    [text('sync.applied'), status.appliedCursor],
                    [text('sync.head'), status.head ?? <NoValue key="none" />],
                    [text('sync.behind'), status.lag ?? <NoValue key="none" />],
                    [text('sync.lastReceived'), <KstTime key="at" at={status.lastReceivedAt} precision="second" />],
                    [text('sync.lastSuccess'), <KstTime key="at" at={status.lastSuccessAt} precision="second" />],
                    [text('sync.held'), status.heldInvalidations],
                    [text('sync.rejected'), status.rejectedEntries],
                    [text('sync.quarantined'), status.quarantinedBundles],
                  ]}
                />
                {status.lastError !== null && (
                  <p className={parts['quiet']}>
                    {text('sync.lastError')} <KstTime at={status.lastError.at} precision="second" /> ·{' '}
                    <code>{status.lastError.code}</code> {status.lastError.message}
                  </p>
                )}
              </>
            )}
          </Loaded>
        </Panel>
        <CertificatePanel />
      </div>
      <History />
    </>
  );
}

function History(): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  const [page, setPage] = useState(1);
  return (
    <Panel title={text('sync.history')}>
      <Loaded query={useQuery(queries.syncHistory({ page, size: PAGE }))}>
        {(found) =>
          found.total === 0 ? (
            <p className={parts['quiet']}>{text('sync.history.none')}</p>
          ) : (
            <PagedTable
              label={text('sync.history')}
              page={found}
              count={text('sync.history.total', { total: found.total })}
              onPage={setPage}
              idOf={({ at }, index) => `${at} ${index}`}
              columns={[
                {
                  id: 'at',
                  head: text('sync.history.at'),
                  kind: 'short',
                  render: ({ at }) => <KstTime at={at} precision="second" />,
                },
                {
                  id: 'kind',
                  head: text('sync.history.kind'),
                  kind: 'name',
                  render: ({ kind }) => text(`sync.kind.${kind}`),
                },
                {
                  id: 'range',
                  head: text('sync.history.range'),
                  kind: 'short',
                  render: (item) => <Range item={item} />,
                },
                {
                  id: 'what',
                  head: text('sync.history.what'),
                  render: ({ entries, state, code, message, targetId }) => (
                    <>
                      {entries !== null && text('sync.history.entries', { count: entries })}{' '}
                      {state !== null && text(`sync.state.${state}`)} {code !== null && <code>{code}</code>} {message}{' '}
                      {targetId !== null && <code>{targetId}</code>}
                    </>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}

function Range({ item: { cursorFrom, cursorTo } }: { item: SyncHistoryItem }): ReactNode {
  if (cursorFrom === null && cursorTo === null) return <NoValue />;
  if (cursorFrom === null || cursorTo === null || cursorFrom === cursorTo) return cursorFrom ?? cursorTo;
  return `${cursorFrom} – ${cursorTo}`;
}
