import { Button, Checkbox, NativeSelect } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Link, useSearch } from 'wouter';
import { useErrorText, EmptyState, Loaded } from '../../shared/ui/parts/data-state.tsx';
import { DayField } from '../../shared/ui/parts/day-field.tsx';
import { Glyph } from '../../shared/ui/parts/glyphs.tsx';
import { useNotify } from '../../shared/ui/parts/notices.tsx';
import { PagedTable } from '../../shared/ui/table/data-table.tsx';
import { KstTime, NoValue } from '../../shared/ui/time/times.tsx';
import type { AuditAction } from '../../shared/wire/console.ts';
import { useConsole } from '../api/console-context.tsx';
import { useText } from '../i18n/use-text.ts';
import { ChangeError } from '../parts/change-error.tsx';
import parts from '../parts/parts.module.css';
import { saveFile } from '../../shared/ui/parts/save-file.ts';
import { askedOf, readAuditFilter, SUBJECTS, type AuditFilter } from './audit-filter.ts';
import classes from './settings.module.css';

const PAGE = 50;

/** Who did what, newest first, with the hash that chains each row to the one before it (D19). */
export function AuditPart(): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  const [filter, setFilter] = useState<AuditFilter>(readAuditFilter(useSearch()));
  const [page, setPage] = useState(1);
  const change = (changes: Partial<AuditFilter>): void => {
    setFilter({ ...filter, ...changes });
    setPage(1);
  };
  return (
    <>
      <search className={parts['bar']}>
        <NativeSelect
          label={text('audit.subject')}
          value={filter.subject}
          data={SUBJECTS.map((subject) => ({ value: subject, label: text(`audit.subject.${subject}`) }))}
          onChange={(event) =>
            change({ subject: SUBJECTS.find((subject) => subject === event.currentTarget.value) ?? 'all' })
          }
        />
        <DayField
          label={text('audit.from')}
          labelAt="above"
          value={filter.from}
          onChange={(day) => change({ from: day ?? '' })}
        />
        <DayField
          label={text('audit.to')}
          labelAt="above"
          value={filter.to}
          onChange={(day) => change({ to: day ?? '' })}
        />
        <Checkbox
          label={text('audit.system')}
          checked={filter.system}
          onChange={(event) => change({ system: event.currentTarget.checked })}
        />
        <SaveCsv filter={filter} />
      </search>
      <Loaded query={useQuery(queries.auditActions({ ...askedOf(filter), page, size: PAGE }))}>
        {(found) =>
          found.total === 0 ? (
            <EmptyState title={text('audit.none')} />
          ) : (
            <PagedTable
              label={text('settings.audit')}
              page={found}
              count={text('audit.total', { total: found.total })}
              onPage={setPage}
              idOf={({ seq }) => seq}
              columns={[
                { id: 'seq', head: text('audit.seq'), kind: 'number', render: ({ seq }) => seq },
                {
                  id: 'at',
                  head: text('audit.at'),
                  kind: 'short',
                  render: ({ at }) => <KstTime at={at} precision="second" />,
                },
                { id: 'actor', head: text('audit.actor'), render: (action) => <Actor action={action} /> },
                {
                  id: 'action',
                  head: text('audit.action'),
                  kind: 'name',
                  render: ({ action }) => <code>{action}</code>,
                },
                {
                  id: 'target',
                  head: text('audit.target'),
                  render: ({ targetType, targetId }) => (
                    <>
                      {targetType} <Target type={targetType} id={targetId} />
                    </>
                  ),
                },
                {
                  id: 'detail',
                  head: text('audit.detail'),
                  render: ({ detail }) =>
                    Object.keys(detail).length === 0 ? (
                      <NoValue />
                    ) : (
                      <code className={classes['detail']}>{JSON.stringify(detail)}</code>
                    ),
                },
                {
                  id: 'hash',
                  head: text('audit.hash'),
                  render: ({ hash }) => <code title={hash}>{hash.slice(0, 10)}</code>,
                },
              ]}
            />
          )
        }
      </Loaded>
      <ChainCheck />
    </>
  );
}

/** What it was done to; an explanation can be opened from here. */
function Target({ type, id }: { type: string; id: string | null }): ReactNode {
  if (id === null) return <NoValue />;
  const code = <code className={classes['id']}>{id}</code>;
  return type === 'explanation' ? <Link href={`/explanations/${encodeURIComponent(id)}`}>{code}</Link> : code;
}

function Actor({ action: { actor, actorRole } }: { action: AuditAction }): ReactNode {
  const text = useText();
  return (
    <>
      {actor === 'SYSTEM' ? text('actor.system') : actor}{' '}
      {actorRole !== null && actorRole !== 'SYSTEM' && (
        <span className={parts['quiet']}>{text(`role.${actorRole}`)}</span>
      )}
    </>
  );
}

/** Follows the chain of hashes from the first row to the last, when somebody asks for it. */
function ChainCheck(): ReactNode {
  const text = useText();
  const { api } = useConsole();
  const check = useMutation({ mutationFn: () => api.auditChain() });
  const { data } = check;
  return (
    <div className={classes['chain']}>
      <p className={parts['quiet']}>{text('audit.chain')}</p>
      <Button variant="default" loading={check.isPending} onClick={() => check.mutate()}>
        {text('audit.chain.check')}
      </Button>
      <ChangeError error={check.error} />
      {data !== undefined && (
        <p className={parts['note']} data-tone={data.ok ? 'good' : 'bad'} role={data.ok ? 'status' : 'alert'}>
          <Glyph name={data.ok ? 'tick' : 'warning'} />
          <span>
            {data.fault === null || data.firstBroken === null
              ? text('audit.chain.whole', { rows: data.rows })
              : text(`audit.chain.${data.fault}`, { row: data.firstBroken, rows: data.rows })}{' '}
            <KstTime at={data.checkedAt} precision="second" />
          </span>
        </p>
      )}
    </div>
  );
}

/** The same rows as a file for a spreadsheet. */
function SaveCsv({ filter }: { filter: AuditFilter }): ReactNode {
  const text = useText();
  const notify = useNotify();
  const describe = useErrorText();
  const { api } = useConsole();
  const [isBusy, setIsBusy] = useState(false);
  async function save(): Promise<void> {
    setIsBusy(true);
    try {
      saveFile('console-action-log.csv', await api.auditCsv(askedOf(filter)));
    } catch (error) {
      notify({ tone: 'bad', glyph: 'warning', message: describe(error) });
    } finally {
      setIsBusy(false);
    }
  }
  return (
    <Button variant="default" loading={isBusy} onClick={() => void save()}>
      {text('audit.csv')}
    </Button>
  );
}
