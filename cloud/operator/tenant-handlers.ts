/** The rows about tenants (operator API 4). */
import { z } from 'zod';
import { ApiError, success } from '../../shared/wire/envelope.ts';
import { CONNECTION_STATUSES, ENVIRONMENTS, TENANT_LIMITS } from '../../shared/wire/operator/tenant-constants.ts';
import type { Clock } from '../../shared/time/clock.ts';
import { TenantNameTakenError } from '../pki/registry.ts';
import type { Store } from '../store/open.ts';
import { operatorOf, recordActivity } from '../accounts/activity-log.ts';
import { line, paging, read, search, shownName, writtenText, type Handlers } from '../accounts/request.ts';
import { createTenant, listTenants } from './tenants.ts';

export const tenantsQuery = z.strictObject({
  ...paging,
  status: z
    .enum(CONNECTION_STATUSES, `must be one of ${CONNECTION_STATUSES.join(', ')}`)
    .nullable()
    .default(null)
    .meta({ type: 'string', enum: CONNECTION_STATUSES }),
  q: search,
});

/** Letters of any script on both sides (RFC 6531): the mail system decides whether it delivers. */
const MAIL_ADDRESS =
  /^[^\s@"<>(),:;\\[\]]{1,64}@(?:[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]{0,61}[\p{L}\p{N}\p{M}])?\.)+[\p{L}\p{N}\p{M}-]{2,63}$/u;

export const newTenantBody = z.strictObject(
  {
    name: shownName(TENANT_LIMITS.name),
    environment: z.enum(ENVIRONMENTS, `must be one of ${ENVIRONMENTS.join(', ')}`),
    adminName: shownName(TENANT_LIMITS.adminName),
    adminEmail: line(TENANT_LIMITS.adminEmail).pipe(
      z.email({ pattern: MAIL_ADDRESS, error: 'must be an e-mail address, as name@company.example' }),
    ),
    memo: writtenText(TENANT_LIMITS.memo)
      .transform((value) => (value === '' ? null : value))
      .nullable()
      .default(null),
  },
  'must be an object with the fields of a tenant and no others',
);

export function tenantHandlers({
  store,
  clock,
}: {
  store: Store;
  clock: Clock;
}): Pick<Handlers, 'GET /api/v1/tenants' | 'POST /api/v1/tenants'> {
  return {
    'GET /api/v1/tenants': async (request) => {
      const filter = read('query', tenantsQuery, request.query);
      const { items, total, notConnected } = await listTenants(store.db, filter, clock.now());
      return success({ items, page: filter.page, size: filter.size, total, notConnected });
    },
    'POST /api/v1/tenants': async (request, _reply, principal, confirm) => {
      const input = read('body', newTenantBody, request.body);
      try {
        const at = clock.now();
        const actor = operatorOf(request, principal);
        return success(
          await store.transaction(async (trx) => {
            await confirm(trx);
            const made = await createTenant(trx, input, at);
            const targetId = String(made.tenantId);
            await recordActivity(trx, { at, actor, type: 'TENANT_ADDED', targetType: 'TENANT', targetId });
            return made;
          }),
        );
      } catch (error) {
        if (!(error instanceof TenantNameTakenError)) throw error;
        throw new ApiError('COMMON409', error.message, [
          { path: 'body.name', message: 'is, or looks like, the name of another tenant' },
        ]);
      }
    },
  };
}
