/** Certificates and keys are replaced while everything runs: the relay's, the server's, the signing key, the authority. */
import { setTimeout as pause } from 'node:timers/promises';
import { now } from './recorder.ts';
import type { TenantHost } from './tenant-host.ts';
import type { Vendor } from './vendor.ts';

/** The parts look at their files about once a second. */
const STEP_MS = 4_000;
/** A step whose answer was lost has been taken. */
const IS_TAKEN = /There is no next|Only one is trusted|No valid certificate has the fingerprint/;
let turn: Promise<void> = Promise.resolve();

/** One replacement at a time: the steps of two would meet in the same files. */
function afterOthers(work: () => Promise<void>): Promise<void> {
  turn = turn.then(work, work);
  return turn;
}

/** Another certificate for the relay; the one before it is revoked when the relay has had time to take it. */
export const renew = (host: TenantHost, vendor: Vendor): Promise<void> =>
  afterOthers(async () => {
    const { fingerprint } = host;
    await host.renewCertificate();
    await pause(STEP_MS);
    await vendor.command(() => ['certificate', 'revoke', '--fingerprint', fingerprint], IS_TAKEN);
  });

export const replaceServerCertificate = (vendor: Vendor): Promise<void> =>
  afterOthers(async () => void (await vendor.command(() => ['certificate', 'server'])));

export const replaceSigningKey = (vendor: Vendor): Promise<void> =>
  afterOthers(async () => {
    const rotation = { begin: now(), end: Number.POSITIVE_INFINITY };
    vendor.rotations.push(rotation);
    for (const step of ['next', 'switch', 'retire']) {
      await vendor.command(() => ['signing-key', step], IS_TAKEN);
      await pause(STEP_MS);
    }
    rotation.end = now();
  });

/** Another authority: trusted by both sides, then in use on both sides, then alone. */
export const replaceAuthority = (hosts: readonly TenantHost[], vendor: Vendor): Promise<void> =>
  afterOthers(async () => {
    await vendor.command(() => ['authority', 'next'], IS_TAKEN);
    // Relays follow the file of the authorities; a reader has read it once.
    vendor.tenants.forEach((_, index) => vendor.connectReader(index));
    await pause(STEP_MS);
    await vendor.command(() => ['authority', 'switch'], IS_TAKEN);
    await vendor.command(() => ['certificate', 'server']);
    for (const host of hosts) await host.renewCertificate();
    const readers: string[] = [];
    for (const index of vendor.tenants.keys()) readers.push(await vendor.renewReader(index));
    await pause(STEP_MS);
    const inUse = new Set([...hosts.map(({ fingerprint }) => fingerprint), ...readers]);
    const { certificates } = JSON.parse(await vendor.command(() => ['certificate', 'list'])) as {
      certificates: { fingerprint: string; revokedAt: string | null }[];
    };
    for (const { fingerprint, revokedAt } of certificates)
      if (revokedAt === null && !inUse.has(fingerprint))
        await vendor.command(() => ['certificate', 'revoke', '--fingerprint', fingerprint], IS_TAKEN);
    await vendor.command(() => ['authority', 'retire'], IS_TAKEN);
    vendor.tenants.forEach((_, index) => vendor.connectReader(index));
  });
