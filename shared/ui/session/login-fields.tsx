import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSharedText } from '../i18n/use-text.ts';
import classes from './login-screen.module.css';
import { useFieldRule } from './use-field-rule.ts';
import type { LoginField, LoginForm } from './use-login.ts';

/** The code that a new installation's service printed. */
export function SetupField({ form }: { form: LoginForm }): ReactNode {
  const text = useSharedText();
  return (
    <>
      <p className={classes['subtitle']}>{text('login.setUp.note')}</p>
      <TextInput
        {...propsOf(form, 'setupCode')}
        label={text('login.setUp.code')}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        error={form.missing === 'setupCode' ? text('login.missing.setupCode') : null}
      />
    </>
  );
}

/** Name, password, and the second factor once the server asked for one. */
export function PasswordFields({ form, hasRecoveryCodes }: { form: LoginForm; hasRecoveryCodes: boolean }): ReactNode {
  const text = useSharedText();
  const rule = useFieldRule();
  const { isSettingUp, missing, failure } = form;
  const isAsked = form.values.secondFactor !== null;
  const errorOf = (field: 'username' | 'password'): string | null => {
    if (missing === field) return text(`login.missing.${field}`);
    return isSettingUp ? rule(failure, field) : null;
  };
  return (
    <>
      <TextInput
        {...propsOf(form, 'username')}
        label={text('login.username')}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        description={isSettingUp ? text('rule.USERNAME_FORM') : null}
        error={errorOf('username')}
      />
      <TextInput
        {...propsOf(form, 'password')}
        type="password"
        label={text('login.password')}
        autoComplete={isSettingUp ? 'new-password' : 'current-password'}
        description={isSettingUp ? text('rule.PASSWORD_SHORT') : null}
        error={errorOf('password')}
      />
      {isAsked && (
        <TextInput
          {...propsOf(form, 'secondFactor')}
          label={text('factor.code')}
          description={text(hasRecoveryCodes ? 'factor.code.note' : 'factor.code.app')}
          autoComplete="one-time-code"
          spellCheck={false}
          error={missing === 'secondFactor' ? text('factor.missing') : null}
        />
      )}
    </>
  );
}

const propsOf = ({ inputs, values, enter }: LoginForm, name: LoginField) => ({
  ref: inputs[name],
  size: 'sm',
  name,
  value: values[name] ?? '',
  onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }): void => enter(name, currentTarget.value),
});
