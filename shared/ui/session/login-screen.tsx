import { Button } from '@mantine/core';
import { useRef, useState, type ReactNode } from 'react';
import type { Role } from '../../policy/roles.ts';
import { useSharedText } from '../i18n/use-text.ts';
import { DemoAccounts } from './demo-accounts.tsx';
import { PasswordFields, SetupField } from './login-fields.tsx';
import { LoginNotes } from './login-notes.tsx';
import { LoginHead, LoginPage } from './login-page.tsx';
import classes from './login-screen.module.css';
import type { SessionEnd } from './session-queries.ts';
import { useLogin, type Credentials } from './use-login.ts';

/** Signing in at a provider (D21). */
export interface SignInWay {
  /** The provider's display name. */
  label: string;
  /** Whether passwords are accepted as well. */
  withPasswords: boolean;
  /** Why the sign-in that led back to this page was refused; null otherwise. */
  failure: unknown;
  onSignIn: () => Promise<void>;
}

export interface LoginScreenProps {
  /** The console's name, under the product's. */
  subtitle: string;
  /** Why the session ended; null for a first visit. */
  farewell: SessionEnd | null;
  /** Whether a new installation is set up here, with the code that its service printed. */
  hasSetUp: boolean;
  /** Whether a recovery code may replace a lost authenticator app. */
  hasRecoveryCodes: boolean;
  signIn?: SignInWay;
  /** A role's name in this console; absent in one with one role. */
  nameOfRole?: (role: Role) => string;
  onLogin: (credentials: Credentials) => Promise<void>;
}

export function LoginScreen(props: LoginScreenProps): ReactNode {
  const { subtitle, farewell, hasSetUp, hasRecoveryCodes, signIn, nameOfRole, onLogin } = props;
  const text = useSharedText();
  const form = useLogin(signIn?.failure ?? null, onLogin);
  const provider = useProvider(form.setFailure);
  const { isSettingUp, isBusy, failure } = form;
  const withPasswords = signIn?.withPasswords !== false;
  return (
    <LoginPage>
      <form
        className={classes['form']}
        onSubmit={(event) => void form.submit(event)}
        noValidate
        aria-labelledby="login-title"
      >
        <LoginHead subtitle={subtitle} />
        <h1 id="login-title">{text(isSettingUp ? 'login.setUp' : 'login.title')}</h1>
        <LoginNotes farewell={farewell} failure={failure} isSettingUp={isSettingUp} isAway={provider.isAway} />
        {isSettingUp && <SetupField form={form} />}
        {withPasswords && (
          <>
            <PasswordFields form={form} hasRecoveryCodes={hasRecoveryCodes} />
            <Button type="submit" size="sm" loading={isBusy}>
              {text(isSettingUp ? 'login.setUp.submit' : 'login.submit')}
            </Button>
          </>
        )}
        {withPasswords && !isSettingUp && (
          <DemoAccounts
            {...(nameOfRole === undefined ? {} : { nameOfRole })}
            isBusy={isBusy}
            onChoose={({ username, password }) => void form.logInAs(username, password)}
          />
        )}
        {signIn !== undefined && !isSettingUp && (
          <Button
            variant={withPasswords ? 'default' : 'filled'}
            size="sm"
            name="signIn"
            onClick={() => void provider.goTo(signIn)}
          >
            {text(provider.isAway ? 'login.sso.again' : 'login.sso.submit', { label: signIn.label })}
          </Button>
        )}
        {hasSetUp && (
          <Button variant="subtle" color="gray" size="compact-sm" onClick={form.toggleSetUp}>
            {text(isSettingUp ? 'login.setUp.leave' : 'login.setUp')}
          </Button>
        )}
      </form>
    </LoginPage>
  );
}

/** The sign-in at a provider, and whether the person is there. */
function useProvider(setFailure: (failure: unknown) => void): {
  isAway: boolean;
  goTo(way: SignInWay): Promise<void>;
} {
  const [isAway, setIsAway] = useState(false);
  /** Number of the sign-in that the screen waits for: results of an earlier one are ignored. */
  const tries = useRef(0);
  return {
    isAway,
    goTo: async ({ onSignIn }) => {
      tries.current += 1;
      const mine = tries.current;
      setFailure(null);
      setIsAway(true);
      try {
        await onSignIn();
      } catch (error) {
        if (mine !== tries.current) return;
        setFailure(error);
        setIsAway(false);
      }
    },
  };
}
