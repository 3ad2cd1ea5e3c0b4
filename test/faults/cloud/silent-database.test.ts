/** A cloud that starts while the database accepts connections and says nothing can be stopped (D40). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPostgresProxy } from '../../support/postgres-proxy.ts';
import { waitFor } from '../../support/process.ts';
import { CloudFixture } from './cloud-fixture.ts';

let clouds: CloudFixture;
beforeAll(async () => {
  clouds = await CloudFixture.start();
});
afterAll(() => clouds.clear());

/** Statements of the start that are answered: none; those of the first connection; some of the schema's. */
test.each([0, 1, 3])('after %d statements', async (answered) => {
  const never = new Promise<never>(() => undefined);
  let asked = 0;
  const proxy = await startPostgresProxy(await clouds.initialised(), ({ number }) => {
    asked = number;
    return number > answered ? never : 'pass';
  });
  const part = clouds.begin(proxy.url);
  await waitFor('a statement without an answer', () => asked > answered);
  expect(await part.stop()).toEqual({ code: 0, signal: null });
  await proxy.close();
});
