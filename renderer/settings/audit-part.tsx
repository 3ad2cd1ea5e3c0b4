import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ListFoot } from '../../shared/ui/list/list-screen.tsx';
import { useErrorText, EmptyState, Loaded } from '../../shared/ui/parts/data-state.tsx';
import { useNotify } from '../../shared/ui/parts/notices.tsx';
import { KstTime, NoValue } from '../../shared/ui/time/times.tsx';
import { useConsole } from '../api/console-context.tsx';
import { useText } from '../i18n/use-text.ts';
import parts from '../parts/parts.module.css';
import { saveFile } from '../parts/save-file.ts';
import { askedOf, PLAIN_FILTER, SUBJECTS, type AuditFilter } from './audit-filter.ts';
import classes from './settings.module.css';

const PAGE = 50;

/** Who did what, newest first, with the hash that chains each row to the one before it (D19). */
export function AuditPart(): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  const [filter, setFilter] = useState<AuditFilter>(PLAIN_FILTER);
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
        <TextInput
          type="date"
          label={text('audit.from')}
          value={filter.from}
          onChange={(event) => change({ from: event.currentTarget.value })}
        />
        <TextInput
          type="date"
          label={text('audit.to')}
          value={filter.to}
          onChange={(event) => change({ to: event.currentTarget.value })}
        />
        <Checkbox
          label={text('audit.system')}
          checked={filter.system}
          onChange={(event) => change({ system: event.currentTarget.checked })}
        />
        <SaveCsv filter={filter} />
      </search>
      <Loaded query={useQuery(queries.auditActions({ ...askedOf(filter), page, size: PAGE }))}>
        {({ items, total }) =>
          total === 0 ? (
            <EmptyState title={text('audit.none')} />
          ) : (
            <>
              <table className={parts['table']} aria-label={text('settings.audit')}>
                <thead>
                  <tr>
                    <th scope="col" data-number>
                      {text('audit.seq')}
                    </th>
                    <th scope="col">{text('audit.at')}</th>
                    <th scope="col">{text('audit.actor')}</th>
                    <th scope="col">{text('audit.action')}</th>
                    <th scope="col">{text('audit.target')}</th>
                    <th scope="col">{text('audit.detail')}</th>
                    <th scope="col">{text('audit.hash')}</th>
                  </tr>
                </thead>
                <tbody>
                  {items.map((item) => (
                    <tr key={item.seq}>
                      <td data-number>{item.seq}</td>
                      <td className={classes['nowrap']}>
                        <KstTime at={item.at} precision="second" />
                      </td>
                      <td>
                        {item.actor === 'SYSTEM' ? text('actor.system') : item.actor}{' '}
                        {item.actorRole !== null && item.actorRole !== 'SYSTEM' && (
                          <span className={parts['quiet']}>{text(`role.${item.actorRole}`)}</span>
                        )}
                      </td>
                      <th scope="row">
                        <code>{item.action}</code>
                      </th>
                      <td>
                        {item.targetType}{' '}
                        {item.targetId === null ? <NoValue /> : <code className={classes['id']}>{item.targetId}</code>}
                      </td>
                      <td>
                        <code className={classes['detail']}>{JSON.stringify(item.detail)}</code>
                      </td>
                      <td>
                        <code title={item.hash}>{item.hash.slice(0, 10)}</code>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
              <ListFoot
                count={text('audit.total', { total })}
                pages={Math.ceil(total / PAGE)}
                page={page}
                onPage={setPage}
              />
            </>
          )
        }
      </Loaded>
      <p className={parts['quiet']}>{text('audit.chain')}</p>
    </>
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
