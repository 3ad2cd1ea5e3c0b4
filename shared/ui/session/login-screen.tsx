import { Button, TextInput } from '@mantine/core';
import { useEffect, useRef, useState, type SubmitEvent, type ReactNode } from 'react';
import { DisplayMenu } from '../frame/display-menu.tsx';
import { ApiProblem } from '../http/request.ts';
import { useSharedText } from '../i18n/use-text.ts';
import { useErrorText } from '../parts/data-state.tsx';
import { Glyph } from '../parts/glyphs.tsx';
import classes from './login-screen.module.css';

type Field = 'username' | 'password' | 'setupCode';

export interface Credentials {
  username: string;
  password: string;
  /** Makes the first administrator, of this name and with this password, where nobody has an account yet. */
  setupCode?: string;
}

export interface LoginScreenProps {
  /** Which console this is, under the product's name. */
  subtitle: string;
  /** Why somebody stands here who was inside before; null for a first visit. */
  farewell: 'expired' | 'loggedOut' | null;
  /** Whether a new installation is set up here, by the code that its service has printed. */
  hasSetUp: boolean;
  onLogin: (credentials: Credentials) => Promise<void>;
}

export function LoginScreen({ subtitle, farewell, hasSetUp, onLogin }: LoginScreenProps): ReactNode {
  const text = useSharedText();
  const describe = useErrorText();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [isSettingUp, setIsSettingUp] = useState(false);
  const [setupCode, setSetupCode] = useState('');
  const [missing, setMissing] = useState<Field | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);
  const usernameField = useRef<HTMLInputElement>(null);
  const passwordField = useRef<HTMLInputElement>(null);
  const setupField = useRef<HTMLInputElement>(null);
  useEffect(() => usernameField.current?.focus(), []);

  function missingOf(): Field | null {
    if (isSettingUp && setupCode.trim() === '') return 'setupCode';
    if (username.trim() === '') return 'username';
    return password === '' ? 'password' : null;
  }

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const lacking = missingOf();
    setMissing(lacking);
    setFailure(null);
    if (lacking !== null) {
      ({ username: usernameField, password: passwordField, setupCode: setupField })[lacking].current?.focus();
      return;
    }
    setIsBusy(true);
    try {
      await onLogin({ username: username.trim(), password, ...(isSettingUp ? { setupCode: setupCode.trim() } : {}) });
    } catch (error) {
      setFailure(error);
      setIsBusy(false);
      passwordField.current?.select();
    }
  }

  const problem = failure instanceof ApiProblem ? failure : null;
  /** Whoever has the code is told what a name and a password must be. */
  const isUnfit = (field: Field): boolean =>
    isSettingUp && problem?.fieldErrors.some(({ path }) => path === `body.${field}`) === true;
  const failureText = (): string => {
    if (problem?.code === 'AUTH4011') return text(isSettingUp ? 'login.setUp.wrong' : 'login.wrong');
    return isUnfit('username') || isUnfit('password') ? text('login.setUp.unfit') : describe(failure);
  };
  const errorOf = (field: 'username' | 'password'): string | null => {
    if (missing === field) return text(`login.missing.${field}`);
    return isUnfit(field) ? text(`login.setUp.${field}`) : null;
  };
  return (
    <div className={classes['page']}>
      <header className={classes['head']}>
        <DisplayMenu withShortcuts={false} />
      </header>
      <main className={classes['main']}>
        <form
          className={classes['form']}
          onSubmit={(event) => void submit(event)}
          noValidate
          aria-labelledby="login-title"
        >
          <div>
            <p className={classes['product']}>{text('product.name')}</p>
            <p className={classes['subtitle']}>{subtitle}</p>
          </div>
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
          <TextInput
            ref={usernameField}
            size="sm"
            label={text('login.username')}
            name="username"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            value={username}
            onChange={(event) => setUsername(event.currentTarget.value)}
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
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={errorOf('password')}
          />
          <Button type="submit" size="sm" loading={isBusy}>
            {text(isSettingUp ? 'login.setUp.submit' : 'login.submit')}
          </Button>
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
      </main>
    </div>
  );
}
