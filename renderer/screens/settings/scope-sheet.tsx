import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Loaded } from '../../../shared/ui/parts/data-state.tsx';
import { Dialog } from '../../../shared/ui/parts/dialog.tsx';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import { OpenForm } from '../../../shared/ui/parts/open-form.tsx';
import { DataTable } from '../../../shared/ui/table/data-table.tsx';
import type { ScopeEffect } from '../../../shared/wire/console/console.ts';
import { useConsole } from '../../api/console-context.tsx';
import type { SwitchName } from '../../api/scope.ts';
import { ChangeError } from '../../components/parts/change-error.tsx';
import parts from '../../components/parts/parts.module.css';
import { useChange } from '../../components/parts/use-change.ts';
import { useText } from '../../i18n/use-text.ts';

export interface Switch extends SwitchName {
  /** As the list names it. */
  name: string;
  enabled: boolean;
  version: number;
}

/** The sheet that is open: a press of the switch, or the confirmation that it is meant to be off. */
export interface OpenSheet {
  act: 'press' | 'confirm';
  one: Switch;
}

const MOST_REASON = 2_000;

/** Big switches are big (D227): what one press does stands here before it is done, and a name is typed for many texts. */
export function ScopeSheet({ opened, onClose }: { opened: OpenSheet; onClose: () => void }): ReactNode {
  const text = useText();
  const { act, one } = opened;
  const words = act === 'confirm' ? 'scope.confirmNamed' : one.enabled ? 'scope.switchOffNamed' : 'scope.switchOnNamed';
  const title = text(words, { name: one.name });
  return (
    <Dialog opened title={title} size="lg" onClose={onClose}>
      {act === 'press' ? (
        <PressForm title={title} one={one} onDone={onClose} />
      ) : (
        <ConfirmForm title={title} one={one} onDone={onClose} />
      )}
    </Dialog>
  );
}

interface FormProps {
  title: string;
  one: Switch;
  onDone: () => void;
}

function PressForm({ title, one, onDone }: FormProps): ReactNode {
  const text = useText();
  const { api, queries } = useConsole();
  const [reason, setReason] = useState('');
  const [typed, setTyped] = useState('');
  const { type, key, enabled } = one;
  const effect = useQuery(queries.scopeEffect({ type, key }));
  const press = useChange(() => api.pressSwitch({ ...one, reason }), text('scope.done'), onDone);
  const mustType = enabled && type !== 'INSTRUMENT';
  const hasMoved = effect.data !== undefined && effect.data.enabled !== enabled;
  const isReady =
    effect.data !== undefined && !hasMoved && (!enabled || reason.trim() !== '') && (!mustType || typed.trim() === key);
  return (
    <OpenForm
      label={title}
      className={parts['form']}
      onSend={() => {
        if (isReady && !press.isPending) press.mutate(undefined);
      }}
    >
      {hasMoved ? (
        <p className={parts['note']} data-tone="wait" role="status">
          <Glyph name="warning" /> {text('scope.sheet.moved')}
        </p>
      ) : (
        <Loaded query={effect}>{(found) => <Effect effect={found} />}</Loaded>
      )}
      <TextInput
        label={text(enabled ? 'scope.sheet.reason' : 'scope.sheet.reason.optional')}
        value={reason}
        maxLength={MOST_REASON}
        required={enabled}
        withAsterisk={false}
        data-first
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      {mustType && (
        <TextInput
          label={text('scope.sheet.type', { key })}
          value={typed}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
      <ChangeError error={press.error} />
      <div className={parts['buttons']}>
        <Button
          type="submit"
          className={enabled ? parts['destructive'] : undefined}
          disabled={!isReady}
          loading={press.isPending}
        >
          {title}
        </Button>
      </div>
    </OpenForm>
  );
}

/** How many texts vanish or come back, and in which channels. */
function Effect({ effect: { enabled, texts, channels } }: { effect: ScopeEffect }): ReactNode {
  const text = useText();
  const touched = channels.filter((channel) => channel.texts > 0);
  const isDark = enabled && texts > 0 && channels.every((channel) => channel.texts === channel.shown);
  const words = texts === 0 ? 'same' : enabled ? 'vanish' : 'return';
  return (
    <>
      <p className={parts['note']} data-tone={texts === 0 ? 'info' : enabled ? 'bad' : 'wait'}>
        <Glyph name={texts === 0 ? 'tick' : 'warning'} />
        <span>
          <strong>{text(`scope.sheet.${words}`, { texts, channels: touched.length })}</strong>{' '}
          {isDark && text('scope.sheet.dark')}
        </span>
      </p>
      {touched.length > 0 && (
        <DataTable
          label={text('scope.sheet.channels')}
          rows={channels}
          idOf={({ channel }) => channel}
          columns={[
            { id: 'channel', head: text('scope.channels'), kind: 'name', render: ({ channel }) => channel },
            {
              id: 'shown',
              head: text('scope.sheet.shown'),
              kind: 'number',
              render: ({ shown }) => shown.toLocaleString('en-US'),
            },
            {
              id: 'texts',
              head: text(enabled ? 'scope.sheet.vanishing' : 'scope.sheet.returning'),
              kind: 'number',
              render: (channel) => channel.texts.toLocaleString('en-US'),
            },
          ]}
        />
      )}
    </>
  );
}

function ConfirmForm({ title, one, onDone }: FormProps): ReactNode {
  const text = useText();
  const { api } = useConsole();
  const [reason, setReason] = useState('');
  const { type, key, version } = one;
  const confirm = useChange(
    async () => (type === 'INSTRUMENT' ? undefined : api.confirmExclusion({ type, key, version }, reason)),
    text('scope.confirm.done'),
    onDone,
  );
  const isReady = reason.trim() !== '';
  return (
    <OpenForm
      label={title}
      className={parts['form']}
      onSend={() => {
        if (isReady && !confirm.isPending) confirm.mutate(undefined);
      }}
    >
      <p className={parts['quiet']}>{text('scope.confirm.note')}</p>
      <TextInput
        label={text('scope.sheet.reason')}
        value={reason}
        maxLength={MOST_REASON}
        required
        withAsterisk={false}
        data-first
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      <ChangeError error={confirm.error} />
      <div className={parts['buttons']}>
        <Button type="submit" disabled={!isReady} loading={confirm.isPending}>
          {text('scope.confirm')}
        </Button>
      </div>
    </OpenForm>
  );
}
