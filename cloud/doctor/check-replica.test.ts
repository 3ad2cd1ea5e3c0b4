/** The doctor's check of the read replica, with a primary and its standby. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort, waitFor } from '../../test/support/process.ts';
import { startPostgresPair, type PostgresPair } from '../../test/support/postgres.ts';
import { checkReplica } from './check-replica.ts';

let pair: PostgresPair;
beforeAll(async () => {
  pair = await startPostgresPair();
});
afterAll(() => pair.stop());

test('a standby of the primary, the primary itself, nothing at that address, and no replica', async () => {
  const url = await pair.createDatabase();
  const standby = pair.standbyOf(url);
  const verdictOf = async (replica: string | undefined) =>
    (await checkReplica(url, replica)).map(({ verdict, said }) => ({ verdict, said }));
  await waitFor('the standby to have the database', async () => (await verdictOf(standby))[0]?.verdict === 'OK');
  expect(await verdictOf(standby)).toMatchObject([
    { said: expect.stringMatching(/^it is \d+ KB behind the primary$/) as string },
  ]);
  const primary = url.replace(/,[^/]*/, '').replace(/\?.*/, '');
  expect(await verdictOf(primary)).toEqual([{ verdict: 'WRONG', said: 'it is no standby' }]);
  const nowhere = `postgres://postgres@127.0.0.1:${await freePort()}/none`;
  expect(await verdictOf(nowhere)).toMatchObject([
    { verdict: 'WARN', said: expect.stringContaining('it cannot be asked') as string },
  ]);
  expect(await verdictOf(undefined)).toEqual([]);
});
