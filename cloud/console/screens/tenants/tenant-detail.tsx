import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId, type ReactNode } from 'react';
import { DetailPane } from '../../../../shared/ui/list/list-screen.tsx';
import { EmptyState } from '../../../../shared/ui/parts/data-state.tsx';
import { Facts, Panel } from '../../../../shared/ui/parts/panel.tsx';
import { KstTime, NoValue } from '../../../../shared/ui/time/times.tsx';
import { useNow } from '../../../../shared/ui/time/use-now.ts';
import type { Tenant } from '../../../../shared/wire/operator/tenants.ts';
import { useOperator } from '../../api/operator-context.tsx';
import { LongText } from '../../runs/long-text.tsx';
import { Quantity } from '../../runs/quantity.tsx';
import { useText } from '../../i18n/use-text.ts';
import { RejectedEntries } from '../../verdicts/applied.tsx';
import { shownName } from '../../verdicts/tenant-name.tsx';
import classes from './tenants.module.css';
import { ConnectionBadge, connectionOf, Waiting } from './tenant-values.tsx';

/** The list carries all there is to know of a tenant (D23), so what some list has last shown is drawn. */
export function TenantDetail({ id, onClose }: { id: string; onClose: () => void }): ReactNode {
  const text = useText();
  const { queries } = useOperator();
  const headingId = useId();
  const now = useNow(60_000);
  const tenant = useQuery(queries.tenant(id)).data;
  if (tenant === undefined) {
    return (
      <EmptyState title={text('tenant.notListed')}>
        <Button variant="default" onClick={onClose}>
          {text('list.closeDetail')}
        </Button>
      </EmptyState>
    );
  }
  return (
    <DetailPane
      headingId={headingId}
      label={text('tenant.detail')}
      head={
        <header className={classes['title']}>
          <h2 id={headingId}>{shownName(tenant)}</h2>
          <p>
            <ConnectionBadge tenant={tenant} />
          </p>
        </header>
      }
      onClose={onClose}
      foot={null}
    >
      <p className={classes['meaning']}>{text(`connection.${connectionOf(tenant, now)}.meaning`)}</p>
      <Panel title={text('tenant.sync')}>
        <Facts
          rows={[
            [text('field.lastSyncResult'), <SyncResult key="result" code={tenant.lastSyncResult} />],
            [text('field.lastEventSync'), <KstTime key="event" at={tenant.lastEventSyncAt} precision="second" />],
            [text('field.waiting'), <Waiting key="waiting" tenant={tenant} />],
            [
              text('field.lastError'),
              tenant.lastErrorMessage === null ? (
                text('tenant.noError')
              ) : (
                <LongText key="error">{tenant.lastErrorMessage}</LongText>
              ),
            ],
          ]}
        />
      </Panel>
      {tenant.connectionStatus !== 'NOT_CONNECTED' && <Applied applied={tenant.applied} />}
      <Panel title={text('tenant.day')}>
        <Facts
          rows={[
            [text('field.delivered24h'), <Quantity key="delivered" value={tenant.deliveredLast24h} />],
            [text('field.invalidations24h'), <Quantity key="invalidations" value={tenant.invalidationsLast24h} />],
          ]}
        />
      </Panel>
      <Panel title={text('tenant.about')}>
        <Facts
          rows={[
            [text('field.environment'), text(`environment.${tenant.environment}`)],
            [text('field.tenantId'), tenant.tenantId],
            [
              text('field.certificate'),
              tenant.certificateIssuedAt === null ? (
                text('tenant.noCertificate')
              ) : (
                <KstTime key="certificate" at={tenant.certificateIssuedAt} precision="second" />
              ),
            ],
            [text('field.adminName'), tenant.adminName ?? <NoValue key="name" />],
            [text('field.adminEmail'), tenant.adminEmail ?? <NoValue key="email" />],
            [
              text('field.memo'),
              tenant.memo === null ? <NoValue key="memo" /> : <LongText key="memo">{tenant.memo}</LongText>,
            ],
            [text('field.createdAt'), <KstTime key="created" at={tenant.createdAt} precision="second" />],
          ]}
        />
      </Panel>
    </DetailPane>
  );
}

/** How far the tenant has applied what it has received, as it tells itself (D230). */
function Applied({ applied }: { applied: Tenant['applied'] }): ReactNode {
  const text = useText();
  return (
    <Panel title={text('applied.title')}>
      {applied === null ? (
        <p className={classes['meaning']}>{text('applied.none')}</p>
      ) : (
        <>
          <Facts
            rows={[
              [text('applied.pending'), <Quantity key="pending" value={applied.pending} />],
              [text('applied.held'), <Quantity key="held" value={applied.held} />],
              [text('applied.rejected'), <RejectedEntries key="rejected" {...applied} />],
              [text('applied.at'), <KstTime key="at" at={applied.at} precision="second" />],
            ]}
          />
          <p className={classes['meaning']}>{text('applied.note')}</p>
        </>
      )}
    </Panel>
  );
}

/** The code of the answer, with the two cases that need no table of codes in words. */
function SyncResult({ code }: { code: string | null }): ReactNode {
  const text = useText();
  if (code === null) return text('tenant.neverAsked');
  return (
    <>
      {text(code === 'COMMON200' ? 'tenant.answered' : 'tenant.refused')} <code>{code}</code>
    </>
  );
}
