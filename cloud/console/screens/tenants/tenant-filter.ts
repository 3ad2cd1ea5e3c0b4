/** The filter of the tenants, kept in the address. */
import { CONNECTION_STATUSES, type ConnectionStatus } from '../../../../shared/wire/operator/tenant-constants.ts';
import { readPage, readText, readWord, writeAddress, writePage } from '../../navigation/address.ts';
import type { TenantQuery } from '../../api/client.ts';

export const TENANTS_PAGE = 50;

export interface TenantFilter {
  status: ConnectionStatus | null;
  q: string;
  page: number;
}

export function readTenantFilter(params: URLSearchParams): TenantFilter {
  return {
    status: readWord(params.get('status'), CONNECTION_STATUSES),
    q: readText(params.get('q')),
    page: readPage(params.get('page')),
  };
}

export function writeTenantFilter({ status, q, page }: TenantFilter): string {
  return writeAddress({ status, q, page: writePage(page) });
}

/** The filter in the API's form. */
export function queryOf({ status, q, page }: TenantFilter): TenantQuery {
  return { page, size: TENANTS_PAGE, ...(status === null ? {} : { status }), ...(q === '' ? {} : { q }) };
}
