import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { Loaded } from '../../../shared/ui/parts/data-state.tsx';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import { Facts, Panel } from '../../../shared/ui/parts/panel.tsx';
import { PagedTable } from '../../../shared/ui/table/data-table.tsx';
import { KstTime, NoValue } from '../../../shared/ui/time/times.tsx';
import {
  SYNC_HISTORY_KINDS,
  type SyncHistoryItem,
  type SyncHistoryKind,
} from '../../../shared/wire/console/console.ts';
import { useConsole } from '../../api/console-context.tsx';
import { alarmCounts, explainedBy, SyncBadge } from '../../components/sync-state/sync-state.tsx';
import { useText } from '../../i18n/use-text.ts';
import parts from '../../components/parts/parts.module.css';
import { CertificatePanel } from './certificate-panel.tsx';
import { historyKindOf, syncHistoryHref } from './sync-history-address.ts';

const PAGE = 25;

/** The state of the reception, the relay's certificate, and the bundles received or in quarantine. */
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
                  <SyncBadge status={status} /> {text(explainedBy(status))}
                </p>
                {status.waitCutSeconds !== null && (
                  <p className={parts['text']}>
                    <Glyph name="warning" /> {text('sync.waitCut', { seconds: status.waitCutSeconds })}
                  </p>
                )}
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
                    [text('sync.held'), <Counted key="held" count={status.heldInvalidations} kind="HELD" />],
                    [text('sync.rejected'), <Counted key="rejected" count={status.rejectedEntries} kind="REJECTED" />],
                    [
                      text('sync.quarantined'),
                      <Counted key="quarantined" count={status.quarantinedBundles} kind="QUARANTINED" />,
                    ],
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

/** The received bundles and the set-aside ones; the address names the kind, so that counts can link here. */
function History(): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  const [, navigate] = useLocation();
  const kind = historyKindOf(useSearch());
  // Another kind is another list, which begins at its first page.
  const [place, setPlace] = useState({ kind, page: 1 });
  const page = place.kind === kind ? place.page : 1;
  return (
    <Panel
      title={text('sync.history')}
      aside={
        <NativeSelect
          aria-label={text('sync.history.kind')}
          value={kind ?? ''}
          data={[
            { value: '', label: text('sync.history.allKinds') },
            ...SYNC_HISTORY_KINDS.map((one) => ({ value: one, label: text(`sync.kind.${one}`) })),
          ]}
          onChange={(event) => {
            const { value } = event.currentTarget;
            navigate(syncHistoryHref(SYNC_HISTORY_KINDS.find((one) => one === value)), { replace: true });
          }}
        />
      }
    >
      <Loaded query={useQuery(queries.syncHistory({ page, size: PAGE, ...(kind === null ? {} : { kind }) }))}>
        {(found) =>
          found.total === 0 ? (
            <p className={parts['quiet']}>{text('sync.history.none')}</p>
          ) : (
            <PagedTable
              label={text('sync.history')}
              page={found}
              count={text('sync.history.total', { total: found.total })}
              onPage={(next) => setPlace({ kind, page: next })}
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

/** The number of bodies in quarantine, with a link to them. */
function Counted({ count, kind }: { count: number; kind: SyncHistoryKind }): ReactNode {
  if (count === 0) return 0;
  return <Link href={syncHistoryHref(kind)}>{count.toLocaleString('en-US')}</Link>;
}

function Range({ item: { cursorFrom, cursorTo } }: { item: SyncHistoryItem }): ReactNode {
  if (cursorFrom === null && cursorTo === null) return <NoValue />;
  if (cursorFrom === null || cursorTo === null || cursorFrom === cursorTo) return cursorFrom ?? cursorTo;
  return `${cursorFrom} – ${cursorTo}`;
}
