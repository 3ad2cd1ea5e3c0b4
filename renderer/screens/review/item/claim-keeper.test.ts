import { beforeEach, expect, test } from 'vitest';
import { CLAIM_MS } from '../../../../shared/wire/console/console.ts';
import { ClaimKeeper, CHECK_MS } from './claim-keeper.ts';

let calls: string[];
let fails: boolean;
let keeper: ClaimKeeper;

beforeEach(() => {
  calls = [];
  fails = false;
  const call = (name: string) => (): Promise<unknown> => {
    calls.push(name);
    return fails ? Promise.reject(new Error('no answer')) : Promise.resolve();
  };
  keeper = new ClaimKeeper({ claim: call('claim'), release: call('release') });
});
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

test('claims an item that stays in view, and releases it at the end', async () => {
  keeper.begin();
  keeper.end();
  await settled();
  expect(calls).toEqual(['claim', 'release']);
});

test('an item that is only walked past is neither claimed nor released', async () => {
  keeper.sign();
  keeper.leave();
  keeper.end();
  await settled();
  expect(calls).toEqual([]);
});

test('releases a claim only after it has arrived', async () => {
  const arrived = Promise.withResolvers<undefined>();
  keeper = new ClaimKeeper({
    claim: () => arrived.promise.then(() => calls.push('claim')),
    release: async () => calls.push('release'),
  });
  keeper.begin();
  keeper.end();
  await settled();
  expect(calls).toEqual([]);
  arrived.resolve(undefined);
  await settled();
  expect(calls).toEqual(['claim', 'release']);
});

test('renews while a user is present, well before a claim expires', () => {
  expect(CHECK_MS * 2).toBeLessThan(CLAIM_MS);
  keeper.begin();
  for (let look = 0; look < 4; look += 1) {
    keeper.sign();
    keeper.sign();
    keeper.check();
  }
  expect(calls).toEqual(Array(5).fill('claim'));
});

test('lets the claim expire without a user present, and claims again when the user returns', () => {
  keeper.begin();
  for (let check = 0; check < 5; check += 1) keeper.check();
  expect(calls).toEqual(['claim']);
  keeper.sign();
  expect(calls).toEqual(['claim', 'claim']);
  keeper.sign();
  expect(calls).toEqual(['claim', 'claim']);
  keeper.check();
  expect(calls).toEqual(['claim', 'claim', 'claim']);
});

test('a page that is left releases at once, and claims again when it returns to a user', () => {
  keeper.begin();
  keeper.leave();
  expect(calls).toEqual(['claim', 'release']);
  keeper.sign();
  expect(calls).toEqual(['claim', 'release', 'claim']);
});

test('a failed claim is tried again at the next check', async () => {
  fails = true;
  keeper.begin();
  keeper.sign();
  keeper.check();
  keeper.sign();
  keeper.check();
  keeper.end();
  await settled();
  expect(calls).toEqual(['claim', 'claim', 'claim', 'release']);
});
