/** A tenant where another thing is about it. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Tenant } from '../../../shared/wire/operator/tenants.ts';
import { useText } from '../i18n/use-text.ts';
import { NOT_CONNECTED_PLACE, tenantPlace } from '../navigation/places.ts';
import classes from './verdicts.module.css';

type Named = Pick<Tenant, 'tenantId' | 'name' | 'hasNamesake'>;

/** The name, with the number where another tenant's name looks the same (D225). */
export const shownName = ({ tenantId, name, hasNamesake }: Named): string =>
  hasNamesake ? `${name} #${tenantId}` : name;

export function TenantName({ tenant }: { tenant: Named }): ReactNode {
  return <Link href={tenantPlace(tenant.tenantId, tenant.name)}>{shownName(tenant)}</Link>;
}

/** The tenants beside a list that never connected: told, grey, and no trouble. Nothing where there are none. */
export function NeverConnected({ count }: { count: number }): ReactNode {
  const text = useText();
  if (count === 0) return null;
  return (
    <p className={classes['never']}>
      {text('tenants.neverBeside', { count })} <Link href={NOT_CONNECTED_PLACE}>{text('tenants.showThem')}</Link>
    </p>
  );
}
