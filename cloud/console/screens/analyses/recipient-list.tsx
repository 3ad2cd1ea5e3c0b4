import type { ReactNode } from 'react';
import type { Recipients } from '../../../../shared/wire/operator/operator.ts';
import { useText } from '../../i18n/use-text.ts';
import classes from './analyses.module.css';

/** The tenants that have received an explanation: how many, and who. */
export function RecipientList({ recipients, heading }: { recipients: Recipients; heading: string }): ReactNode {
  const text = useText();
  const { total, tenants } = recipients;
  return (
    <div className={classes['recipients']}>
      <p>
        {heading} <strong>{text('recipients.total', { total })}</strong>
      </p>
      {tenants.length > 0 && (
        <ul>
          {tenants.map(({ tenantId, name }) => (
            <li key={tenantId}>{name}</li>
          ))}
          {total > tenants.length && <li>{text('recipients.more', { count: total - tenants.length })}</li>}
        </ul>
      )}
    </div>
  );
}
