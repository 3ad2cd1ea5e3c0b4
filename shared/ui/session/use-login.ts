import { useEffect, useRef, useState, type RefObject, type SubmitEvent } from 'react';
import { ApiProblem } from '../http/request.ts';

export interface Credentials {
  username: string;
  password: string;
  /** Creates the first administrator, with this name and password, while no account exists. */
  setupCode?: string;
  /** A code of the authenticator app, if the server asked for one. */
  secondFactor?: string;
}

export type LoginField = keyof Credentials;

export interface LoginForm {
  values: Record<'username' | 'password' | 'setupCode', string> & {
    /** Null until the server asks for a code. */
    secondFactor: string | null;
  };
  inputs: Readonly<Record<LoginField, RefObject<HTMLInputElement | null>>>;
  isSettingUp: boolean;
  /** The field that a login lacked. */
  missing: LoginField | null;
  failure: unknown;
  isBusy: boolean;
  setFailure(failure: unknown): void;
  enter(field: LoginField, value: string): void;
  submit(event: SubmitEvent): Promise<void>;
  /** Logs in as somebody whose password is known; the form goes on with it if the server asks for a second factor. */
  logInAs(username: string, password: string): Promise<void>;
  toggleSetUp(): void;
}

const EMPTY: LoginForm['values'] = { username: '', password: '', setupCode: '', secondFactor: null };

/** What the login form holds, and what it sends. @param firstFailure why this page is shown; null: no failure */
export function useLogin(firstFailure: unknown, onLogin: (credentials: Credentials) => Promise<void>): LoginForm {
  const [values, setValues] = useState(EMPTY);
  const [isSettingUp, setIsSettingUp] = useState(false);
  const [missing, setMissing] = useState<LoginField | null>(null);
  const [failure, setFailure] = useState<unknown>(firstFailure);
  const [isBusy, setIsBusy] = useState(false);
  const usernameInput = useRef<HTMLInputElement>(null);
  const passwordInput = useRef<HTMLInputElement>(null);
  const setupInput = useRef<HTMLInputElement>(null);
  const factorInput = useRef<HTMLInputElement>(null);
  const inputs = { username: usernameInput, password: passwordInput, setupCode: setupInput, secondFactor: factorInput };
  const { username, password, setupCode, secondFactor } = values;
  const isAsked = secondFactor !== null;
  useEffect(() => usernameInput.current?.focus(), []);
  useEffect(() => {
    if (isAsked) factorInput.current?.focus();
  }, [isAsked]);

  function missingOf(): LoginField | null {
    if (isSettingUp && setupCode.trim() === '') return 'setupCode';
    if (username.trim() === '') return 'username';
    if (password === '') return 'password';
    return secondFactor?.trim() === '' ? 'secondFactor' : null;
  }

  async function logIn(credentials: Credentials): Promise<void> {
    setIsBusy(true);
    try {
      await onLogin(credentials);
    } catch (error) {
      setIsBusy(false);
      if (error instanceof ApiProblem && error.code === 'AUTH4013') {
        // The password was right; the first request for a code is not an error.
        setValues((before) => ({ ...before, secondFactor: before.secondFactor ?? '' }));
        setFailure(isAsked ? error : null);
        factorInput.current?.select();
        return;
      }
      setFailure(error);
      passwordInput.current?.select();
    }
  }

  function begin(lacking: LoginField | null = null): void {
    setMissing(lacking);
    setFailure(null);
  }

  return {
    values,
    inputs,
    isSettingUp,
    missing,
    failure,
    isBusy,
    setFailure,
    // Another name is asked for a second factor of its own.
    enter: (field, value) =>
      setValues((before) => ({ ...before, ...(field === 'username' ? { secondFactor: null } : {}), [field]: value })),
    submit: async (event) => {
      event.preventDefault();
      const lacking = missingOf();
      begin(lacking);
      if (lacking !== null) return inputs[lacking].current?.focus();
      await logIn({
        username: username.trim(),
        password,
        ...(isSettingUp ? { setupCode: setupCode.trim() } : {}),
        ...(isAsked ? { secondFactor: secondFactor.trim() } : {}),
      });
    },
    logInAs: (name, known) => {
      setValues((before) => ({ ...before, username: name, password: known, secondFactor: null }));
      begin();
      return logIn({ username: name, password: known });
    },
    toggleSetUp: () => {
      setIsSettingUp(!isSettingUp);
      begin();
    },
  };
}
