import { Button, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Dialog } from '../../shared/ui/parts/dialog.tsx';
import { OpenForm } from '../../shared/ui/parts/open-form.tsx';
import { Loaded } from '../../shared/ui/parts/data-state.tsx';
import { MOST_AT_ONCE, type BulkResult, type ExplanationStatus } from '../../shared/wire/console.ts';
import type { BulkAction } from '../api/client.ts';
import { useConsole } from '../api/console-context.tsx';
import { missingOfReason, writeReason } from '../domain/reasons.ts';
import { StatusBadge } from '../domain/status-badge.tsx';
import { useText } from '../i18n/use-text.ts';
import { ChangeError } from '../parts/change-error.tsx';
import parts from '../parts/parts.module.css';
import { useChange } from '../parts/use-change.ts';
import { useMay } from '../session/session-context.ts';
import { ACTION_RULES } from './actions.ts';
import type { ActionDraft } from './drafts.ts';
import { ReasonFields } from './reason-fields.tsx';

interface Listed {
  id: string;
  version: number;
  status: ExplanationStatus;
  etf_ticker: string;
  etf_name: string;
}

interface BulkProps {
  actions: readonly [BulkAction, ...BulkAction[]];
  /** The list as it is filtered on screen, as many of it as can be dealt with at once. */
  read: () => Promise<{ items: Listed[]; total: number }>;
}

/** Deals with the whole filtered list at once. What it leads to is counted before anything is done. */
export function BulkButton({ actions, read }: BulkProps): ReactNode {
  const text = useText();
  const may = useMay();
  const [isOpen, setIsOpen] = useState(false);
  const [first, ...others] = actions.filter((action) => may(ACTION_RULES[action].permission));
  if (first === undefined) return null;
  return (
    <>
      <Button variant="default" onClick={() => setIsOpen(true)}>
        {text('bulk.open')}
      </Button>
      <Dialog opened={isOpen} title={text('bulk.title')} size="lg" onClose={() => setIsOpen(false)}>
        <BulkList actions={[first, ...others]} read={read} onClose={() => setIsOpen(false)} />
      </Dialog>
    </>
  );
}

/** The list as it is now: what is counted here is what is sent, each with its version. */
function BulkList({ actions, read, onClose }: BulkProps & { onClose: () => void }): ReactNode {
  const list = useQuery({ queryKey: ['bulk', actions], queryFn: read, staleTime: Infinity, gcTime: 0 });
  return <Loaded query={list}>{(found) => <BulkForm actions={actions} {...found} onClose={onClose} />}</Loaded>;
}

const NOTHING_WRITTEN = { isOpen: true, version: 0, base: '', text: '', code: null, note: '' } as const;

function BulkForm({
  actions,
  items,
  total,
  onClose,
}: Pick<BulkProps, 'actions'> & { items: Listed[]; total: number; onClose: () => void }): ReactNode {
  const text = useText();
  const { api } = useConsole();
  const [action, setAction] = useState<BulkAction>(actions[0]);
  const [draft, setDraft] = useState<ActionDraft>({ ...NOTHING_WRITTEN, action: actions[0] });
  const [isMissing, setIsMissing] = useState(false);
  const fitting = items.filter(({ status }) => ACTION_RULES[action].from.includes(status));
  const change = useChange((reason: string) => api.bulk(action, targetsOf(fitting), reason), null);
  if (change.data !== undefined) return <Outcome result={change.data} items={items} onClose={onClose} />;
  return (
    <OpenForm
      className={parts['form']}
      label={text('bulk.title')}
      onSend={() => {
        const missing = missingOfReason(draft.code, draft.note) !== null;
        setIsMissing(missing);
        if (!missing && draft.code !== null && !change.isPending) change.mutate(writeReason(draft.code, draft.note));
      }}
    >
      <NativeSelect
        label={text('bulk.action')}
        value={action}
        data={actions.map((one) => ({ value: one, label: text(`action.${one}.confirm`) }))}
        onChange={(event) => setAction(actions.find((one) => one === event.currentTarget.value) ?? action)}
      />
      <p>{text('bulk.count', { total, count: fitting.length, most: MOST_AT_ONCE })}</p>
      <ReasonFields action={action} draft={draft} onChange={(changes) => setDraft({ ...draft, ...changes })} />
      {isMissing && (
        <p className={parts['note']} data-tone="bad" role="alert">
          {text(draft.code === null ? 'problem.reason.code' : 'problem.reason.text')}
        </p>
      )}
      <ChangeError error={change.error} />
      <div className={parts['buttons']}>
        <Button type="submit" disabled={fitting.length === 0} loading={change.isPending}>
          {text('bulk.confirm', { action: text(`action.${action}.confirm`), count: fitting.length })}
        </Button>
      </div>
    </OpenForm>
  );
}

function targetsOf(items: readonly Listed[]): { id: string; version: number }[] {
  return items.map(({ id, version }) => ({ id, version }));
}

/** What was done, and what was left because it had changed meanwhile. */
function Outcome({
  result,
  items,
  onClose,
}: {
  result: BulkResult;
  items: readonly Listed[];
  onClose: () => void;
}): ReactNode {
  const text = useText();
  const failed = result.results.filter(({ outcome }) => outcome === 'FAILED');
  const left = result.results.filter(({ outcome }) => outcome !== 'DONE' && outcome !== 'FAILED');
  const nameOf = (id: string): string => {
    const item = items.find((one) => one.id === id);
    return item === undefined ? id : `${item.etf_ticker} ${item.etf_name}`;
  };
  return (
    <div className={parts['form']} role="status">
      <p>{text('bulk.done', { done: result.done })}</p>
      {left.length > 0 && (
        <>
          <p>{text('bulk.left', { count: left.length })}</p>
          <ul>
            {left.map(({ id, status }) => (
              <li key={id}>
                {nameOf(id)} {status === null ? text('bulk.gone') : <StatusBadge status={status} />}
              </li>
            ))}
          </ul>
        </>
      )}
      {failed.length > 0 && (
        <>
          <p>{text('bulk.failed', { count: failed.length })}</p>
          <ul>
            {failed.map(({ id }) => (
              <li key={id}>{nameOf(id)}</li>
            ))}
          </ul>
        </>
      )}
      <div className={parts['buttons']}>
        <Button onClick={onClose}>{text('bulk.close')}</Button>
      </div>
    </div>
  );
}
