import { beforeEach, expect, test } from 'vitest';
import { CLAIM_MS } from '../../shared/wire/console.ts';
import { ClaimKeeper, LOOK_MS } from './claim-keeper.ts';

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

test('claims at once, and gives the item free in the end', () => {
  keeper.end();
  expect(calls).toEqual(['claim', 'release']);
});

test('renews as long as somebody is there, well before a claim runs out', () => {
  expect(LOOK_MS * 2).toBeLessThan(CLAIM_MS);
  for (let look = 0; look < 4; look += 1) {
    keeper.sign();
    keeper.sign();
    keeper.look();
  }
  expect(calls).toEqual(Array(5).fill('claim'));
});

test('lets the claim run out where nobody is, and makes it anew when somebody comes back', () => {
  for (let look = 0; look < 5; look += 1) keeper.look();
  expect(calls).toEqual(['claim']);
  keeper.sign();
  expect(calls).toEqual(['claim', 'claim']);
  keeper.sign();
  expect(calls).toEqual(['claim', 'claim']);
  keeper.look();
  expect(calls).toEqual(['claim', 'claim', 'claim']);
});

test('a claim that cannot be made is tried again at the next look', async () => {
  fails = true;
  keeper.sign();
  keeper.look();
  keeper.sign();
  keeper.look();
  keeper.end();
  await Promise.resolve();
  expect(calls).toEqual(['claim', 'claim', 'claim', 'release']);
});
