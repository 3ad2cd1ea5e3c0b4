import { Button, Checkbox, NativeSelect } from '@mantine/core';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Dialog } from '../../../shared/ui/parts/dialog.tsx';
import { OpenForm } from '../../../shared/ui/parts/open-form.tsx';
import { KstTime } from '../../../shared/ui/time/times.tsx';
import type { BulkResult, ExplanationStatus, Obstacle } from '../../../shared/wire/console/console.ts';
import type { BulkAction, ConsoleApi } from '../../api/client.ts';
import { useConsole } from '../../api/console-context.tsx';
import { missingOfReason, writeReason } from '../domain/reasons.ts';
import { isHeld, VisibilityBadge, StatusBadge } from '../domain/status-badge.tsx';
import { useText } from '../../i18n/use-text.ts';
import { ChangeError } from '../parts/change-error.tsx';
import parts from '../parts/parts.module.css';
import { useChange } from '../parts/use-change.ts';
import { useMay, useProfile } from '../../api/session-context.ts';
import { ACTION_RULES, type ActionDraft } from './actions.ts';
import { ReasonFields } from './reason-fields.tsx';
import { isUnseen } from './unseen-decision.tsx';
import type { Ticks } from './use-ticks.ts';

export interface Listed {
  id: string;
  version: number;
  status: ExplanationStatus;
  etf_ticker: string;
  etf_name: string;
  trade_date: string;
  explanation_as_of: string;
  /** Absent where every row waits for a decision. */
  obstacle?: Obstacle | null;
}

interface BulkProps {
  /** The button's label; absent beside the list itself. */
  label?: string;
  actions: readonly [BulkAction, ...BulkAction[]];
  /** The ticked rows: the action affects only these. */
  ticks: Pick<Ticks<Listed>, 'ticked' | 'clear'>;
}

/** Applies an action to the ticked rows. Each row is named, and a second step asks for confirmation with the count. */
export function BulkButton({ label, actions, ticks }: BulkProps): ReactNode {
  const text = useText();
  const granted = useBulkActions(actions);
  const [isOpen, setIsOpen] = useState(false);
  const [first, ...others] = granted;
  if (first === undefined) return null;
  const count = ticks.ticked.length;
  return (
    <>
      <Button variant="default" disabled={count === 0} onClick={() => setIsOpen(true)}>
        {label ?? text('bulk.open')} {count > 0 && <span className={parts['count']}>{count}</span>}
      </Button>
      <Dialog opened={isOpen} title={text('bulk.title')} size="lg" onClose={() => setIsOpen(false)}>
        <BulkForm actions={[first, ...others]} ticks={ticks} onClose={() => setIsOpen(false)} />
      </Dialog>
    </>
  );
}

/** The bulk actions that this user may take; without any, rows have no tick boxes. */
export function useBulkActions(actions: readonly BulkAction[]): BulkAction[] {
  const may = useMay();
  return actions.filter((action) => may(ACTION_RULES[action].permission));
}

/** The tick of one row. */
export function RowTick<T extends Listed>({
  item,
  isTicked,
  onToggle,
}: {
  item: T;
  isTicked: boolean;
  onToggle: (item: T) => void;
}): ReactNode {
  const text = useText();
  return (
    <Checkbox
      size="xs"
      aria-label={text('bulk.tick', { item: nameOf(item) })}
      checked={isTicked}
      onChange={() => onToggle(item)}
    />
  );
}

/** Ticks every visible row, or none. It rests while no row is there: a click would be lost. */
export function AllTick({
  ticks: { ticked, isOffered, isAll, toggleAll },
  label,
}: {
  ticks: Pick<Ticks<Listed>, 'ticked' | 'isOffered' | 'isAll' | 'toggleAll'>;
  /** Whether its label is visible. */
  label: boolean;
}): ReactNode {
  const text = useText();
  return (
    <Checkbox
      size="xs"
      disabled={!isOffered}
      checked={isAll}
      indeterminate={!isAll && ticked.length > 0}
      onChange={toggleAll}
      {...(label ? { label: text('bulk.tickAll') } : { 'aria-label': text('bulk.tickAll') })}
    />
  );
}

