import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { kstDate, kstMinute } from '../../../shared/time/kst.ts';
import { EmptyState, Loaded } from '../../../shared/ui/parts/data-state.tsx';
import { saveFile } from '../../../shared/ui/parts/save-file.ts';
import { PagedTable } from '../../../shared/ui/table/data-table.tsx';
import { KstTime } from '../../../shared/ui/time/times.tsx';
import { inspectionFileName, isInspectionOver } from '../../../shared/wire/console/constants.ts';
import type { Inspection } from '../../../shared/wire/console/inspection.ts';
import { TABLE_TYPES, type FileType } from '../../api/client.ts';
import { useConsole } from '../../api/console-context.tsx';
import { useMay } from '../../api/session-context.ts';
import { ChangeError } from '../../components/parts/change-error.tsx';
import { ConfirmButton } from '../../components/parts/confirm-button.tsx';
import parts from '../../components/parts/parts.module.css';
import { useChange } from '../../components/parts/use-change.ts';
import { useText } from '../../i18n/use-text.ts';
import classes from './inspection.module.css';

const PAGE = 20;

/** All requests, newest first: who asked for what, how far it is, and its file. */
export function InspectionRequests(): ReactNode {
  const text = useText();
  const may = useMay();
  const { queries } = useConsole();
  const [page, setPage] = useState(1);
  return (
    <Loaded query={useQuery(queries.inspections({ page, size: PAGE }))}>
      {(found) =>
        found.total === 0 ? (
          <EmptyState title={text('inspection.requests.none')} />
        ) : (
          <PagedTable
            label={text('inspection.requests')}
            page={found}
            count={text('inspection.total', { total: found.total })}
            onPage={setPage}
            idOf={({ id }) => id}
            isQuiet={({ state }) => isInspectionOver(state)}
            columns={[
              {
                id: 'asked',
                head: text('inspection.head.asked'),
                kind: 'name',
                render: ({ askedAt, askedBy }) => (
                  <>
                    <KstTime at={askedAt} precision="minute" />
                    <div className={parts['quiet']}>{askedBy}</div>
                  </>
                ),
              },
              { id: 'query', head: text('inspection.head.query'), render: (one) => <Conditions of={one} /> },
              {
                id: 'total',
                head: text('inspection.head.total'),
                kind: 'number',
                render: ({ total }) => total.toLocaleString(),
              },
              { id: 'state', head: text('inspection.head.state'), render: (one) => <State of={one} /> },
              may('inspection.answer')
                ? { id: 'acts', head: text('inspection.head.acts'), render: (one) => <Acts of={one} /> }
                : null,
            ]}
          />
        )
      }
    </Loaded>
  );
}

function Conditions({ of: { query, form } }: { of: Inspection }): ReactNode {
  const text = useText();
  const { from, to, outcomes, ...words } = query;
  const named = (['ticker', 'person', 'word', 'reason'] as const).flatMap((name) =>
    words[name] === undefined ? [] : [`${text(`inspection.${name}`)}: ${words[name]}`],
  );
  const states = outcomes?.map((status) => text(`status.${status}`)).join(', ');
  return (
    <div className={classes['query']}>
      {from} – {to}
      <div className={parts['quiet']}>
        {[text(`inspection.form.${form}`), ...named, ...(states === undefined ? [] : [states])].join(' · ')}
      </div>
    </div>
  );
}

const MEGABYTE = 1024 ** 2;

function State({ of: one }: { of: Inspection }): ReactNode {
  const text = useText();
  const { state, done, total, stop, message, bytes, keptUntil } = one;
  const words = text(`inspection.state.${state}`, { done: done.toLocaleString(), total: total.toLocaleString() });
  return (
    <>
      {words}
      {state === 'OPEN' && (
        <progress className={classes['progress']} max={total} value={done} aria-label={words}>
          {words}
        </progress>
      )}
      {stop !== null && (
        <div className={parts['quiet']}>{text(`inspection.stop.${stop}`, { message: message ?? '' })}</div>
      )}
      {keptUntil !== null && bytes !== null && (
        <div className={parts['quiet']}>
          {text('inspection.size', { size: Math.max(0.1, bytes / MEGABYTE).toFixed(1) })} ·{' '}
          {text('inspection.keptUntil', { day: kstDate(new Date(keptUntil)) })}
        </div>
      )}
    </>
  );
}

function Acts({ of: one }: { of: Inspection }): ReactNode {
  const text = useText();
  const { api } = useConsole();
  const { id, form, state, askedAt } = one;
  const more = useChange(() => api.continueInspection(id), null);
  const remove = useChange(() => api.removeInspection(id), null);
  if (isInspectionOver(state)) return null;
  const asked = kstMinute(new Date(askedAt));
  const named = (label: string): string => `${label}: ${text('inspection.of', { asked })}`;
  const end = text(state === 'READY' ? 'inspection.delete' : 'inspection.cancel');
  return (
    <>
      <div className={parts['rowButtons']}>
        {state === 'READY' &&
          (form === 'LIST' ? TABLE_TYPES : (['zip'] as const)).map((type) => (
            <Download key={type} of={one} type={type} named={named} />
          ))}
        {state === 'STOPPED' && <Act label={text('inspection.continue')} named={named} change={more} />}
        <ConfirmButton
          label={end}
          named={named(end)}
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate(undefined)}
        />
      </div>
      <ChangeError error={more.error ?? remove.error} />
    </>
  );
}

interface DownloadProps {
  of: Inspection;
  type: FileType;
  named: (label: string) => string;
}

function Download({ of: { id, form, askedAt }, type, named }: DownloadProps): ReactNode {
  const text = useText();
  const { api } = useConsole();
  const name = inspectionFileName({ id, form, at: askedAt, isWorkbook: type === 'xlsx' });
  const download = useChange(
    async () => saveFile(name, await api.inspectionFile(id, type)),
    text('inspection.downloaded', { name }),
  );
  return (
    <>
      <Act label={text(`inspection.download.${type}`)} named={named} change={download} />
      <ChangeError error={download.error} />
    </>
  );
}

interface ActProps {
  label: string;
  named: (label: string) => string;
  change: { isPending: boolean; mutate: (given: undefined) => void };
}

function Act({ label, named, change }: ActProps): ReactNode {
  return (
    <Button
      size="compact-xs"
      variant="default"
      loading={change.isPending}
      aria-label={named(label)}
      onClick={() => change.mutate(undefined)}
    >
      {label}
    </Button>
  );
}
