/** The audit log is verified, and held against a checkpoint that was kept elsewhere (D19). */
import Database from 'better-sqlite3';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runAuditCommand } from './audit-commands.ts';
import { TestConsole } from './testing.ts';

let console: TestConsole;
let said: string[];
beforeEach(() => {
  console = new TestConsole();
  console.explanation('PUBLISHED');
  console.explanation('PENDING_REVIEW');
  run('key', at('private.pem'), at('public.pem'));
});
afterEach(() => console.close());

const at = (name: string) => path.join(console.folder, name);

function run(...args: string[]): number {
  said = [];
  const say = (line: string) => void said.push(line);
  return runAuditCommand(args, {
    env: { CAUSEWAY_LEDGER: console.file },
    clock: { now: () => console.now },
    print: say,
    complain: say,
  });
}

/** Does to the file what no program of ours does: the guards of the database are taken away first. */
function tamper(sql: string): void {
  const db = new Database(console.file);
  db.exec(`DROP TRIGGER console_action_log_is_never_updated; DROP TRIGGER console_action_log_is_never_deleted; ${sql}`);
  db.close();
}

describe('the chain', () => {
  test('that is whole is said to be, with its length', () => {
    expect(run('verify')).toBe(0);
    expect(said).toEqual([`The audit log is whole: ${console.actions().length} rows.`]);
  });
  test('that is broken is named by its first broken row', () => {
    tamper(`UPDATE console_action_log SET actor = 'somebody else' WHERE seq = 2`);
    expect(run('verify')).toBe(1);
    expect(said).toEqual(['The audit log is broken at row 2: its content does not fit its hash.']);
    expect(run('checkpoint', at('checkpoint.json'), at('private.pem'))).toBe(1);
    expect(existsSync(at('checkpoint.json'))).toBe(false);
  });
});

describe('a checkpoint', () => {
  const checkpoint = () => at('checkpoint.json');
  const verify = () => run('verify', checkpoint(), at('public.pem'));
  beforeEach(() => {
    expect(run('checkpoint', checkpoint(), at('private.pem'))).toBe(0);
  });

  test('is held by the log as it grows', () => {
    expect(verify()).toBe(0);
    console.explanation('REJECTED');
    expect(verify()).toBe(0);
    expect(said[0]).toContain(`It holds every row of the checkpoint of ${console.now.toISOString()}.`);
  });

  test('shows that the end was cut off, which the chain alone does not', () => {
    tamper('DELETE FROM console_action_log WHERE seq = (SELECT max(seq) FROM console_action_log)');
    expect(run('verify')).toBe(0);
    expect(verify()).toBe(1);
    expect(said[0]).toContain('its end was cut off');
  });

  test('shows that the log was written anew', async () => {
    await using other = new TestConsole();
    other.explanation('BLOCKED');
    other.pass(1);
    other.explanation('BLOCKED');
    const args = ['verify', checkpoint(), at('public.pem')];
    const code = runAuditCommand(args, {
      env: { CAUSEWAY_LEDGER: other.file },
      clock: { now: () => other.now },
      print: () => undefined,
      complain: (line) => void said.push(line),
    });
    expect(code).toBe(1);
    expect(said.at(-1)).toContain('was written anew');
  });

  test('that was changed, or signed by somebody else, is not believed', () => {
    const text = readFileSync(checkpoint(), 'utf8');
    writeFileSync(checkpoint(), text.replace(/"rows": \d+/, '"rows": 1'));
    expect(verify()).toBe(1);
    expect(said[0]).toContain('The signature of the checkpoint does not fit');
    writeFileSync(checkpoint(), text);
    run('key', at('other.pem'), at('other-public.pem'));
    expect(run('verify', checkpoint(), at('other-public.pem'))).toBe(1);
    for (const broken of ['{', '{}', '[]']) {
      writeFileSync(checkpoint(), broken);
      expect(verify()).toBe(1);
    }
  });

  test('and keys are never written over what is there; the private key is for its owner', () => {
    const before = readFileSync(checkpoint(), 'utf8');
    expect(run('checkpoint', checkpoint(), at('private.pem'))).toBe(1);
    expect(run('key', at('private.pem'), at('new.pem'))).toBe(1);
    expect(readFileSync(checkpoint(), 'utf8')).toBe(before);
    expect(statSync(at('private.pem')).mode & 0o077).toBe(0);
  });
});

test.for([[], ['verify', 'only-one'], ['nothing'], ['checkpoint', 'x'], ['key', 'a', 'b', 'c']])(
  'usage that does not fit is told: %j',
  (args) => {
    expect(run(...args)).toBe(2);
    expect(said[0]).toContain('audit verify');
  },
);

test('a key that is none, and a ledger that is not named, are told in one sentence', () => {
  expect(run('checkpoint', at('c.json'), at('nowhere.pem'))).toBe(1);
  expect(said[0]).toContain('cannot be read');
  writeFileSync(at('no-key.pem'), 'x');
  expect(run('checkpoint', at('c.json'), at('no-key.pem'))).toBe(1);
  expect(said).toEqual(['The private key is no key in PEM.']);
  const told: string[] = [];
  const parts = {
    env: {},
    clock: { now: () => console.now },
    print: () => undefined,
    complain: (line: string) => void told.push(line),
  };
  expect(runAuditCommand(['verify'], parts)).toBe(1);
  expect(told).toEqual(['CAUSEWAY_LEDGER is missing: the file of the ledger.']);
});