const NOTHING_WRITTEN = {
  isOpen: true,
  version: 0,
  base: '',
  text: '',
  carried: null,
  saved: { version: 0, text: '', note: '' },
  code: null,
  note: '',
} as const;

function BulkForm({ actions, ticks, onClose }: Omit<BulkProps, 'label'> & { onClose: () => void }): ReactNode {
  const text = useText();
  const { api } = useConsole();
  const { displayName } = useProfile();
  // The rows that were ticked when the dialog opened are named, confirmed and sent.
  const [items] = useState(ticks.ticked);
  const [action, setAction] = useState<BulkAction>(actions[0]);
  const [draft, setDraft] = useState<ActionDraft>({ ...NOTHING_WRITTEN, action: actions[0] });
  const [isMissing, setIsMissing] = useState(false);
  const [isAsked, setIsAsked] = useState(false);
  const fitting = items.filter(({ status }) => ACTION_RULES[action].from.includes(status));
  const others = items.filter((item) => !fitting.includes(item));
  const change = useChange(
    (reason: string) => api.bulk(action, targetsOf(fitting), reason),
    null,
    ticks.clear,
    async () => {
      const results = await Promise.all(fitting.map((item) => checkOne(api, { item, action, displayName })));
      const done = results.filter(({ outcome }) => outcome === 'DONE').length;
      return done === 0 ? null : { done, results };
    },
  );
  if (change.data !== undefined) return <Outcome result={change.data} items={items} onClose={onClose} />;
  const what = text('bulk.confirm', { action: text(`action.${action}.confirm`), count: fitting.length });
  if (isAsked)
    return (
      <BulkQuestion
        words={text('bulk.sure', { what })}
        what={what}
        isDestructive={ACTION_RULES[action].isDestructive === true}
        isSending={change.isPending}
        onBack={() => setIsAsked(false)}
        onSure={() => {
          if (draft.code !== null) change.mutate(writeReason(draft.code, draft.note));
        }}
      >
        <Named items={fitting} />
        <ChangeError error={change.error} />
      </BulkQuestion>
    );
  return (
    <OpenForm
      className={parts['form']}
      label={text('bulk.title')}
      onSend={() => {
        const missing = missingOfReason(draft.code, draft.note) !== null;
        setIsMissing(missing);
        setIsAsked(!missing && fitting.length > 0);
      }}
    >
      <NativeSelect
        label={text('bulk.action')}
        value={action}
        data={actions.map((one) => ({ value: one, label: text(`action.${one}.confirm`) }))}
        onChange={(event) => setAction(actions.find((one) => one === event.currentTarget.value) ?? action)}
      />
      <p>{text('bulk.named', { count: fitting.length })}</p>
      <Named items={fitting} />
      {others.length > 0 && (
        <>
          <p>{text('bulk.unfit', { count: others.length })}</p>
          <Named items={others} />
        </>
      )}
      <ReasonFields action={action} draft={draft} onChange={(changes) => setDraft({ ...draft, ...changes })} />
      {isMissing && (
        <p className={parts['note']} data-tone="bad" role="alert">
          {text(draft.code === null ? 'problem.reason.code' : 'problem.reason.text')}
        </p>
      )}
      <div className={parts['buttons']}>
        <Button type="submit" disabled={fitting.length === 0}>
          {text('bulk.next', { what })}
        </Button>
      </div>
    </OpenForm>
  );
}

