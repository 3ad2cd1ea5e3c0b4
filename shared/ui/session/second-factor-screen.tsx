import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { encodeQR } from 'qr';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { RecoveryCodes, SecondFactorBegun } from '../../wire/console/second-factor.ts';
import { useSharedText } from '../i18n/use-text.ts';
import { ChangeFailure } from './change-failure.tsx';
import { Loaded } from '../parts/data-state.tsx';
import { saveFile } from '../parts/save-file.ts';
import { kstText } from '../time/format.ts';
import { LoginHead, LoginPage } from './login-page.tsx';
import classes from './login-screen.module.css';
import { useFieldRule } from './use-field-rule.ts';

/** The API calls of the set-up. */
export interface SecondFactorWay {
  begin: () => Promise<SecondFactorBegun>;
  confirm: (code: string) => Promise<RecoveryCodes>;
}

export interface SecondFactorScreenProps {
  subtitle: string;
  way: SecondFactorWay;
  /** When an administrator reset an earlier second factor; null for a first set-up. */
  resetAt: string | null;
  onDone: () => void;
  onLogOut: () => Promise<void>;
}

/** Sets up the second factor of a user who needs one and has none: the console opens only afterwards. */
export function SecondFactorScreen({ subtitle, way, resetAt, onDone, onLogOut }: SecondFactorScreenProps): ReactNode {
  const text = useSharedText();
  const [codes, setCodes] = useState<string[] | null>(null);
  // Each answer is a new secret, so it is requested once and dropped when the screen is left.
  const begun = useQuery({
    queryKey: ['second-factor'],
    queryFn: way.begin,
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  return (
    <LoginPage>
      <div className={classes['form']}>
        <LoginHead subtitle={subtitle} />
        <h1>{text(codes === null ? 'factor.title' : 'factor.codes.title')}</h1>
        {codes === null ? (
          <>
            <p className={classes['note']} data-tone={resetAt === null ? 'info' : 'wait'} role="status">
              {resetAt === null
                ? text('factor.note')
                : text('factor.reset.note', { at: text('time.kst', { time: kstText(resetAt, 'minute') ?? resetAt }) })}
            </p>
            <Loaded query={begun}>
              {(offer) => <Enrolment offer={offer} confirm={way.confirm} onConfirmed={setCodes} />}
            </Loaded>
            <Button variant="subtle" color="gray" size="compact-sm" onClick={() => void onLogOut()}>
              {text('login.logout')}
            </Button>
          </>
        ) : (
          <RecoveryCodeList codes={codes} onDone={onDone} />
        )}
      </div>
    </LoginPage>
  );
}

function Enrolment({
  offer,
  confirm,
  onConfirmed,
}: {
  offer: SecondFactorBegun;
  confirm: SecondFactorWay['confirm'];
  onConfirmed: (codes: string[]) => void;
}): ReactNode {
  const text = useSharedText();
  const rule = useFieldRule();
  const field = useRef<HTMLInputElement>(null);
  const [code, setCode] = useState('');
  const [isTried, setIsTried] = useState(false);
  useEffect(() => field.current?.focus(), []);
  const confirming = useMutation({
    mutationFn: () => confirm(code),
    onSuccess: ({ recoveryCodes }) => onConfirmed(recoveryCodes),
    onError: () => field.current?.select(),
  });
  const fault = rule(confirming.error, 'code');
  return (
    <form
      className={classes['fields']}
      aria-labelledby="factor-scan"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setIsTried(true);
        if (code.trim() !== '' && !confirming.isPending) confirming.mutate();
      }}
    >
      <p id="factor-scan">{text('factor.scan')}</p>
      <QrCode text={offer.uri} label={text('factor.picture')} />
      <p className={classes['subtitle']}>
        {text('factor.secret')}{' '}
        <code className={classes['secret']}>{offer.secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</code>
      </p>
      <TextInput
        ref={field}
        label={text('factor.first')}
        inputMode="numeric"
        autoComplete="one-time-code"
        value={code}
        error={fault ?? (isTried && code.trim() === '' ? text('factor.missing') : null)}
        onChange={(event) => {
          setCode(event.currentTarget.value);
          confirming.reset();
        }}
      />
      {confirming.error !== null && fault === null && (
        <ChangeFailure error={confirming.error} className={classes['note']} />
      )}
      <Button type="submit" loading={confirming.isPending}>
        {text('factor.confirm')}
      </Button>
    </form>
  );
}

/** Dark on light in both schemes, as cameras need it. */
function QrCode({ text, label }: { text: string; label: string }): ReactNode {
  const rows = encodeQR(text, 'raw', { border: 2 });
  const path = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : []))).join('');
  return (
    <svg className={classes['picture']} viewBox={`0 0 ${rows.length} ${rows.length}`} role="img" aria-label={label}>
      <path d={path} shapeRendering="crispEdges" />
    </svg>
  );
}

function RecoveryCodeList({ codes, onDone }: { codes: string[]; onDone: () => void }): ReactNode {
  const text = useSharedText();
  const done = useRef<HTMLButtonElement>(null);
  useEffect(() => done.current?.focus(), []);
  return (
    <>
      <p className={classes['note']} data-tone="wait" role="status">
        {text('factor.codes.note')}
      </p>
      <ul className={classes['codes']} aria-label={text('factor.codes.title')}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className={classes['buttons']}>
        <Button ref={done} onClick={onDone}>
          {text('factor.codes.done')}
        </Button>
        <Button
          variant="default"
          onClick={() => saveFile('causeway-recovery-codes.txt', new Blob([`${codes.join('\n')}\n`]))}
        >
          {text('factor.codes.save')}
        </Button>
      </div>
    </>
  );
}
