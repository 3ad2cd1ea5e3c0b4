/** Tenants and the certificates that identify them (D29), in the store. */
import { sql } from 'kysely';
import type { Db } from '../store/open.ts';
import { NEWS_CHANNEL } from '../publication/fan-out.ts';
import { findPosition } from '../publication/retention.ts';
import { lookOf } from '../publication/alike-names.ts';
import type { CertificateFacts } from './certificates.ts';

export interface TenantInput {
  name: string;
  environment: 'POC' | 'PRODUCTION';
  /** The contact for the tenant's first account, and a note; the operator API gives them. */
  adminName?: string;
  adminEmail?: string;
  memo?: string | null;
}

export interface TenantRow {
  tenantId: number;
  name: string;
  environment: 'POC' | 'PRODUCTION';
  createdAt: Date;
}

export interface RegisteredCertificate extends CertificateFacts {
  tenantId: number;
  issuedAt: Date;
  revokedAt: Date | null;
}

/** A name or id of the command line that does not match the store. */
export class RegistryError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'RegistryError';
  }
}

/** Another existing tenant of the environment has the name, or one that looks like it. */
export class TenantNameTakenError extends RegistryError {
  constructor(name: string, other: { tenantId: number; name: string }) {
    super(
      other.name === name
        ? `There is a tenant named ${name} already.`
        : `The name ${name} looks like that of tenant ${other.tenantId}, ${other.name}.`,
    );
    this.name = 'TenantNameTakenError';
  }
}

/**
 * Adds a tenant whose name no eye takes for another one's of the environment (D225). In a transaction: names are compared
 * under a lock.
 * @throws TenantNameTakenError
 */
export async function addTenant(db: Db, input: TenantInput, at: Date): Promise<TenantRow> {
  await sql`select pg_advisory_xact_lock(hashtextextended('tenant-name', 0))`.execute(db);
  const look = lookOf(input.name);
  const other = (await listTenants(db)).find(
    ({ name, environment }) => environment === input.environment && lookOf(name) === look,
  );
  if (other !== undefined) throw new TenantNameTakenError(input.name, other);
  const row = await db
    .insertInto('tenant')
    .values({
      name: input.name,
      environment: input.environment,
      admin_name: input.adminName ?? null,
      admin_email: input.adminEmail ?? null,
      memo: input.memo ?? null,
      created_at: at,
      removed_at: null,
    })
    .returning('tenant_id')
    .executeTakeFirstOrThrow();
  return { tenantId: row.tenant_id, name: input.name, environment: input.environment, createdAt: at };
}

/** All existing tenants, oldest first. */
export async function listTenants(db: Db): Promise<TenantRow[]> {
  const rows = await db.selectFrom('tenant').selectAll().where('removed_at', 'is', null).orderBy('tenant_id').execute();
  return rows.map((row) => ({
    tenantId: row.tenant_id,
    name: row.name,
    environment: row.environment,
    createdAt: row.created_at,
  }));
}

export interface TenantRemoval {
  tenantId: number;
  name: string;
  removedAt: Date;
  /** Stored records that the tenant has not confirmed. */
  unconfirmedRecords: number;
}

/**
 * Removes a tenant for good. From the next request on its certificates are answered SYNC4031, and no fan-out reaches
 * it. Its records and pulls stay in the store as evidence of its deliveries; its number is never given out again, its
 * name may be.
 *
 * @throws RegistryError when there is no such tenant, or it has another name
 */
export async function removeTenant(db: Db, tenantId: number, name: string, at: Date): Promise<TenantRemoval> {
  const tenant = await requireTenant(db, tenantId);
  // Earlier versions kept blanks around a name.
  if (tenant.name.trim() !== name) {
    throw new RegistryError(
      `Tenant ${tenantId} is named ${tenant.name}, not ${name}: a removal is for good, so both must fit.`,
    );
  }
  const position = await findPosition(db, tenantId);
  const removed = await db
    .updateTable('tenant')
    .set({ removed_at: at })
    .where('tenant_id', '=', tenantId)
    .where('removed_at', 'is', null)
    .executeTakeFirst();
  if (position === null || removed.numUpdatedRows !== 1n)
    throw new RegistryError(`There is no tenant ${tenantId}: see "tenant list".`);
  await notifyRevocation(db);
  const { head, retentionFloor, confirmedCursor } = position;
  return { tenantId, name, removedAt: at, unconfirmedRecords: head - Math.max(confirmedCursor, retentionFloor) };
}

/** @throws RegistryError without such a tenant */
export async function requireTenant(db: Db, tenantId: number): Promise<TenantRow> {
  const found = (await listTenants(db)).find((tenant) => tenant.tenantId === tenantId);
  if (found === undefined) throw new RegistryError(`There is no tenant ${tenantId}: see "tenant list".`);
  return found;
}

export async function registerCertificate(db: Db, tenantId: number, facts: CertificateFacts, at: Date): Promise<void> {
  await db
    .insertInto('tenant_certificate')
    .values({
      fingerprint: facts.fingerprint,
      tenant_id: tenantId,
      serial_number: facts.serialNumber,
      subject: facts.subject,
      not_before: facts.notBefore,
      not_after: facts.notAfter,
      issued_at: at,
      revoked_at: null,
    })
    .execute();
}

/** Certificates, newest first; of one tenant when it is given. */
export async function listCertificates(db: Db, tenantId: number | null): Promise<RegisteredCertificate[]> {
  let query = db.selectFrom('tenant_certificate').selectAll().orderBy('issued_at', 'desc').orderBy('fingerprint');
  if (tenantId !== null) query = query.where('tenant_id', '=', tenantId);
  return (await query.execute()).map((row) => ({
    fingerprint: row.fingerprint,
    serialNumber: row.serial_number,
    subject: row.subject,
    notBefore: row.not_before,
    notAfter: row.not_after,
    tenantId: row.tenant_id,
    issuedAt: row.issued_at,
    revokedAt: row.revoked_at,
  }));
}

/** Revokes for good; from the next request on it is refused. @throws RegistryError for an unknown or revoked one */
export async function revokeCertificate(db: Db, fingerprint: string, at: Date): Promise<void> {
  const revoked = await db
    .updateTable('tenant_certificate')
    .set({ revoked_at: at })
    .where('fingerprint', '=', fingerprint)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  if (revoked.numUpdatedRows !== 1n)
    throw new RegistryError(`No valid certificate has the fingerprint ${fingerprint}: see "certificate list".`);
  await notifyRevocation(db);
}

/** Pulls that wait with a certificate that has just lost its standing are ended at once (D223). */
async function notifyRevocation(db: Db): Promise<void> {
  await sql`select pg_notify(${NEWS_CHANNEL}, 'CERTIFICATE')`.execute(db);
}
