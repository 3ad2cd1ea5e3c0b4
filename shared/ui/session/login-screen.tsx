import { Button, TextInput } from '@mantine/core';
import { useEffect, useRef, useState, type SubmitEvent, type ReactNode } from 'react';
import type { Role } from '../../policy/roles.ts';
import { SIGN_IN_REFUSALS } from '../../wire/sign-in.ts';
import { ApiProblem, messagesAbout } from '../http/request.ts';
import { useSharedText } from '../i18n/use-text.ts';
import { useErrorText } from '../parts/data-state.tsx';
import { Glyph } from '../parts/glyphs.tsx';
import { LoginHead, LoginPage } from './login-page.tsx';
import classes from './login-screen.module.css';
import type { SessionEnd } from './session-queries.ts';
import { SignInStoppedError } from './sign-in-stopped.ts';
import { DemoAccounts } from './demo-accounts.tsx';
import { useFieldRule } from './use-field-rule.ts';

type Field = 'username' | 'password' | 'setupCode' | 'secondFactor';

export interface Credentials {
  username: string;
  password: string;
  /** Creates the first administrator, with this name and password, while no account exists. */
  setupCode?: string;
  /** A code of the authenticator app, if the server asked for one. */
  secondFactor?: string;
}

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

export function LoginScreen({
  subtitle,
  farewell,
  hasSetUp,
  hasRecoveryCodes,
  signIn,
  nameOfRole,
  onLogin,
}: LoginScreenProps): ReactNode {
  const text = useSharedText();
  const rule = useFieldRule();
  const describe = useErrorText();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [isSettingUp, setIsSettingUp] = useState(false);
  const [setupCode, setSetupCode] = useState('');
  /** Null until the server asks for a code. */
  const [secondFactor, setSecondFactor] = useState<string | null>(null);
  const [missing, setMissing] = useState<Field | null>(null);
  const [failure, setFailure] = useState<unknown>(signIn?.failure ?? null);
  const [isBusy, setIsBusy] = useState(false);
  const withPasswords = signIn?.withPasswords !== false;
  const [isAway, setIsAway] = useState(false);
  /** Number of the sign-in that the screen waits for: results of an earlier one are ignored. */
  const tries = useRef(0);
  const usernameField = useRef<HTMLInputElement>(null);
  const passwordField = useRef<HTMLInputElement>(null);
  const setupField = useRef<HTMLInputElement>(null);
  const factorField = useRef<HTMLInputElement>(null);
  const isAsked = secondFactor !== null;
  useEffect(() => usernameField.current?.focus(), []);
  useEffect(() => {
    if (isAsked) factorField.current?.focus();
  }, [isAsked]);

  function missingOf(): Field | null {
    if (isSettingUp && setupCode.trim() === '') return 'setupCode';
    if (username.trim() === '') return 'username';
    if (password === '') return 'password';
    return secondFactor?.trim() === '' ? 'secondFactor' : null;
  }

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const lacking = missingOf();
    setMissing(lacking);
    setFailure(null);
    if (lacking !== null) {
      const fields = { username: usernameField, password: passwordField, setupCode: setupField };
      ({ ...fields, secondFactor: factorField })[lacking].current?.focus();
      return;
    }
    await logIn({
      username: username.trim(),
      password,
      ...(isSettingUp ? { setupCode: setupCode.trim() } : {}),
      ...(secondFactor === null ? {} : { secondFactor: secondFactor.trim() }),
    });
  }

  async function logIn(credentials: Credentials): Promise<void> {
    setIsBusy(true);
    try {
      await onLogin(credentials);
    } catch (error) {
      setIsBusy(false);
      if (error instanceof ApiProblem && error.code === 'AUTH4013') {
        // The password was right; the first request for a code is not an error.
        setSecondFactor(secondFactor ?? '');
        setFailure(isAsked ? error : null);
        factorField.current?.select();
        return;
      }
      setFailure(error);
      passwordField.current?.select();
    }
  }

  async function goToProvider({ onSignIn }: SignInWay): Promise<void> {
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
  }

  const problem = failure instanceof ApiProblem ? failure : null;
  /** A person with the setup code sees which rules the name or password breaks. */
  const isUnfit = (field: Field): boolean =>
    isSettingUp && problem?.fieldErrors.some(({ path }) => path === `body.${field}`) === true;
  const failureText = (): string => {
    if (failure instanceof SignInStoppedError) return text(`login.sso.${failure.kind}`);
    const refusal = SIGN_IN_REFUSALS.find((one) => messagesAbout(failure, 'reason').includes(one));
    if (refusal !== undefined) return text(`login.sso.${refusal}`);
    if (problem?.code === 'AUTH4013') return text('rule.SECOND_FACTOR_WRONG');
    if (problem?.code === 'AUTH4011') return text(isSettingUp ? 'login.setUp.wrong' : 'login.wrong');
    return isUnfit('username') || isUnfit('password') ? text('login.setUp.unfit') : describe(failure);
  };
  const errorOf = (field: 'username' | 'password'): string | null => {
    if (missing === field) return text(`login.missing.${field}`);
    return isSettingUp ? rule(failure, field) : null;
  };
  return (
    <LoginPage>
      <form
        className={classes['form']}
        onSubmit={(event) => void submit(event)}
        noValidate
        aria-labelledby="login-title"
      >
        <LoginHead subtitle={subtitle} />
        <h1 id="login-title">{text(isSettingUp ? 'login.setUp' : 'login.title')}</h1>
        {farewell !== null && failure === null && (
          <p className={classes['note']} data-tone="info" role="status">
            {text(`login.${farewell}`)}
          </p>
        )}
        {failure !== null && (
          <p className={classes['note']} data-tone="bad" role="alert">
            <Glyph name="warning" size={14} />
            {failureText()}
          </p>
        )}
        {isAway && (
          <p className={classes['note']} data-tone="info" role="status">
            {text('login.sso.away')}
          </p>
        )}
        {isSettingUp && (
          <>
            <p className={classes['subtitle']}>{text('login.setUp.note')}</p>
            <TextInput
              ref={setupField}
              size="sm"
              label={text('login.setUp.code')}
              name="setupCode"
              autoComplete="off"
              autoCapitalize="characters"
              spellCheck={false}
              value={setupCode}
              onChange={(event) => setSetupCode(event.currentTarget.value)}
              error={missing === 'setupCode' ? text('login.missing.setupCode') : null}
            />
          </>
        )}
        {withPasswords && (
          <>
            <TextInput
              ref={usernameField}
              size="sm"
              label={text('login.username')}
              name="username"
              autoComplete="username"
              autoCapitalize="none"
              spellCheck={false}
              value={username}
              description={isSettingUp ? text('rule.USERNAME_FORM') : null}
              onChange={(event) => {
                setUsername(event.currentTarget.value);
                setSecondFactor(null);
              }}
              error={errorOf('username')}
            />
            <TextInput
              ref={passwordField}
              size="sm"
              type="password"
              label={text('login.password')}
              name="password"
              autoComplete={isSettingUp ? 'new-password' : 'current-password'}
              value={password}
              description={isSettingUp ? text('rule.PASSWORD_SHORT') : null}
              onChange={(event) => setPassword(event.currentTarget.value)}
              error={errorOf('password')}
            />
            {isAsked && (
              <TextInput
                ref={factorField}
                size="sm"
                label={text('factor.code')}
                description={text(hasRecoveryCodes ? 'factor.code.note' : 'factor.code.app')}
                name="secondFactor"
                autoComplete="one-time-code"
                spellCheck={false}
                value={secondFactor}
                onChange={(event) => setSecondFactor(event.currentTarget.value)}
                error={missing === 'secondFactor' ? text('factor.missing') : null}
              />
            )}
            <Button type="submit" size="sm" loading={isBusy}>
              {text(isSettingUp ? 'login.setUp.submit' : 'login.submit')}
            </Button>
          </>
        )}
        {withPasswords && !isSettingUp && (
          <DemoAccounts
            {...(nameOfRole === undefined ? {} : { nameOfRole })}
            isBusy={isBusy}
            onChoose={({ username: name, password: known }) => {
              // The form goes on with them if the server asks for a second factor.
              setUsername(name);
              setPassword(known);
              setSecondFactor(null);
              setMissing(null);
              setFailure(null);
              void logIn({ username: name, password: known });
            }}
          />
        )}
        {signIn !== undefined && !isSettingUp && (
          <Button
            variant={withPasswords ? 'default' : 'filled'}
            size="sm"
            name="signIn"
            onClick={() => void goToProvider(signIn)}
          >
            {text(isAway ? 'login.sso.again' : 'login.sso.submit', { label: signIn.label })}
          </Button>
        )}
        {hasSetUp && (
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            onClick={() => {
              setIsSettingUp(!isSettingUp);
              setMissing(null);
              setFailure(null);
            }}
          >
            {text(isSettingUp ? 'login.setUp.leave' : 'login.setUp')}
          </Button>
        )}
      </form>
    </LoginPage>
  );
}