/** The second step. The focus goes to its text, so that no held key answers it. */
function BulkQuestion({
  words,
  what,
  isDestructive,
  isSending,
  onBack,
  onSure,
  children,
}: {
  words: string;
  what: string;
  isDestructive: boolean;
  isSending: boolean;
  onBack: () => void;
  onSure: () => void;
  children: ReactNode;
}): ReactNode {
  const text = useText();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section className={parts['form']} aria-label={words}>
      <h3 ref={heading} tabIndex={-1}>
        {words}
      </h3>
      {children}
      <div className={parts['buttons']}>
        <Button
          type="button"
          className={isDestructive ? parts['destructive'] : undefined}
          loading={isSending}
          onClick={onSure}
        >
          {what}
        </Button>
        <Button type="button" variant="default" disabled={isSending} onClick={onBack}>
          {text('bulk.back')}
        </Button>
      </div>
    </section>
  );
}

/** The rows by ticker, name and the time that distinguishes two snapshots of one ticker. */
function Named({ items }: { items: readonly Listed[] }): ReactNode {
  const text = useText();
  return (
    <ul className={parts['named']}>
      {items.map((item) => (
        <li key={item.id}>
          {nameOf(item)} {item.trade_date}{' '}
          <span className={parts['quiet']}>
            {text('field.explainedAt')} <KstTime at={item.explanation_as_of} />
          </span>{' '}
          <StatusBadge status={item.status} />{' '}
          {isHeld(item.obstacle) && <VisibilityBadge item={{ exposed: false, obstacle: item.obstacle ?? null }} />}
        </li>
      ))}
    </ul>
  );
}

const nameOf = ({ etf_ticker, etf_name }: Listed): string => `${etf_ticker} ${etf_name}`;

/** Reads the state of an item whose answer was lost. */
async function checkOne(
  api: ConsoleApi,
  { item, action, displayName }: { item: Listed; action: BulkAction; displayName: string },
): Promise<BulkResult['results'][number]> {
  const found = await api.reviewItem(item.id).catch((error: unknown) => {
    // Another reviewer has decided it, and it awaits the caller's blind review.
    if (isUnseen(error)) return null;
    throw error;
  });
  const { id } = item;
  if (found === null) return { id, outcome: 'CONFLICT', status: null, version: null, exposed: null, obstacle: null };
  const { status, version, history, exposed, obstacle } = found;
  const last = history.at(-1);
  const isDone = version > item.version && last?.move === action && last.actor === displayName;
  return {
    id,
    outcome: isDone ? 'DONE' : version === item.version ? 'FAILED' : 'CONFLICT',
    status,
    version,
    exposed,
    obstacle,
  };
}

function targetsOf(items: readonly Listed[]): { id: string; version: number }[] {
  return items.map(({ id, version }) => ({ id, version }));
}

/** The finished rows, and those skipped because they had changed meanwhile. */
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
  const exposed = result.results.filter((one) => one.outcome === 'DONE' && one.exposed === true);
  const left = result.results.filter(({ outcome }) => outcome !== 'DONE' && outcome !== 'FAILED');
  const nameById = (id: string): string => {
    const item = items.find((one) => one.id === id);
    return item === undefined ? id : nameOf(item);
  };
  return (
    <div className={parts['form']} role="status">
      <p>
        {text('bulk.done', { done: result.done })} {result.done > 0 && text('bulk.exposed', { count: exposed.length })}
      </p>
      {exposed.length > 0 && (
        <ul>
          {exposed.map(({ id }) => (
            <li key={id}>{nameById(id)}</li>
          ))}
        </ul>
      )}
      {left.length > 0 && (
        <>
          <p>{text('bulk.left', { count: left.length })}</p>
          <ul>
            {left.map(({ id, outcome, status, exposed, obstacle }) => (
              <li key={id}>
                {nameById(id)}{' '}
                {outcome === 'MISSING' ? text('bulk.gone') : status !== null && <StatusBadge status={status} />}{' '}
                {exposed !== null && <VisibilityBadge item={{ exposed, obstacle }} />}
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
              <li key={id}>{nameById(id)}</li>
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
