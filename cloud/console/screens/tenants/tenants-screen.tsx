import { Button, NativeSelect } from '@mantine/core';
import { Fragment, useMemo, type ReactNode } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { FilterBar, ListFoot, ListRow, ListScreen, ListTable } from '../../../../shared/ui/list/list-screen.tsx';
import { useOpenId } from '../../../../shared/ui/frame/open-id.ts';
import { EmptyState, Loaded } from '../../../../shared/ui/parts/data-state.tsx';
import { SearchField } from '../../../../shared/ui/parts/search-field.tsx';
import { KstDate, KstShortTime } from '../../../../shared/ui/time/times.tsx';
import { useNow } from '../../../../shared/ui/time/use-now.ts';
import { CONNECTION_STATUSES } from '../../../../shared/wire/operator/tenant-constants.ts';
import type { Tenant } from '../../../../shared/wire/operator/tenants.ts';
import { WithdrawalsLine } from '../../verdicts/withdrawals-line.tsx';
import { readWord } from '../../navigation/address.ts';
import { useOperator } from '../../api/operator-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import { CsvButton } from '../../lists/csv-button.tsx';
import { allOf, timeCell } from '../../lists/csv.ts';
import { LiveBar } from '../../live/live-bar.tsx';
import { Quantity } from '../../runs/quantity.tsx';
import { useLive } from '../../live/refresh.tsx';
import { queryOf, readTenantFilter, TENANTS_PAGE, writeTenantFilter, type TenantFilter } from './tenant-filter.ts';
import { TenantDetail } from './tenant-detail.tsx';
import { TenantForm } from './tenant-form.tsx';
import { NotApplied } from '../../verdicts/applied.tsx';
import { shownName } from '../../verdicts/tenant-name.tsx';
import { ConnectionBadge, connectionOf, Waiting } from './tenant-values.tsx';
import classes from './tenants.module.css';

const PLACE = '/tenants';
/** The address of the form; no tenant has this number. */
const NEW = 'new';

/** Tenants (operator API 1): their data and the state of their sync channels. Suspension and keys are commands. */
export function TenantsScreen(): ReactNode {
  const text = useText();
  const { api, queries } = useOperator();
  const now = useNow(60_000);
  const [, navigate] = useLocation();
  const open = useOpenId();
  const addressed = useSearch();
  const filter = useMemo(() => readTenantFilter(new URLSearchParams(addressed)), [addressed]);
  const search = writeTenantFilter(filter);
  const list = useLive(queries.tenants(queryOf(filter)));
  const isNarrowed = filter.status !== null || filter.q !== '';

  const hrefOf = (id: string | null): string => `${id === null ? PLACE : `${PLACE}/${id}`}${search}`;
  const change = (changes: Partial<TenantFilter>): void =>
    navigate(`${open === null ? PLACE : `${PLACE}/${open}`}${writeTenantFilter({ ...filter, page: 1, ...changes })}`);
  const close = (): void => navigate(hrefOf(null));

  return (
    <ListScreen
      title={text('nav.tenants')}
      aside={<LiveBar query={list} />}
      tools={
        <FilterBar isNarrowed={isNarrowed} onReset={() => change({ status: null, q: '' })}>
          <SearchField value={filter.q} label={text('tenants.search')} onChange={(q) => change({ q })} />
          <NativeSelect
            aria-label={text('field.connection')}
            value={filter.status ?? ''}
            data={[
              { value: '', label: text('tenants.status.all') },
              ...CONNECTION_STATUSES.map((status) => ({ value: status, label: text(`connection.${status}`) })),
            ]}
            onChange={({ currentTarget: { value } }) => change({ status: readWord(value, CONNECTION_STATUSES) })}
          />
          <Button onClick={() => navigate(hrefOf(NEW))} disabled={open === NEW}>
            {text('tenants.new')}
          </Button>
        </FilterBar>
      }
      tableLabel={text('tenants.table')}
      foot={
        list.data !== undefined && (
          <ListFoot
            count={text('tenants.total', { total: list.data.total })}
            tools={
              <CsvButton
                name="tenants"
                rows={() => allOf((page, size) => api.tenants({ ...queryOf(filter), page, size }))}
                columns={[
                  [text('field.tenantId'), ({ tenantId }) => tenantId],
                  [text('field.tenant'), ({ name }) => name],
                  [text('field.environment'), ({ environment }) => text(`environment.${environment}`)],
                  [text('field.connection'), (tenant) => text(`connection.${connectionOf(tenant, now)}`)],
                  [text('field.lastEventSyncZone'), ({ lastEventSyncAt }) => timeCell(lastEventSyncAt)],
                  [text('field.waiting'), ({ waitingCount }) => waitingCount],
                  [text('tenants.csv.waitingSince'), ({ waitingSince }) => timeCell(waitingSince)],
                  [text('field.delivered24h'), ({ deliveredLast24h }) => deliveredLast24h],
                  [text('field.invalidations24h'), ({ invalidationsLast24h }) => invalidationsLast24h],
                  [text('field.createdAtZone'), ({ createdAt }) => timeCell(createdAt)],
                ]}
              />
            }
            pages={Math.ceil(list.data.total / TENANTS_PAGE)}
            page={filter.page}
            onPage={(page) => change({ page })}
          />
        )
      }
      onClosePanel={close}
      detail={
        open === null ? null : open === NEW ? (
          <TenantForm onClose={close} onCreated={({ tenantId }) => navigate(hrefOf(String(tenantId)))} />
        ) : (
          <TenantDetail id={open} onClose={close} />
        )
      }
    >
      <WithdrawalsLine withGood />
      <Loaded query={list}>
        {({ items, total, notConnected }) =>
          items.length === 0 ? (
            <EmptyState
              title={text(total > 0 ? 'tenants.emptyPage' : isNarrowed ? 'tenants.emptyFiltered' : 'tenants.empty')}
            >
              {total > 0 && (
                <Button variant="default" onClick={() => change({ page: 1 })}>
                  {text('list.firstPage')}
                </Button>
              )}
            </EmptyState>
          ) : (
            <TenantsTable
              items={items}
              notConnected={notConnected}
              open={open}
              hrefOf={hrefOf}
              onOpen={(id) => navigate(hrefOf(id))}
            />
          )
        }
      </Loaded>
    </ListScreen>
  );
}

