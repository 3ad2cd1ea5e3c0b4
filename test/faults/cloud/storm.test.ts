/** Fault 21: tenants that connect and pull all at once, against a real cloud process and a real PostgreSQL (D171). */
import { afterAll, expect, test } from 'vitest';
import { prepareStorm } from '../../bench/cloud/storm.ts';
import { TestFixture } from '../../support/process.ts';
import { runs } from '../../support/runs.ts';
import { sharedPostgres } from '../../support/shared-postgres.ts';

const fixture = new TestFixture();
const ends: (() => unknown)[] = [() => fixture.clear()];
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

const CONNECTIONS = runs(150, 2_000);

test(`${CONNECTIONS} connections at once: every one is made, and every pull is answered`, async () => {
  const postgres = await sharedPostgres();
  ends.push(() => postgres.stop());
  const { cloud, run } = await prepareStorm(await postgres.createDatabase(), CONNECTIONS, (name) =>
    fixture.folder(name),
  );
  ends.push(() => cloud.stop());
  const { answers, sockets } = await run();
  for (const socket of sockets) socket.destroy();
  expect(new Set(answers)).toEqual(new Set(['HTTP/1.1 200']));
});
