import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSharedText } from '../i18n/use-text.ts';
import { LoginPage, LoginHead } from './login-page.tsx';
import classes from './login-screen.module.css';
import { PasswordForm, type PasswordFormProps } from './password-form.tsx';

/** For a user whose password an administrator has set: the console opens only after the user has set another one. */
export function OwnPasswordScreen({
  subtitle,
  onLogOut,
  ...form
}: Pick<PasswordFormProps, 'username' | 'change' | 'onDone'> & {
  subtitle: string;
  onLogOut: () => Promise<void>;
}): ReactNode {
  const text = useSharedText();
  return (
    <LoginPage>
      <div className={classes['form']}>
        <PasswordForm {...form} className={classes['fields']} label={text('password.own.title')} hasFocus>
          <LoginHead subtitle={subtitle} />
          <h1>{text('password.own.title')}</h1>
          <p className={classes['note']} data-tone="info" role="status">
            {text('password.own.note')}
          </p>
        </PasswordForm>
        <Button variant="subtle" color="gray" size="compact-sm" onClick={() => void onLogOut()}>
          {text('login.logout')}
        </Button>
      </div>
    </LoginPage>
  );
}
