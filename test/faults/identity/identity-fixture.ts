/**
 * The setup for the faults of identity (23 to 27): the bundle endpoint itself over an embedded store with two tenants,
 * a relay as a process, and an Intake that pulls at the test's call. All certificates and sockets are real.
 */
import type { KeyObject } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { expect } from 'vitest';
import { applyNext } from '../../../agent/intake/apply/apply.ts';
import { createUpstream, type Identity, type Upstream } from '../../../agent/intake/receive/pull.ts';
import { pullOnce } from '../../../agent/intake/receive/reception.ts';
import type { Verification } from '../../../agent/intake/receive/statement.ts';
import { createEntryScreening } from '../../../agent/intake/apply/screening.ts';
import { readableLog } from '../../support/agent/intake.ts';
import { openLedger, type Ledger } from '../../../agent/ledger/storage/ledger.ts';
import { sqlite } from '../../../agent/ledger/storage/query.ts';
import { syncStatus } from '../../../agent/ledger/inbox/sync-state.ts';
import { certificateFacts } from '../../../cloud/pki/certificates.ts';
import { registerCertificate } from '../../../cloud/pki/registry.ts';
import { publish } from '../../../cloud/publication/publish.ts';
import type { Store } from '../../../cloud/store/open.ts';
import { createSyncServer, type SyncParts } from '../../../cloud/sync/server.ts';
import { live, read } from '../../support/cloud/loads.ts';
import { addTenants, AT, postgresKind } from '../../support/cloud/store.ts';
import { syncParts } from '../../support/cloud/sync-parts.ts';
import { systemClock, systemIds, type Clock } from '../../../shared/time/clock.ts';
import type { SyncStatus } from '../../../shared/wire/console/console.ts';
import type { Bundle } from '../../../shared/wire/bundle.ts';
import { BUNDLE_PATH } from '../../../shared/wire/bundle-endpoint.ts';
import { tlsClient } from '../../support/cloud/tls.ts';
import { makeAuthority, writePair, writeWhole, type Authority, type Issued } from '../../support/pki.ts';
import { verificationBy, type VendorKey } from '../../support/vendor-key.ts';

type Tls = SyncParts['tls'];

/** The vendor's side. */
export class IdentityCloud {
  readonly store: Store;
  readonly authority: Authority;
  readonly parts: ReturnType<typeof syncParts>;
  server: FastifyInstance | null = null;
  port = 0;
  /** The cloud's clock. */
  clock: Clock = systemClock;
  #loads = 0;

  private constructor(store: Store, authority: Authority) {
    this.store = store;
    this.authority = authority;
    this.parts = syncParts(store);
  }

  /** With the tenants 1 and 2, listening. */
  static async open(): Promise<IdentityCloud> {
    const { store } = await (await postgresKind()).open();
    await addTenants(store, 2);
    const cloud = new IdentityCloud(store, await makeAuthority('vendor'));
    await cloud.listen();
    return cloud;
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  /** The default certificate, and the authorities of accepted clients. */
  async tls(): Promise<Tls> {
    const { cert, key } = await this.authority.server();
    return { cert, key, clientCa: this.authority.ca };
  }

  /** On the port that it had before, if any. */
  async listen(changes: { tls?: Tls; signingKey?: KeyObject; waitPace?: SyncParts['waitPace'] } = {}): Promise<void> {
    await this.hangUp();
    const { signingKey, waitPace } = changes;
    this.server = createSyncServer({
      ...this.parts,
      clock: { now: () => this.clock.now() },
      ids: systemIds,
      log: false,
      tls: changes.tls ?? (await this.tls()),
      signingKey: signingKey === undefined ? null : () => signingKey,
      ...(waitPace === undefined ? {} : { waitPace }),
    });
    await this.server.listen({ host: '127.0.0.1', port: this.port });
    this.port = (this.server.server.address() as AddressInfo).port;
  }

  /** From the next connection on another certificate and other authorities, without a restart. */
  show({ cert, key, clientCa }: Tls): void {
    const server = this.server?.server;
    if (!(server instanceof TlsServer)) throw new Error('the cloud does not listen');
    server.setSecureContext({ cert, key, ca: clientCa, minVersion: 'TLSv1.2' });
  }

  async hangUp(): Promise<void> {
    const { server } = this;
    this.server = null;
    if (server === null) return;
    const closed = server.close();
    server.server.closeAllConnections();
    await closed;
  }

  /** Makes a tenant's certificate known (D29). */
  async register(tenantId: number, issued: Pick<Issued, 'cert'>): Promise<void> {
    await registerCertificate(this.store.db, tenantId, certificateFacts(issued.cert), new Date());
  }

  async issue(tenantId: number, authority = this.authority): Promise<Issued> {
    const issued = await authority.client({ name: `tenant ${tenantId}` });
    await this.register(tenantId, issued);
    return issued;
  }

  /** Publishes so many more, to both tenants. */
  async publishMore(count: number): Promise<void> {
    for (let more = 0; more < count; more++) {
      this.#loads += 1;
      await publish(this.store, read(live({ key: `k${this.#loads}` })), AT);
    }
  }

  /** Everything that a tenant has, as the cloud itself answers it. */
  async everything(client: Issued): Promise<Bundle> {
    const direct = tlsClient({ ca: this.authority.ca, client });
    try {
      const { envelope } = await direct.get(`${this.url}${BUNDLE_PATH}?after=0&limit=500`);
      return envelope.result as Bundle;
    } finally {
      direct.close();
    }
  }

  async close(): Promise<void> {
    await this.hangUp();
    await this.parts.pullLog.flush();
    await this.store.close();
  }
}

/** The variables of a relay, with its files `relay.crt`, `relay.key` and `ca.crt` in a folder. */
export function relayEnvironment(cloud: IdentityCloud, folder: string, shown: Issued): Record<string, string> {
  const files = writePair(folder, 'relay', shown);
  return {
    CAUSEWAY_RELAY_LISTEN: '127.0.0.1:0',
    CAUSEWAY_RELAY_UPSTREAM: cloud.url,
    CAUSEWAY_RELAY_CERT: files.cert,
    CAUSEWAY_RELAY_KEY: files.key,
    CAUSEWAY_RELAY_CA: writeWhole(folder, 'ca.crt', cloud.authority.ca),
  };
}

export interface TenantOptions {
  identity?: Identity;
  /** The vendor of the statements that the Intake accepts; absent: any answer. */
  vendorKey?: VendorKey;
  /** The tenant of the ledger; absent: the first bundle names it. */
  tenantId?: number;
  clock?: Clock;
}

/** The tenant's Intake, one pull at a time. */
export class Tenant {
  readonly ledger: Ledger;
  readonly #upstream: Upstream;
  readonly #verification: Verification | null;
  readonly #clock: Clock;
  readonly #tenantId: number | null;
  readonly #log = readableLog().log;

