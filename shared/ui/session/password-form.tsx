import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useSharedText } from '../i18n/use-text.ts';
import { ChangeFailure } from './change-failure.tsx';
import { useNotify } from '../parts/notices.tsx';
import classes from './login-screen.module.css';
import { useFieldRule } from './use-field-rule.ts';

export interface PasswordFormProps {
  username: string;
  className: string | undefined;
  label: string;
  /** The text above the fields. */
  children: ReactNode;
  /** Whether the first field takes the focus by itself. */
  hasFocus?: boolean;
  change: (present: string, next: string) => Promise<unknown>;
  onDone: () => void;
}

const EMPTY = { present: '', next: '', again: '' };
type Field = keyof typeof EMPTY;

/** The user's own password: the present one, and the new one twice. */
export function PasswordForm({
  username,
  className,
  label,
  children,
  hasFocus = false,
  change,
  onDone,
}: PasswordFormProps): ReactNode {
  const text = useSharedText();
  const notify = useNotify();
  const rule = useFieldRule();
  const [given, setGiven] = useState(EMPTY);
  const [isTried, setIsTried] = useState(false);
  const present = useRef<HTMLInputElement>(null);
  const next = useRef<HTMLInputElement>(null);
  const again = useRef<HTMLInputElement>(null);
  const inputOf = (field: Field): HTMLInputElement | null => ({ present, next, again })[field].current;
  useEffect(() => {
    if (hasFocus) present.current?.focus();
  }, [hasFocus, present]);
  const changing = useMutation({
    mutationFn: () => change(given.present, given.next),
    onSuccess: () => {
      notify({ tone: 'good', glyph: 'tick', message: text('password.done') });
      setGiven(EMPTY);
      setIsTried(false);
      onDone();
    },
    onError: (error) => inputOf(rule(error, 'newPassword') === null ? 'present' : 'next')?.select(),
  });
  const { error } = changing;
  const [presentFault, nextFault] = [rule(error, 'currentPassword'), rule(error, 'newPassword')];
  const faults: Record<Field, string | null> = {
    present: given.present === '' ? text('login.missing.password') : null,
    next: given.next === '' ? text('login.missing.password') : null,
    again: given.again === given.next ? null : text('password.different'),
  };
  const set = (changes: Partial<typeof EMPTY>): void => {
    setGiven({ ...given, ...changes });
    changing.reset();
  };
  return (
    <form
      className={className}
      aria-label={label}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setIsTried(true);
        const wrong = (['present', 'next', 'again'] as const).find((field) => faults[field] !== null);
        if (wrong !== undefined) inputOf(wrong)?.focus();
        else if (!changing.isPending) changing.mutate();
      }}
    >
      {children}
      {/* Tells a password manager which account the password belongs to. */}
      <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
      <TextInput
        ref={present}
        type="password"
        label={text('password.present')}
        autoComplete="current-password"
        value={given.present}
        error={presentFault ?? (isTried ? faults.present : null)}
        onChange={(event) => set({ present: event.currentTarget.value })}
      />
      <TextInput
        ref={next}
        type="password"
        label={text('password.next')}
        description={text('password.rule')}
        autoComplete="new-password"
        value={given.next}
        error={nextFault ?? (isTried ? faults.next : null)}
        onChange={(event) => set({ next: event.currentTarget.value })}
      />
      <TextInput
        ref={again}
        type="password"
        label={text('password.again')}
        autoComplete="new-password"
        value={given.again}
        error={isTried ? faults.again : null}
        onChange={(event) => set({ again: event.currentTarget.value })}
      />
      {error !== null && presentFault === null && nextFault === null && (
        <ChangeFailure error={error} className={classes['note']} />
      )}
      <div className={classes['buttons']}>
        <Button type="submit" loading={changing.isPending}>
          {text('password.change')}
        </Button>
        <span className={classes['subtitle']}>{text('password.note')}</span>
      </div>
    </form>
  );
}
