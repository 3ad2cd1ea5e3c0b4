import { Button, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Dialog } from '../../../shared/ui/parts/dialog.tsx';
import { PasswordForm } from '../../../shared/ui/session/password-form.tsx';
import { SESSION_KEY } from '../../../shared/ui/session/session-queries.ts';
import { useFieldRule } from '../../../shared/ui/session/use-field-rule.ts';
import { useConsole } from '../../api/console-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import { ChangeError } from '../../components/parts/change-error.tsx';
import parts from '../../components/parts/parts.module.css';
import { useChange } from '../../components/parts/use-change.ts';
import { VersionLine } from '../version/version-gate.tsx';
import { useMay, useProfile } from '../../api/session-context.ts';

/** Lets a member change their display name (D10) and password. */
export function AccountDialog({ onClose }: { onClose: () => void }): ReactNode {
  const text = useText();
  const may = useMay();
  const { api, versions } = useConsole();
  const { username } = useProfile();
  return (
    <Dialog opened title={text('account.title')} onClose={onClose}>
      <NameForm />
      {may('session.password') && (
        <PasswordForm
          username={username}
          className={parts['form']}
          label={text('password.title')}
          change={api.changePassword}
          onDone={onClose}
        >
          <h3>{text('password.title')}</h3>
        </PasswordForm>
      )}
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
