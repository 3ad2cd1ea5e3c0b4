import { Button, Checkbox, NativeSelect } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Link, useSearch } from 'wouter';
import { useErrorText, EmptyState, Loaded } from '../../../shared/ui/parts/data-state.tsx';
import { DayField } from '../../../shared/ui/days/day-field.tsx';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import { useNotify } from '../../../shared/ui/parts/notices.tsx';
import { Panel } from '../../../shared/ui/parts/panel.tsx';
import { SearchField } from '../../../shared/ui/parts/search-field.tsx';
import { PagedTable } from '../../../shared/ui/table/data-table.tsx';
import { KstTime, NoValue } from '../../../shared/ui/time/times.tsx';
import { useLanguage } from '../../../shared/ui/i18n/use-text.ts';
import type { AuditAction } from '../../../shared/wire/console/console.ts';
import { chainWord, type AuditChain } from '../../../shared/wire/console/audit.ts';
import { actionInWords, actorInWords, detailInWords, targetInWords } from '../../../shared/wire/console/audit-words.ts';
import { AlteredThings } from '../../components/domain/altered-things.tsx';
import { TABLE_TYPES, type TableType } from '../../api/client.ts';
import { useConsole } from '../../api/console-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import { ChangeError } from '../../components/parts/change-error.tsx';
import { Narrowing } from '../../components/parts/narrowing.tsx';
import parts from '../../components/parts/parts.module.css';
import { saveFile } from '../../../shared/ui/parts/save-file.ts';
import { queryOf, readAuditFilter, SUBJECTS, type AuditFilter } from './audit-filter.ts';
import { CheckpointState } from './checkpoint-state.tsx';
import classes from './settings.module.css';

const PAGE = 50;

/** The audit log, newest first, with the hash that chains each row to the one before it (D19). */
export function AuditPart(): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  const [filter, setFilter] = useState<AuditFilter>(readAuditFilter(useSearch()));
  const [page, setPage] = useState(1);
  const change = (changes: Partial<AuditFilter>): void => {
    // A single row is no base for another filter.
    setFilter({ ...filter, row: '', ...changes });
    setPage(1);
  };
  return (
    <>
      <div className={classes['proofs']}>
        <ChainCheck />
        <CheckpointState />
      </div>
      <search className={parts['bar']}>
        <NativeSelect
          label={text('audit.subject')}
          value={filter.subject}
          data={SUBJECTS.map((subject) => ({ value: subject, label: text(`audit.subject.${subject}`) }))}
          onChange={(event) =>
            change({ subject: SUBJECTS.find((subject) => subject === event.currentTarget.value) ?? 'all' })
          }
        />
        <PersonFilter person={filter.person} onChange={(person) => change({ person })} />
        <div className={classes['ticker']}>
          <SearchField value={filter.ticker} label={text('audit.ticker')} onChange={(ticker) => change({ ticker })} />
        </div>
        <div className={classes['words']}>
          <SearchField value={filter.words} label={text('audit.words')} onChange={(words) => change({ words })} />
        </div>
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
        <Checkbox
          label={text('audit.claims')}
          checked={filter.claims}
          onChange={(event) => change({ claims: event.currentTarget.checked })}
        />
        {filter.row !== '' && (
          <Narrowing words={text('audit.row', { row: Number(filter.row) })} onRemove={() => change({})} />
        )}
        <span className={parts['rowButtons']}>
          {TABLE_TYPES.map((type) => (
            <SaveFile key={type} filter={filter} type={type} />
          ))}
        </span>
      </search>
      <Loaded query={useQuery(queries.auditActions({ ...queryOf(filter), page, size: PAGE }))}>
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
                {
                  id: 'actor',
                  head: text('audit.actor'),
                  kind: 'short',
                  render: (action) => <Actor action={action} />,
                },
                {
                  id: 'action',
                  head: text('audit.action'),
                  kind: 'name',
                  render: ({ action }) => <Act action={action} />,
                },
                {
                  id: 'target',
                  head: text('audit.target'),
                  render: (action) => <Target action={action} />,
                },
                {
                  id: 'detail',
                  head: text('audit.detail'),
                  render: (action) => <Detail action={action} />,
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
    </>
  );
}

