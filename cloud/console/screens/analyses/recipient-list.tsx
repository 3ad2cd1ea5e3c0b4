import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Badge } from '../../../../shared/ui/parts/badge.tsx';
import { useAge, KstTime } from '../../../../shared/ui/time/times.tsx';
import { useNow } from '../../../../shared/ui/time/use-now.ts';
import type { Recipients } from '../../../../shared/wire/operator/operator.ts';
import { useText } from '../../i18n/use-text.ts';
import { tenantPlace } from '../../navigation/places.ts';
import classes from './analyses.module.css';

export interface RecipientListProps {
  recipients: Recipients;
  heading: string;
  /** Whether the record is a withdrawal: one that waits too long is bad. */
  isWithdrawal?: boolean;
}

/** The tenants to which a record was issued, with the state of each: waiting ones first. */
export function RecipientList({ recipients, heading, isWithdrawal = false }: RecipientListProps): ReactNode {
  const text = useText();
  const { total, received, overdue, tenants } = recipients;
  return (
    <div className={classes['recipients']}>
      <p>
        {heading} <strong>{text('recipients.total', { total })}</strong>
        {total > 0 && <> · {text('recipients.received', { received, waiting: total - received })}</>}
      </p>
      {isWithdrawal && received < total && (
        <p>
          <Badge tone={overdue > 0 ? 'bad' : 'wait'} glyph={overdue > 0 ? 'refused' : 'waiting'}>
            {text(overdue > 0 ? 'recipients.withdrawnLate' : 'recipients.withdrawnWaiting', {
              count: overdue > 0 ? overdue : total - received,
            })}
          </Badge>
        </p>
      )}
      {tenants.length > 0 && (
        <ul>
          {tenants.map((tenant) => (
            <li key={tenant.tenantId}>
              <Link href={tenantPlace(tenant.tenantId, tenant.name)}>{tenant.name}</Link> <Receipt tenant={tenant} />
            </li>
          ))}
          {total > tenants.length && <li>{text('recipients.more', { count: total - tenants.length })}</li>}
        </ul>
      )}
      {total > 0 && <p className={classes['none']}>{text('recipients.beyond')}</p>}
    </div>
  );
}

function Receipt({ tenant }: { tenant: Recipients['tenants'][number] }): ReactNode {
  const text = useText();
  const age = useAge();
  const now = useNow(1_000);
  const { state, isOverdue, issuedAt, dueAt, receivedAt } = tenant;
  const left = dueAt === null ? null : Date.parse(dueAt) - now.getTime();
  switch (state) {
    case 'RECEIVED':
      return (
        <Badge tone="good" glyph="approved">
          {receivedAt === null ? (
            text('receipt.RECEIVED')
          ) : (
            <>
              {text('receipt.RECEIVED')} <KstTime at={receivedAt} precision="second" />
            </>
          )}
        </Badge>
      );
    case 'WAITING':
    case 'NEVER_CONNECTED':
      return (
        <Badge tone={isOverdue || (left !== null && left < 0) ? 'bad' : 'wait'} glyph="waiting">
          {text(`receipt.${state}`, { age: issuedAt === null ? '' : age(issuedAt) })}
          {left !== null && left >= 0 && ` · ${text('receipt.left', { time: clockOf(left) })}`}
        </Badge>
      );
  }
}

/** Minutes and seconds that are left, `1:05`. */
const clockOf = (ms: number): string =>
  `${Math.floor(ms / 60_000)}:${String(Math.floor(ms / 1_000) % 60).padStart(2, '0')}`;