interface TenantsTableProps {
  items: readonly Tenant[];
  notConnected: number;
  open: string | null;
  hrefOf: (id: string) => string;
  onOpen: (id: string) => void;
}

/**
 * One row per tenant, with the columns of operator API 2 in their order, and the counts of a day. Those that never
 * connected stand last, under a line of their own.
 */
function TenantsTable({ items, notConnected, open, hrefOf, onOpen }: TenantsTableProps): ReactNode {
  const text = useText();
  const firstNever = items.find(({ connectionStatus }) => connectionStatus === 'NOT_CONNECTED');
  return (
    <ListTable label={text('tenants.table')}>
      <thead>
        <tr>
          <th scope="col">{text('field.tenant')}</th>
          <th scope="col" data-leaves="second">
            {text('field.environment')}
          </th>
          <th scope="col">{text('field.connection')}</th>
          <th scope="col">{text('field.lastEventSyncZone')}</th>
          <th scope="col">{text('field.waiting')}</th>
          <th scope="col" data-number data-leaves="first">
            {text('field.delivered24h')}
          </th>
          <th scope="col" data-number data-leaves="first">
            {text('field.invalidations24h')}
          </th>
          <th scope="col" data-leaves="first">
            {text('field.createdAtZone')}
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map((tenant) => {
          const id = String(tenant.tenantId);
          return (
            <Fragment key={id}>
              {tenant === firstNever && (
                <tr className={classes['neverRow']}>
                  <th scope="rowgroup" colSpan={8}>
                    {text('tenants.never', { count: notConnected })}
                  </th>
                </tr>
              )}
              <ListRow isOpen={id === open} onOpen={() => onOpen(id)}>
                <th scope="row">
                  <Link href={hrefOf(id)}>{shownName(tenant)}</Link>
                </th>
                <td data-leaves="second">{text(`environment.${tenant.environment}`)}</td>
                <td>
                  <ConnectionBadge tenant={tenant} />
                </td>
                <td>
                  <KstShortTime at={tenant.lastEventSyncAt} />
                </td>
                <td>
                  <Waiting tenant={tenant} />
                  <NotApplied applied={tenant.applied} />
                </td>
                <td data-number data-leaves="first">
                  <Quantity value={tenant.deliveredLast24h} />
                </td>
                <td data-number data-leaves="first">
                  <Quantity value={tenant.invalidationsLast24h} />
                </td>
                <td data-leaves="first">
                  <KstDate at={tenant.createdAt} />
                </td>
              </ListRow>
            </Fragment>
          );
        })}
      </tbody>
    </ListTable>
  );
}