/** The people named in the log. */
function PersonFilter({ person, onChange }: { person: string; onChange: (person: string) => void }): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  const { data } = useQuery(queries.auditPeople);
  // The person in the address stays selectable while the others load.
  const names = new Set([...(person === '' ? [] : [person]), ...(data?.names ?? [])]);
  return (
    <NativeSelect
      label={text('audit.person')}
      value={person}
      data={[{ value: '', label: text('audit.person.all') }, ...names]}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** The action in words; marked if it is a notice to readers of the log. */
function Act({ action }: { action: string }): ReactNode {
  const words = actionInWords(action, useLanguage());
  if (!action.endsWith('.same-registrar')) return words;
  return (
    <span className={parts['note']} data-tone="wait">
      <Glyph name="warning" />
      <span>{words}</span>
    </span>
  );
}

/** The target of an action; an explanation as a link with its ticker and name. */
function Target({ action: { targetType, targetId, targetName, explanation } }: { action: AuditAction }): ReactNode {
  const language = useLanguage();
  if (explanation !== null && targetId !== null) {
    return (
      <Link href={`/explanations/${encodeURIComponent(targetId)}`}>
        {explanation.etf_ticker} {explanation.etf_name}{' '}
        <time className={parts['quiet']} dateTime={explanation.trade_date}>
          {explanation.trade_date}
        </time>
      </Link>
    );
  }
  return (
    <>
      {targetInWords(targetType, language)}{' '}
      {targetName === null
        ? targetId !== null && <code className={classes['id']}>{targetId}</code>
        : targetId !== null && <span title={targetId}>{targetName}</span>}
    </>
  );
}

/** The details in words; the record itself on demand. */
function Detail({ action }: { action: AuditAction }): ReactNode {
  const text = useText();
  const language = useLanguage();
  if (Object.keys(action.detail).length === 0) return <NoValue />;
  return (
    <>
      <span className={classes['detail']}>{detailInWords(action, language)}</span>
      <details>
        <summary className={parts['quiet']}>{text('audit.record')}</summary>
        <code className={classes['detail']}>{JSON.stringify({ action: action.action, ...action.detail })}</code>
      </details>
    </>
  );
}

function Actor({ action: { actor, actorRole, sourceAddress } }: { action: AuditAction }): ReactNode {
  const text = useText();
  const language = useLanguage();
  return (
    <>
      {actorInWords(actor, language)}{' '}
      {actorRole !== null && actorRole !== 'SYSTEM' && (
        <span className={parts['quiet']}>{text(`role.${actorRole}`)}</span>
      )}
      {sourceAddress !== null && (
        <div className={parts['quiet']}>
          {text('audit.address')} {sourceAddress}
        </div>
      )}
    </>
  );
}

const toneOf = (data: AuditChain): 'good' | 'wait' | 'bad' => {
  const word = chainWord(data);
  if (word === 'whole') return 'good';
  return word === 'unjudged' ? 'wait' : 'bad';
};

/** The result as a sentence, and what remains unjudged beside a fault. */
function chainSentence(data: AuditChain, text: ReturnType<typeof useText>): string {
  const { rows, alteredCount, unjudged, firstBroken } = data;
  const word = chainWord(data);
  switch (word) {
    case 'whole':
      return text('audit.chain.whole', { rows });
    case 'unjudged':
      return text('audit.chain.unjudged', { rows, count: unjudged });
    case 'altered':
      return text('audit.chain.altered', { rows, count: alteredCount });
    default:
      return text(`audit.chain.${word}`, { row: firstBroken ?? rows + 1, rows });
  }
}

/** Verifies the chain of hashes from the first row to the last, on request. */
function ChainCheck(): ReactNode {
  const text = useText();
  const { api } = useConsole();
  const check = useMutation({ mutationFn: () => api.auditChain() });
  const { data } = check;
  return (
    <Panel title={text('audit.chain.check')}>
      <p className={parts['quiet']}>{text('audit.chain')}</p>
      <Button variant="default" loading={check.isPending} onClick={() => check.mutate()}>
        {text('audit.chain.check')}
      </Button>
      <ChangeError error={check.error} />
      {data !== undefined && (
        <p className={parts['note']} data-tone={toneOf(data)} role={toneOf(data) === 'good' ? 'status' : 'alert'}>
          <Glyph name={toneOf(data) === 'good' ? 'tick' : 'warning'} />
          <span>
            {chainSentence(data, text)} <KstTime at={data.checkedAt} precision="second" />
            {data.unjudged > 0 && !data.ok && ` ${text('audit.chain.unjudged-too', { count: data.unjudged })}`}
          </span>
        </p>
      )}
      {data !== undefined && <AlteredThings things={data.altered} />}
    </Panel>
  );
}

/** Saves the same rows as a file for a spreadsheet. */
function SaveFile({ filter, type }: { filter: AuditFilter; type: TableType }): ReactNode {
  const text = useText();
  const notify = useNotify();
  const describe = useErrorText();
  const { api } = useConsole();
  const language = useLanguage();
  const [isBusy, setIsBusy] = useState(false);
  async function save(): Promise<void> {
    setIsBusy(true);
    try {
      saveFile(`console-action-log.${type}`, await api.auditFile({ ...queryOf(filter), language }, type));
    } catch (error) {
      notify({ tone: 'bad', glyph: 'warning', message: describe(error) });
    } finally {
      setIsBusy(false);
    }
  }
  return (
    <Button variant="default" loading={isBusy} onClick={() => void save()}>
      {text(`audit.save.${type}`)}
    </Button>
  );
}
