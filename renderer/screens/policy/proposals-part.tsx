import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { EmptyState, Loaded } from '../../../shared/ui/parts/data-state.tsx';
import { PagedTable } from '../../../shared/ui/table/data-table.tsx';
import { KstTime } from '../../../shared/ui/time/times.tsx';
import type { PolicyProposal } from '../../../shared/wire/console/console.ts';
import { useConsole } from '../../api/console-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import { ChangeError } from '../../components/parts/change-error.tsx';
import { ConfirmButton } from '../../components/parts/confirm-button.tsx';
import parts from '../../components/parts/parts.module.css';
import { useChange } from '../../components/parts/use-change.ts';
import { useMay } from '../../api/session-context.ts';
import { PolicyChanges } from './changes.tsx';
import { PublishChange } from './publish-change.tsx';

const PAGE = 20;

/** Changes that one reviewer has proposed; another one publishes them after a preview. */
export function ProposalsPart(): ReactNode {
  const text = useText();
  const may = useMay();
  const { api, queries } = useConsole();
  const [page, setPage] = useState(1);
  const [opened, setOpened] = useState<PolicyProposal | null>(null);
  const list = useQuery(queries.proposals({ page, size: PAGE }));
  const withdraw = useChange((id: string) => api.withdrawProposal(id), text('proposal.withdrawn'));
  return (
    <>
      <p className={parts['quiet']}>{text('proposal.explained')}</p>
      {opened !== null && <PublishChange draft={opened.draft} proposalId={opened.id} onClose={() => setOpened(null)} />}
      <ChangeError error={withdraw.error} />
      <Loaded query={list}>
        {(found) =>
          found.items.length === 0 ? (
            <EmptyState title={text('proposal.none')} />
          ) : (
            <PagedTable
              label={text('proposal.title')}
              page={found}
              count={text('proposal.total', { total: found.total })}
              onPage={setPage}
              idOf={({ id }) => id}
              isCurrent={({ id }) => id === opened?.id}
              columns={[
                { id: 'author', head: text('proposal.author'), kind: 'name', render: ({ displayName }) => displayName },
                { id: 'at', head: text('proposal.at'), kind: 'short', render: ({ at }) => <KstTime at={at} /> },
                {
                  id: 'changes',
                  head: text('policy.changes'),
                  render: ({ changes, draft: { startsAt } }) => (
                    <>
                      <PolicyChanges changes={changes} />
                      {typeof startsAt === 'string' && (
                        <p className={parts['quiet']}>
                          {text('start.column')}: <KstTime at={startsAt} />
                        </p>
                      )}
                    </>
                  ),
                },
                may('policy.change')
                  ? {
                      id: 'change',
                      head: text('policy.change'),
                      render: (proposal) => (
                        <span className={parts['rowButtons']}>
                          {proposal.mine ? (
                            <span className={parts['quiet']}>{text('proposal.mine')}</span>
                          ) : (
                            <Button variant="default" size="compact-xs" onClick={() => setOpened(proposal)}>
                              {text('policy.toPreview')}
                            </Button>
                          )}
                          <ConfirmButton
                            label={text('proposal.withdraw')}
                            named={text('proposal.withdrawNamed', { name: proposal.displayName })}
                            isBusy={withdraw.isPending && withdraw.variables === proposal.id}
                            onConfirm={() => withdraw.mutate(proposal.id)}
                          />
                        </span>
                      ),
                    }
                  : null,
              ]}
            />
          )
        }
      </Loaded>
    </>
  );
}
