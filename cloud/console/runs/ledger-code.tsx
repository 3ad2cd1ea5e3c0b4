import type { ReactNode } from 'react';
import { useText } from '../i18n/use-text.ts';
import classes from './runs.module.css';

/** A code or name of the ledger in words; a click shows the code itself. A code that has no words stands as it is. */
export function LedgerCode({ code }: { code: string }): ReactNode {
  const text = useText();
  const words = text('ledger.word', { word: code });
  if (words === code) return <code>{code}</code>;
  return (
    <details className={classes['ledgerCode']}>
      <summary>{words}</summary>
      <code>{code}</code>
    </details>
  );
}
