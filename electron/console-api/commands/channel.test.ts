/**
 * Channels are set up on the ledger's host, and their keys count from the provision API's next request on (D20, D57).
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { channelOfKey } from '../../../agent/ledger/serving/channels.ts';
import { verifyChain } from '../../../agent/ledger/audit/audit.ts';
import { runChannelCommand } from './channel.ts';
import { commandName } from '../../../shared/service/command-actor.ts';
import { TestConsole } from '../../../test/support/console-api/console.ts';

let console: TestConsole;
let said: string[];
beforeEach(() => {
  console = new TestConsole({ seed: 'nothing' });
});
afterEach(() => console.close());

function channel(args: string[], file = console.file): number {
  said = [];
  const say = (line: string) => void said.push(line);
  return runChannelCommand(args, {
    env: { CAUSEWAY_LEDGER: file },
    clock: { now: () => console.now },
    print: say,
    complain: say,
  });
}

function keyOf(...args: string[]): string {
  expect(channel(args)).toBe(0);
  return said[0] ?? '';
}

test('a channel gets its own key, which no list shows', () => {
  const mts = keyOf('add', 'MTS');
  const app = keyOf('add', '한빛-앱');
  expect(mts).toMatch(/^[\w-]{43}$/);
  expect(channelOfKey(console.ledger, mts)).toBe('MTS');
  expect(channelOfKey(console.ledger, app)).toBe('한빛-앱');
  expect(channel(['list'])).toBe(0);
  expect(said).toEqual(['MTS', '한빛-앱']);
});

test('a new key counts at once, and the old one no longer', () => {
  const first = keyOf('add', 'MTS');
  const second = keyOf('key', 'MTS');
  expect(channelOfKey(console.ledger, first)).toBeUndefined();
  expect(channelOfKey(console.ledger, second)).toBe('MTS');
  expect(channel(['remove', 'MTS'])).toBe(0);
  expect(channelOfKey(console.ledger, second)).toBeUndefined();
});

test('each change is on record without the key, in an intact chain', () => {
  const keys = [keyOf('add', 'MTS'), keyOf('key', 'MTS')];
  channel(['remove', 'MTS']);
  const rows = console.actions();
  expect(rows.map(({ action }) => action)).toEqual(['channel.add', 'channel.key', 'channel.remove']);
  // The operating system account that ran the command; neither a member nor "SYSTEM".
  for (const { actor, actor_role } of rows) expect([actor, actor_role]).toEqual([commandName(), null]);
  for (const key of keys) expect(JSON.stringify(rows)).not.toContain(key);
  expect(verifyChain(console.ledger)).toEqual({ ok: true, rows: 3 });
});

test.each([
  [['add', 'MTS'], 1, /^There is a channel MTS already; "channel key MTS" gives it another key\.$/],
  [['add', 'a/b'], 1, /^A channel cannot be called "a\/b": take at most 40 letters/],
  [['key', 'HTS'], 1, /^There is no channel HTS; "channel list" lists them\.$/],
  [['remove', 'HTS'], 1, /^There is no channel HTS/],
  [['add'], 2, /channel add NAME/],
  [['add', 'A', 'B'], 2, /channel add NAME/],
  [['open', 'A'], 2, /channel add NAME/],
])('%j is refused and leaves no trace', (args, code, sentence) => {
  keyOf('add', 'MTS');
  expect(channel(args)).toBe(code);
  expect(said.join('\n')).toMatch(sentence);
  expect(console.actions()).toHaveLength(1);
});

test('a missing ledger is not created', () => {
  const file = path.join(console.folder, 'misspelt.sqlite');
  expect(channel(['add', 'MTS'], file)).toBe(1);
  expect(existsSync(file)).toBe(false);
  expect(channel(['list'], '')).toBe(2);
});
