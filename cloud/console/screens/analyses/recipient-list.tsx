import type { ReactNode } from 'react';
import { Badge } from '../../../../shared/ui/parts/badge.tsx';
import { useAge, KstTime } from '../../../../shared/ui/time/times.tsx';
import { useNow } from '../../../../shared/ui/time/use-now.ts';
import type { Recipients } from '../../../../shared/wire/operator/operator.ts';
import { useText } from '../../i18n/use-text.ts';
import { CsvButton } from '../../lists/csv-button.tsx';
import { timeCell } from '../../lists/csv.ts';
import { AppliedBadge } from '../../verdicts/applied.tsx';
import { TenantName } from '../../verdicts/tenant-name.tsx';
import classes from './analyses.module.css';

export interface RecipientListProps {
  recipients: Recipients;
  heading: string;
  /** Whether the record is a withdrawal: one that waits too long is bad. */
  isWithdrawal?: boolean;
}

/**
 * The tenants to which a record was issued, with the state of each: waiting ones first, then the slowest. Those that never connected stand
 * apart: they have neither the text nor the withdrawal (D225).
 */
export function RecipientList({ recipients, heading, isWithdrawal = false }: RecipientListProps): ReactNode {
  const text = useText();
  const { total, received, neverConnected, overdue } = recipients;
  const waiting = total - received - neverConnected;
  const isNever = ({ state }: Recipients['tenants'][number]): boolean => state === 'NEVER_CONNECTED';
  const tenants = recipients.tenants.filter((tenant) => !isNever(tenant));
  const never = recipients.tenants.filter(isNever);
  return (
    <div className={classes['recipients']}>
      <p>
        {heading} <strong>{text('recipients.total', { total })}</strong>
        {total > 0 && <> · {text('recipients.received', { received, waiting })}</>}{' '}
        {total > 0 && (
          <CsvButton
            name={isWithdrawal ? 'withdrawal-recipients' : 'recipients'}
            rows={() => Promise.resolve({ items: recipients.tenants, total })}
            columns={[
              [text('field.tenantId'), ({ tenantId }) => tenantId],
              [text('field.tenant'), ({ name }) => name],
              [text('field.state'), ({ state }) => text(`recipientState.${state}`)],
              [text('recipients.csv.issued'), ({ issuedAt }) => timeCell(issuedAt)],
              [text('recipients.csv.due'), ({ dueAt }) => timeCell(dueAt)],
              [text('recipients.csv.received'), ({ receivedAt }) => timeCell(receivedAt)],
              [text('recipients.csv.applied'), ({ applied }) => applied && text(`applied.${applied.state}`)],
              [text('recipients.csv.appliedAt'), ({ applied }) => timeCell(applied?.at ?? null)],
              [text('recipients.csv.code'), ({ applied }) => applied?.code ?? null],
            ]}
          />
        )}
      </p>
      {isWithdrawal && waiting > 0 && (
        <p>
          <Badge tone={overdue > 0 ? 'bad' : 'wait'} glyph={overdue > 0 ? 'refused' : 'waiting'}>
            {text(overdue > 0 ? 'recipients.withdrawnLate' : 'recipients.withdrawnWaiting', {
              count: overdue > 0 ? overdue : waiting,
            })}
          </Badge>
        </p>
      )}
      {tenants.length > 0 && (
        <ul>
          {tenants.map((tenant) => (
            <li key={tenant.tenantId}>
              <TenantName tenant={tenant} /> <Receipt tenant={tenant} />{' '}
              <AppliedBadge applied={tenant.applied} issuedAt={tenant.issuedAt} />
            </li>
          ))}
          {total - neverConnected > tenants.length && (
            <li>{text('recipients.more', { count: total - neverConnected - tenants.length })}</li>
          )}
        </ul>
      )}
      {neverConnected > 0 && (
        <p className={classes['never']}>
          {text('recipients.never', { count: neverConnected })}
          {never.length > 0 && ': '}
          {never.map((tenant, index) => (
            <span key={tenant.tenantId}>
              {index > 0 && ', '}
              <TenantName tenant={tenant} />
            </span>
          ))}
          {neverConnected > never.length && never.length > 0 && (
            <> {text('recipients.more', { count: neverConnected - never.length })}</>
          )}
        </p>
      )}
      {total > 0 && <p className={classes['none']}>{text('recipients.beyond')}</p>}
      {tenants.some(({ applied }) => applied !== null) && <p className={classes['none']}>{text('applied.note')}</p>}
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
    case 'NEVER_CONNECTED':
      return null;
    case 'WAITING':
      return (
        <Badge tone={isOverdue || (left !== null && left < 0) ? 'bad' : 'wait'} glyph="waiting">
          {text('receipt.WAITING', { age: issuedAt === null ? '' : age(issuedAt) })}
          {left !== null && left >= 0 && ` · ${text('receipt.left', { time: clockOf(left) })}`}
        </Badge>
      );
  }
}

/** Minutes and seconds that are left, `1:05`. */
const clockOf = (ms: number): string =>
  `${Math.floor(ms / 60_000)}:${String(Math.floor(ms / 1_000) % 60).padStart(2, '0')}`;
