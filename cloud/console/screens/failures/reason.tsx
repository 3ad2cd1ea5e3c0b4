import type { ReactNode } from 'react';
import type { FailedTask } from '../../../../shared/wire/operator/operator.ts';
import { useText } from '../../i18n/use-text.ts';
import { LedgerCode } from '../../runs/ledger-code.tsx';
import { LongText } from '../../runs/long-text.tsx';
import runs from '../../runs/runs.module.css';

/**
 * The ledger's code and message, or the statement that it has neither. A task that never began has no reason of its own.
 */
export function Reason({ task: { errorCode, errorMessage, outcome } }: { task: FailedTask }): ReactNode {
  const text = useText();
  if (errorCode === null && errorMessage === null)
    return <span className={runs['quiet']}>{outcome === 'MISSING' ? '' : text('failures.noReason')}</span>;
  return (
    <>
      {errorCode !== null && <LedgerCode code={errorCode} />}{' '}
      {errorMessage !== null && <LongText lang="ko">{errorMessage}</LongText>}
    </>
  );
}
