import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Tag } from '../../../shared/ui/parts/badge.tsx';
import { EmptyState, Loaded } from '../../../shared/ui/parts/data-state.tsx';
import { PagedTable } from '../../../shared/ui/table/data-table.tsx';
import { KstTime } from '../../../shared/ui/time/times.tsx';
import { useConsole } from '../../api/console-context.tsx';
import { Actor } from '../../components/domain/actor-and-reason.tsx';
import { useText } from '../../i18n/use-text.ts';
import { useMay } from '../../api/session-context.ts';
import type { PolicyVersionItem } from '../../../shared/wire/console/policy.ts';
import { PolicyChanges } from './changes.tsx';
import { CompareVersions, type Compared } from './compare-versions.tsx';
import { PublishChange } from './publish-change.tsx';

const PAGE = 20;

/** Every version with its changes; an earlier one can be made active again, as a new version. */
export function VersionsPart(): ReactNode {
  const text = useText();
  const may = useMay();
  const { queries } = useConsole();
  const [page, setPage] = useState(1);
  const [restored, setRestored] = useState<number | null>(null);
  const [compared, setCompared] = useState<Compared | null>(null);
  const list = useQuery(queries.policyVersions({ page, size: PAGE }));
  return (
    <Loaded query={list}>
      {(found) =>
        found.items.length === 0 ? (
          <EmptyState title={text('policy.none')} />
        ) : (
          <>
            {restored !== null && (
              <PublishChange key={restored} draft={{ restoreVersion: restored }} onClose={() => setRestored(null)} />
            )}
            {found.total > 1 && (
              <CompareVersions
                newest={found.total}
                compared={compared ?? { from: found.total - 1, to: found.total }}
                onCompare={setCompared}
                onRestore={may('policy.change') ? setRestored : null}
              />
            )}
            <PagedTable
              label={text('policy.versions')}
              page={found}
              count={text('policy.versions.total', { total: found.total })}
              onPage={setPage}
              idOf={({ version }) => version}
              columns={[
                {
                  id: 'version',
                  head: text('policy.versionNumber'),
                  kind: 'name',
                  render: ({ version, active }) => (
                    <>
                      {version}{' '}
                      {active && (
                        <Tag tone="good" glyph="tick">
                          {text('policy.inForce')}
                        </Tag>
                      )}
                    </>
                  ),
                },
                {
                  id: 'at',
                  head: text('policy.publishedAt'),
                  kind: 'short',
                  render: ({ createdAt }) => <KstTime at={createdAt} />,
                },
                {
                  id: 'start',
                  head: text('start.column'),
                  kind: 'short',
                  render: (version) => <StartOf version={version} />,
                },
                {
                  id: 'author',
                  head: text('policy.author'),
                  kind: 'short',
                  render: ({ author }) => <Actor actor={author} />,
                },
                {
                  id: 'changes',
                  head: text('policy.changes'),
                  kind: 'wide',
                  render: ({ changes }) => <PolicyChanges changes={changes} />,
                },
                may('policy.change')
                  ? {
                      id: 'change',
                      head: text('policy.change'),
                      render: ({ version, active }) =>
                        !active && (
                          <Button
                            variant="default"
                            size="compact-xs"
                            aria-label={text('policy.restoreNamed', { version })}
                            onClick={() => setRestored(version)}
                          >
                            {text('policy.restore')}
                          </Button>
                        ),
                    }
                  : null,
              ]}
            />
          </>
        )
      }
    </Loaded>
  );
}

/** When a version took effect, or why it did not (D212). */
function StartOf({ version: { start, createdAt } }: { version: PolicyVersionItem }): ReactNode {
  const text = useText();
  if (start === null) return <KstTime at={createdAt} />;
  const { state, startsAt, at, cancelledBy, reason } = start;
  if (state === 'STARTED') return <KstTime at={at} />;
  return (
    <>
      <Tag tone={state === 'WAITING' ? 'wait' : 'neutral'} glyph={state === 'WAITING' ? 'waiting' : 'cross'}>
        {text(`start.state.${state}`)}
      </Tag>{' '}
      <KstTime at={at ?? startsAt} />
      {cancelledBy !== null && <p>{text('start.state.by', { name: cancelledBy, reason: reason ?? '' })}</p>}
    </>
  );
}
