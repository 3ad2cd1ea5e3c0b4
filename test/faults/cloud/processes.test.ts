/** Three cloud processes over one PostgreSQL, which publish, withdraw and serve at the same time. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Load } from '../../../cloud/publication/load.ts';
import { live, v2 } from '../../../cloud/testing/loads.ts';
import type { Bundle } from '../../../shared/wire/bundle.ts';
import { about, CloudFixture, operatorOf, type Cloud, type Tenant } from './cloud-fixture.ts';

const PROCESSES = 3;
const TENANTS = 3;
const LOADS = 60;

let clouds: CloudFixture;
beforeAll(async () => {
  clouds = await CloudFixture.start();
});
afterAll(() => clouds.clear());

type Entry = Bundle['entries'][number];

/** A consumer that keeps nothing but its cursor, and asks another process each time. */
async function consume(tenant: Tenant, processes: Cloud[], done: () => boolean): Promise<Entry[]> {
  const entries: Entry[] = [];
  let cursor = 0;
  for (let pulls = tenant.tenantId, last = false; !last; pulls += 1) {
    last = done();
    const { bundle, head } = await tenant.pull(processes[pulls % PROCESSES] as Cloud, cursor, 1 + (pulls % 5));
    if (bundle === null) continue;
    last = false;
    expect(bundle).toMatchObject({ tenant_id: tenant.tenantId, cursor_from: cursor });
    expect(head).toBeGreaterThanOrEqual(bundle.cursor_to);
    entries.push(...bundle.entries);
    cursor = bundle.cursor_to;
  }
  return entries;
}

test('everything arrives exactly once, in one order, with cursors that ascend in commit order', async () => {
  const url = await clouds.initialised();
  const tenants: Tenant[] = [];
  for (let number = 1; number <= TENANTS; number += 1) tenants.push(await clouds.tenant(url, `tenant-${number}`));
  const processes = await Promise.all(Array.from({ length: PROCESSES }, () => clouds.cloud(url)));
  const operators = await Promise.all(processes.map(operatorOf));

  const loads: Load[] = Array.from({ length: LOADS }, (_, n) =>
    n % 6 === 5 ? v2({ key: `${n}` }) : live({ key: `${n}`, ticker: `${100_000 + (n % 7)}` }),
  );
  const idOf = (load: Load): string =>
    load.mode === 'V2' ? load.analysis.movement_analysis_id : (load.result?.explanation_result_id ?? '');
  const withdrawn = loads.filter((_, n) => n % 4 === 0).map(idOf);
  let done = false;
  const consuming = tenants.map((tenant) => consume(tenant, processes, () => done));
  // Each process has its share, and a part of another's, like an engine that repeats uncertain loads.
  const publishing = processes.map(async (cloud, own) => {
    for (const [n, load] of loads.entries()) {
      if (n % PROCESSES !== own && n % 10 !== 0) continue;
      const [line] = await cloud.load(load);
      expect(line).toMatchObject({ outcome: 'PUBLISHED' });
      const id = idOf(load);
      if (withdrawn.includes(id)) {
        // Two operators press at once, at two processes.
        const pressed = await Promise.all([0, 1].map(async (other) => operators[(own + other) % PROCESSES]?.(id)));
        expect(pressed.map((one) => one?.status).every((status) => status === 200 || status === 409)).toBe(true);
      }
    }
  });
  await Promise.all(publishing).finally(() => {
    done = true;
  });
  const received = await Promise.all(consuming);

  const expected = [...loads.map((load) => `NEW ${idOf(load)}`), ...withdrawn.map((id) => `INVALIDATION ${id}`)];
  for (const entries of received) {
    expect(entries.map(({ cursor }) => cursor)).toEqual(entries.map((_, index) => index + 1));
    expect(entries.map(about).toSorted()).toEqual(expected.toSorted());
    for (const id of withdrawn) {
      const order = entries.map(about);
      expect(order.indexOf(`INVALIDATION ${id}`)).toBeGreaterThan(order.indexOf(`NEW ${id}`));
    }
  }
  // The order of commits is the same for every tenant.
  expect(received[1]?.map(about)).toEqual(received[0]?.map(about));
  expect(received[2]?.map(about)).toEqual(received[0]?.map(about));
  for (const tenant of tenants) tenant.close();
  for (const { part } of processes) expect(await part.stop()).toEqual({ code: 0, signal: null });
});
