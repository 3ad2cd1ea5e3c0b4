import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type ReactNode, type SubmitEvent } from 'react';
import { ListScreen } from '../../../shared/ui/list/list-screen.tsx';
import { ChangeFailure } from '../../../shared/ui/session/change-failure.tsx';
import { useNotify } from '../../../shared/ui/parts/notices.tsx';
import { Facts, Panel } from '../../../shared/ui/parts/panel.tsx';
import { PasswordForm } from '../../../shared/ui/session/password-form.tsx';
import { SESSION_KEY, type Session } from '../../../shared/ui/session/session-queries.ts';
import { DISPLAY_NAME_LIMIT, type OperatorProfile } from '../../../shared/wire/operator/operator.ts';
import { useOperator } from '../api/operator-context.tsx';
import { useText } from '../i18n/use-text.ts';
import { useProfile } from './profile.ts';
import classes from './profile-screen.module.css';

/** The operator's own account; only the display name can be changed. */
export function ProfileScreen(): ReactNode {
  const text = useText();
  const { username } = useProfile();
  const { api } = useOperator();
  return (
    <ListScreen
      title={text('profile.title')}
      tools={null}
      tableLabel={text('profile.content')}
      foot={null}
      detail={null}
    >
      <div className={classes['page']}>
        <Panel level={2} title={text('profile.account')}>
          <Facts
            rows={[
              [text('profile.username'), <code key="name">{username}</code>],
              [text('profile.role'), text('profile.operator')],
            ]}
          />
        </Panel>
        <Panel level={2} title={text('profile.shown')}>
          <NameForm />
        </Panel>
        <Panel level={2} title={text('password.title')}>
          <PasswordForm
            username={username}
            className={classes['form']}
            label={text('password.title')}
            change={api.changePassword}
            onDone={() => undefined}
          >
            {null}
          </PasswordForm>
        </Panel>
      </div>
    </ListScreen>
  );
}

function NameForm(): ReactNode {
  const text = useText();
  const notify = useNotify();
  const client = useQueryClient();
  const { api } = useOperator();
  const { displayName } = useProfile();
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(displayName);
  const [isMissing, setMissing] = useState(false);
  const renaming = useMutation({
    mutationFn: api.rename,
    onSuccess: (profile) => {
      client.setQueryData<Session<OperatorProfile>>(SESSION_KEY, { profile, ended: null });
      setTyped(profile.displayName);
      notify({ tone: 'good', glyph: 'tick', message: text('profile.saved', { name: profile.displayName }) });
    },
    onError: () => field.current?.focus(),
  });

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    const name = typed.trim();
    setMissing(name === '');
    if (name === '') field.current?.focus();
    else if (!renaming.isPending) renaming.mutate(name);
  }

  return (
    <form className={classes['form']} onSubmit={submit} noValidate aria-label={text('profile.shown')}>
      <TextInput
        ref={field}
        label={text('profile.displayName')}
        description={text('profile.seenBy')}
        value={typed}
        maxLength={DISPLAY_NAME_LIMIT}
        required
        withAsterisk={false}
        autoComplete="off"
        error={isMissing ? text('tenantFault.missing') : null}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      {renaming.error !== null && (
        <ChangeFailure error={renaming.error} className={classes['failure']} before={text('profile.failed')} />
      )}
      <Button type="submit" loading={renaming.isPending}>
        {text('profile.save')}
      </Button>
    </form>
  );
}
