import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ListFoot } from '../../shared/ui/list/list-screen.tsx';
import { Tag } from '../../shared/ui/parts/badge.tsx';
import { EmptyState, Loaded } from '../../shared/ui/parts/data-state.tsx';
import { KstTime } from '../../shared/ui/time/times.tsx';
import { useConsole } from '../api/console-context.tsx';
import { useText } from '../i18n/use-text.ts';
import parts from '../parts/parts.module.css';
import { useMay } from '../session/session-context.ts';
import { PolicyChanges } from './changes.tsx';
import { PublishChange } from './publish-change.tsx';

const PAGE = 20;

/** Every version with what it changed; an earlier one can be made the active one again, as a new version. */
export function VersionsPart(): ReactNode {
  const text = useText();
  const may = useMay();
  const { api, queries } = useConsole();
  const [page, setPage] = useState(1);
  const [restored, setRestored] = useState<number | null>(null);
  const list = useQuery(queries.policyVersions({ page, size: PAGE }));
  if (restored !== null)
    return (
      <PublishChange
        draft={{ restoreVersion: restored }}
        publish={(version) => api.restorePolicy(restored, version)}
        onClose={() => setRestored(null)}
      />
    );
  return (
    <Loaded query={list}>
      {({ items, total }) =>
        items.length === 0 ? (
          <EmptyState title={text('policy.none')} />
        ) : (
          <>
            <table className={parts['table']} aria-label={text('policy.versions')}>
              <thead>
                <tr>
                  <th scope="col">{text('policy.versionNumber')}</th>
                  <th scope="col">{text('policy.publishedAt')}</th>
                  <th scope="col">{text('policy.author')}</th>
                  <th scope="col">{text('policy.changes')}</th>
                  {may('policy.change') && <th scope="col">{text('policy.change')}</th>}
                </tr>
              </thead>
              <tbody>
                {items.map((item) => (
                  <tr key={item.version}>
                    <th scope="row">
                      {item.version}{' '}
                      {item.active && (
                        <Tag tone="good" glyph="tick">
                          {text('policy.inForce')}
                        </Tag>
                      )}
                    </th>
                    <td>
                      <KstTime at={item.createdAt} />
                    </td>
                    <td>{item.author}</td>
                    <td>
                      <PolicyChanges changes={item.changes} />
                    </td>
                    {may('policy.change') && (
                      <td>
                        {!item.active && (
                          <Button
                            variant="default"
                            size="compact-xs"
                            aria-label={text('policy.restoreNamed', { version: item.version })}
                            onClick={() => setRestored(item.version)}
                          >
                            {text('policy.restore')}
                          </Button>
                        )}
                      </td>
                    )}
                  </tr>
                ))}
              </tbody>
            </table>
            <ListFoot
              count={text('policy.versions.total', { total })}
              pages={Math.ceil(total / PAGE)}
              page={page}
              onPage={setPage}
            />
          </>
        )
      }
    </Loaded>
  );
}
