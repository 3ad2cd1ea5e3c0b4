/** The form of a new tenant as it is typed, and its faults. */
import type { ApiProblem } from '../../../../shared/ui/http/request.ts';
import type { Environment, NewTenant } from '../../../../shared/wire/operator/tenant-constants.ts';

export const TENANT_FIELDS = ['name', 'environment', 'adminName', 'adminEmail', 'memo'] as const;
export type TenantField = (typeof TENANT_FIELDS)[number];

/** One text per field. */
export type TypedTenant = Record<Exclude<TenantField, 'environment'>, string> & { environment: Environment | '' };

export const EMPTY_TENANT: TypedTenant = { name: '', environment: '', adminName: '', adminEmail: '', memo: '' };

export type Fault = 'missing' | 'email' | 'taken' | 'refused';
export type Faults = Partial<Record<TenantField, Fault>>;

/** The API's form of the input, or the missing fields; the API checks the other rules. */
export function newTenantOf(typed: TypedTenant): NewTenant | { faults: Faults } {
  const [name, adminName, adminEmail, memo] = [typed.name, typed.adminName, typed.adminEmail, typed.memo].map((value) =>
    value.trim(),
  ) as [string, string, string, string];
  const { environment } = typed;
  if (name !== '' && environment !== '' && adminName !== '' && /^[^\s@]+@[^\s@]+$/.test(adminEmail))
    return { name, environment, adminName, adminEmail, memo: memo === '' ? null : memo };
  return {
    faults: {
      ...(name === '' ? { name: 'missing' } : {}),
      ...(environment === '' ? { environment: 'missing' } : {}),
      ...(adminName === '' ? { adminName: 'missing' } : {}),
      ...(adminEmail === ''
        ? { adminEmail: 'missing' }
        : /^[^\s@]+@[^\s@]+$/.test(adminEmail)
          ? {}
          : { adminEmail: 'email' }),
    },
  };
}

/** The fields that the API has refused; empty for a refusal without a field. */
export function faultsOf(problem: ApiProblem): Faults {
  const fields = TENANT_FIELDS.filter((name) => problem.fieldErrors.some(({ path }) => path === `body.${name}`));
  return Object.fromEntries(
    fields.map((name): [TenantField, Fault] => [
      name,
      problem.status === 409 ? 'taken' : name === 'adminEmail' ? 'email' : 'refused',
    ]),
  );
}
