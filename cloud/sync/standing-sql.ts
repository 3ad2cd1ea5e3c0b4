/**
 * The statement with which every pull begins (sync protocol 4): the tenant of a certificate, its standing, and the end
 * of its records, which is enough for most pulls. The records themselves come from `entries/bundle-entries.ts`.
 *
 * Indexes: `tenant_certificate_pkey` and `tenant_pkey`.
 *
 * Written out: a pull is answered by one prepared text; measured by `bench`.
 */
import { HEAD } from '../entries/bundle-entries.ts';

/** $1 fingerprint, $2 now. No row: the certificate is unknown. */
export const STANDING = {
  name: 'sync_standing',
  text: `
select c.tenant_id, t.retention_floor, ${HEAD} as head,
  case
    when c.revoked_at is not null or t.removed_at is not null then 'REVOKED'
    when $2::timestamptz < c.not_before or $2::timestamptz > c.not_after then 'EXPIRED'
    else 'VALID'
  end as standing
from tenant_certificate c join tenant t on t.tenant_id = c.tenant_id
where c.fingerprint = $1::text`,
};
