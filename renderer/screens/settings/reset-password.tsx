import { Button, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Dialog } from '../../../shared/ui/parts/dialog.tsx';
import { useFieldRule } from '../../../shared/ui/session/use-field-rule.ts';
import type { ConsoleMember } from '../../../shared/wire/console/console.ts';
import { useConsole } from '../../api/console-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import { ChangeError } from '../../components/parts/change-error.tsx';
import parts from '../../components/parts/parts.module.css';
import { useChange } from '../../components/parts/use-change.ts';

/** Sets a temporary password for a user who has lost theirs. */
export function ResetPassword({ member, onClose }: { member: ConsoleMember; onClose: () => void }): ReactNode {
  const text = useText();
  const { api } = useConsole();
  const [password, setPassword] = useState('');
  const reset = useChange(() => api.resetPassword(member, password), text('members.reset.done'), onClose);
  const fault = useFieldRule()(reset.error, 'password');
  const title = text('members.resetNamed', { name: member.displayName });
  return (
    <Dialog opened title={title} onClose={onClose}>
      <form
        className={parts['form']}
        aria-label={title}
        autoComplete="off"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (password !== '') reset.mutate(undefined);
        }}
      >
        <p className={parts['quiet']}>{text('members.reset.note')}</p>
        <TextInput
          type="password"
          label={text('members.reset.password')}
          description={text('members.password.rule')}
          error={fault}
          autoComplete="new-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <ChangeError error={fault === null ? reset.error : null} />
        <div className={parts['buttons']}>
          <Button type="submit" disabled={password === ''} loading={reset.isPending}>
            {text('members.reset')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