  constructor(file: string, upstream: string, options: TenantOptions = {}) {
    const { identity = {}, vendorKey, tenantId = null, clock = systemClock } = options;
    this.ledger = openLedger(file);
    this.#upstream = createUpstream(new URL(upstream), identity);
    this.#verification = vendorKey === undefined ? null : verificationBy(vendorKey);
    this.#clock = clock;
    this.#tenantId = tenantId;
  }

  /** Pulls at most three records and applies them. */
  async pull(): Promise<SyncStatus> {
    const { ledger } = this;
    const clock = this.#clock;
    const signal = new AbortController().signal;
    const { pull } = this.#upstream;
    const [log, verification, tenantId] = [this.#log, this.#verification, this.#tenantId];
    await pullOnce({ ledger, pull, clock, log, limit: 3, periodMs: 60_000, verification, tenantId }, signal);
    const screenEntry = createEntryScreening(this.#log);
    while (applyNext({ ledger, screenEntry, clock, log: this.#log }));
    return syncStatus(ledger, clock.now());
  }

  /** A pull that must bring nothing: the cursors stay, and the status gives the reason (D55). */
  async pullsInVain(left: { state: SyncStatus['state']; code: string; message?: RegExp }): Promise<void> {
    const before = syncStatus(this.ledger, new Date());
    const status = await this.pull();
    expect(status).toMatchObject({
      state: left.state,
      committedCursor: before.committedCursor,
      appliedCursor: before.appliedCursor,
      lastSuccessAt: before.lastSuccessAt,
      lastError: { code: left.code },
    });
    if (left.message !== undefined) expect(status.lastError?.message).toMatch(left.message);
  }

  /** Pulls until nothing is new, and compares the ledger with the cloud: no hole, nothing twice, no record of another tenant. */
  async catchUp(cloud: IdentityCloud, client: Issued): Promise<void> {
    const truth = await cloud.everything(client);
    for (let pulls = 0; syncStatus(this.ledger, new Date()).committedCursor < truth.cursor_to && pulls < 100; pulls++)
      await this.pull();
    expect(await this.pull()).toMatchObject({
      state: 'OK',
      committedCursor: truth.cursor_to,
      appliedCursor: truth.cursor_to,
      head: truth.cursor_to,
    });
    const raw = this.ledger.all(sqlite.selectFrom('raw_bundle').selectAll().orderBy('cursor_from'));
    expect(raw.map((row) => row.cursor_from)).toEqual([0, ...raw.slice(0, -1).map((row) => row.cursor_to)]);
    const bundles = raw.map(({ body }) => (JSON.parse(Buffer.from(body).toString()) as { result: Bundle }).result);
    expect(bundles.flatMap((bundle) => bundle.entries)).toEqual(truth.entries);
    expect(new Set(bundles.map((bundle) => bundle.tenant_id))).toEqual(new Set([truth.tenant_id]));
    expect(this.ledger.all(sqlite.selectFrom('explanation').select('id'))).toHaveLength(truth.entries.length);
  }

  async close(): Promise<void> {
    await this.#upstream.close();
    this.ledger.close();
  }
}
