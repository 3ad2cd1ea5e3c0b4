import { Button, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Dialog } from '../../shared/ui/parts/dialog.tsx';
import { SESSION_KEY } from '../../shared/ui/session/session-queries.ts';
import { useFieldRule } from '../../shared/ui/session/use-field-rule.ts';
import { useConsole } from '../api/console-context.tsx';
import { useText } from '../i18n/use-text.ts';
import { ChangeError } from '../parts/change-error.tsx';
import parts from '../parts/parts.module.css';
import { useChange } from '../parts/use-change.ts';
import { VersionLine } from '../version/version-gate.tsx';
import { useMay, useProfile } from './session-context.ts';

/** What somebody changes about themselves: the name that others see (D10), and the password. */
export function AccountDialog({ onClose }: { onClose: () => void }): ReactNode {
  const text = useText();
  const may = useMay();
  const { versions } = useConsole();
  return (
    <Dialog opened title={text('account.title')} onClose={onClose}>
      <NameForm />
      {may('session.password') && <PasswordForm onDone={onClose} />}
      <VersionLine versions={versions} />
    </Dialog>
  );
}

function NameForm(): ReactNode {
  const text = useText();
  const { api } = useConsole();
  const { displayName } = useProfile();
  const client = useQueryClient();
  const [name, setName] = useState(displayName);
  const rename = useChange(
    () => api.rename(name.trim()),
    text('account.renamed'),
    () => void client.invalidateQueries({ queryKey: SESSION_KEY }),
  );
  const nameFault = useFieldRule()(rename.error, 'displayName');
  const isChanged = name.trim() !== '' && name.trim() !== displayName;
  return (
    <form
      className={parts['form']}
      aria-label={text('account.name')}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (isChanged) rename.mutate(undefined);
      }}
    >
      <TextInput
        label={text('account.name')}
        value={name}
        description={text('members.name.rule')}
        error={nameFault}
        maxLength={100}
        autoComplete="name"
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <ChangeError error={nameFault === null ? rename.error : null} />
      <div className={parts['buttons']}>
        <Button type="submit" variant="default" disabled={!isChanged} loading={rename.isPending}>
          {text('account.rename')}
        </Button>
      </div>
    </form>
  );
}

const EMPTY = { present: '', next: '', again: '' };

function PasswordForm({ onDone }: { onDone: () => void }): ReactNode {
  const text = useText();
  const { api } = useConsole();
  const { username } = useProfile();
  const [given, setGiven] = useState(EMPTY);
  const [isTried, setIsTried] = useState(false);
  const change = useChange(() => api.changePassword(given.present, given.next), text('account.password.done'), onDone);
  const rule = useFieldRule();
  const [presentFault, nextFault] = [rule(change.error, 'currentPassword'), rule(change.error, 'newPassword')];
  const isKnown = presentFault !== null || nextFault !== null;
  const isWhole = given.present !== '' && given.next !== '' && given.again === given.next;
  const set = (changes: Partial<typeof EMPTY>): void => {
    setGiven({ ...given, ...changes });
    change.reset();
  };
  return (
    <form
      className={parts['form']}
      aria-label={text('account.password')}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setIsTried(true);
        if (isWhole) change.mutate(undefined);
      }}
    >
      <h3>{text('account.password')}</h3>
      {/* Whoever keeps passwords for this person learns whose it is. */}
      <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
      <TextInput
        type="password"
        label={text('account.password.present')}
        autoComplete="current-password"
        value={given.present}
        error={presentFault ?? (isTried && given.present === '' ? text('login.missing.password') : null)}
        onChange={(event) => set({ present: event.currentTarget.value })}
      />
      <TextInput
        type="password"
        label={text('account.password.next')}
        description={text('account.password.rule')}
        autoComplete="new-password"
        value={given.next}
        error={nextFault ?? (isTried && given.next === '' ? text('login.missing.password') : null)}
        onChange={(event) => set({ next: event.currentTarget.value })}
      />
      <TextInput
        type="password"
        label={text('account.password.again')}
        autoComplete="new-password"
        value={given.again}
        error={isTried && given.again !== given.next ? text('account.password.different') : null}
        onChange={(event) => set({ again: event.currentTarget.value })}
      />
      <ChangeError error={isKnown ? null : change.error} />
      <div className={parts['buttons']}>
        <Button type="submit" loading={change.isPending}>
          {text('account.password.change')}
        </Button>
        <span className={parts['quiet']}>{text('account.password.note')}</span>
      </div>
    </form>
  );
}
