import { Button, TextInput } from '@mantine/core';
import { useEffect, useRef, useState, type SubmitEvent, type ReactNode } from 'react';
import { DisplayMenu } from '../frame/display-menu.tsx';
import { ApiProblem } from '../http/request.ts';
import { useSharedText } from '../i18n/use-text.ts';
import { useErrorText } from '../parts/data-state.tsx';
import { Glyph } from '../parts/glyphs.tsx';
import classes from './login-screen.module.css';

export interface LoginScreenProps {
  /** Which console this is, under the product's name. */
  subtitle: string;
  /** Why somebody stands here who was inside before; null for a first visit. */
  farewell: 'expired' | 'loggedOut' | null;
  onLogin: (username: string, password: string) => Promise<void>;
}

export function LoginScreen({ subtitle, farewell, onLogin }: LoginScreenProps): ReactNode {
  const text = useSharedText();
  const describe = useErrorText();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [missing, setMissing] = useState<'username' | 'password' | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);
  const usernameField = useRef<HTMLInputElement>(null);
  const passwordField = useRef<HTMLInputElement>(null);
  useEffect(() => usernameField.current?.focus(), []);

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const lacking = username.trim() === '' ? 'username' : password === '' ? 'password' : null;
    setMissing(lacking);
    setFailure(null);
    if (lacking !== null) {
      (lacking === 'username' ? usernameField : passwordField).current?.focus();
      return;
    }
    setIsBusy(true);
    try {
      await onLogin(username.trim(), password);
    } catch (error) {
      setFailure(error);
      setIsBusy(false);
      passwordField.current?.select();
    }
  }

  const isWrong = failure instanceof ApiProblem && failure.code === 'AUTH4011';
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
          <h1 id="login-title">{text('login.title')}</h1>
          {farewell !== null && failure === null && (
            <p className={classes['note']} data-tone="info" role="status">
              {text(`login.${farewell}`)}
            </p>
          )}
          {failure !== null && (
            <p className={classes['note']} data-tone="bad" role="alert">
              <Glyph name="warning" size={14} />
              {isWrong ? text('login.wrong') : describe(failure)}
            </p>
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
            error={missing === 'username' ? text('login.missing.username') : null}
          />
          <TextInput
            ref={passwordField}
            size="sm"
            type="password"
            label={text('login.password')}
            name="password"
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={missing === 'password' ? text('login.missing.password') : null}
          />
          <Button type="submit" size="sm" loading={isBusy}>
            {text('login.submit')}
          </Button>
        </form>
      </main>
    </div>
  );
}
