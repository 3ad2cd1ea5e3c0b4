import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { Role } from '../../policy/roles.ts';
import type { DemoAccount } from '../../wire/sign-in.ts';
import { useSharedText } from '../i18n/use-text.ts';
import { readDemo } from './page-data.ts';
import classes from './login-screen.module.css';

/** The accounts of a demo, each a press away (D231); nothing outside of a demo. */
export function DemoAccounts({
  nameOfRole,
  isBusy,
  onChoose,
}: {
  nameOfRole?: (role: Role) => string;
  isBusy: boolean;
  onChoose: (account: DemoAccount) => void;
}): ReactNode {
  const text = useSharedText();
  const [offer] = useState(() => readDemo(document));
  if (offer === null) return null;
  return (
    <section className={classes['demo']} aria-label={text('login.demo.accounts')}>
      <p className={classes['note']} data-tone="wait">
        {text('login.demo')}
        {offer.tour?.replayedDate !== undefined && ` ${text('login.demo.replayed', { date: offer.tour.replayedDate })}`}
      </p>
      <div className={classes['accounts']}>
        {offer.accounts.map((account) => (
          <Button
            key={account.username}
            variant="default"
            size="sm"
            data-account={account.username}
            disabled={isBusy}
            onClick={() => onChoose(account)}
          >
            <span className={classes['account']}>
              <strong>{account.username}</strong>
              {account.role !== undefined && nameOfRole !== undefined && <span>{nameOfRole(account.role)}</span>}
            </span>
          </Button>
        ))}
      </div>
    </section>
  );
}
