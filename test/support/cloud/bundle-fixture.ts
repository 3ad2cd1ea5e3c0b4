/** The fixture of the bundle's tests: a store of one kind with two tenants, and pulls by the first one's certificate. */
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { Load } from '../../../cloud/publication/load.ts';
import { readLoad } from '../../../cloud/ingest/read-load.ts';
import { publish, type Outcome } from '../../../cloud/publication/publish.ts';
import type { Store } from '../../../cloud/store/open.ts';
import { pull, type PullParts } from '../../../cloud/sync/pull.ts';
import { countingIds, SetClock } from './clock.ts';
import { addTenants, AT, reset, type StoreKind } from './store.ts';

/** Fingerprint of the certificate of tenant 1. */
export const PRINT = 'ab'.repeat(32);

type Fields = Record<string, unknown>;
export interface BundleBody {
  result?: Fields & {
    entries: (Fields & { explanation_result?: Fields; source_events?: Fields[]; evidences?: Fields[] })[];
  };
}
export interface Asked {
  text: string;
  body: BundleBody;
  head: number;
  entries: number;
  to: number | null;
}

export interface BundleFixture {
  store: Store;
  parts: PullParts & { clock: SetClock };
  register(fingerprint: string, tenantId: number): Promise<unknown>;
  /** Publishes a load, or the line of one. */
  take(load: Load | string): Promise<Outcome>;
  ask(after: number, limit?: number): Promise<Asked>;
}

/** Called in a `describe`: each test finds the store emptied and the two tenants new. */
export function bundleFixture(makeKind: () => Promise<StoreKind>): BundleFixture {
  let kind: StoreKind;
  const fixture = {} as BundleFixture;
  beforeAll(async () => {
    kind = await makeKind();
    fixture.store = (await kind.open()).store;
  });
  afterAll(async () => {
    await fixture.store.close();
    await kind.stop();
  });
  beforeEach(async () => {
    await reset(fixture.store);
    const clock = new SetClock(new Date('2026-11-20T08:00:00.123Z'));
    fixture.parts = { store: fixture.store, clock, ids: countingIds(), calculations: false };
    await addTenants(fixture.store, 2);
    await fixture.register(PRINT, 1);
  });
  fixture.register = (fingerprint, tenantId) =>
    sql`insert into tenant_certificate (fingerprint, tenant_id, serial_number, subject, not_before, not_after, issued_at)
      values (${fingerprint}, ${tenantId}, '01', 'CN=t', '2026-01-01Z', '2027-01-01Z', '2026-01-01Z')`.execute(
      fixture.store.db,
    );
  fixture.take = (load) =>
    publish(fixture.store, readLoad(Buffer.from(typeof load === 'string' ? load : JSON.stringify(load))), AT);
  fixture.ask = async (after, limit = 100) => {
    const served = await pull(fixture.parts, { fingerprint: PRINT, after, limit });
    if (served.standing !== 'SERVED') throw new Error(served.standing);
    const { body, head, entries, to } = served;
    const text = body.toString();
    return { text, body: JSON.parse(text) as BundleBody, head, entries, to };
  };
  return fixture;
}
