/** `audit verify` verifies the chain and compares it with checkpoints kept elsewhere (D19). */
import Database from 'better-sqlite3';
import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { appendFileSync, copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { recordAction } from '../../../agent/ledger/audit/audit.ts';
import { hashOf } from '../../../agent/ledger/audit/row-hash.ts';
import { auditLogOf, endOf } from '../../../agent/ledger/audit/checkpoint.ts';
import { openLedger } from '../../../agent/ledger/storage/ledger.ts';
import type { ConsoleActionLogTable } from '../../../agent/ledger/storage/tables.ts';
import { Checkpoints } from '../../../shared/service/checkpoints/schedule.ts';
import { publicText, signCheckpoint } from '../../../shared/service/checkpoints/checkpoint.ts';
import { runAuditCommand } from './audit.ts';
import { TestConsole } from '../../../test/support/console-api/console.ts';

let console: TestConsole;
let said: string[];
beforeEach(() => {
  console = new TestConsole();
  console.explanation('PUBLISHED');
  console.explanation('PENDING_REVIEW');
  mkdirSync(at('share'));
});
afterEach(() => console.close());

const at = (name: string) => path.join(console.folder, name);

function run(...args: string[]): Promise<number> {
  said = [];
  const say = (line: string) => void said.push(line);
  return runAuditCommand(args, {
    env: { CAUSEWAY_LEDGER: console.file },
    clock: { now: () => console.now },
    print: say,
    complain: say,
  });
}

/** One round of the schedule. */
async function sign(ledger: Parameters<typeof auditLogOf>[0] = console.ledger): Promise<void> {
  const place = { folder: at('share'), keyFile: at('checkpoint.key'), periodMs: 1 };
  const failures: unknown[] = [];
  const logger = { info: () => undefined, error: (facts: object) => void failures.push(facts) };
  await new Checkpoints({ log: auditLogOf(ledger), place, clock: { now: () => console.now }, logger }).round();
  expect(failures).toEqual([]);
}

const file = () => path.join(at('share'), readdirSync(at('share'))[0] ?? '');
const verify = () => run('verify', '--checkpoint', file());

/** Changes the file in a way that no program of ours does: the database's guards are removed first. */
function tamper(change: (db: Database.Database) => void): void {
  const db = new Database(console.file);
  const guards = ['is_never_updated', 'is_never_deleted', 'has_no_holes'];
  db.exec(guards.map((guard) => `DROP TRIGGER console_action_log_${guard};`).join(''));
  change(db);
  db.close();
}

/** Recomputes the chain from its first row, as an attacker who knows its form would. */
function recompute(db: Database.Database): void {
  let prev_hash = '0'.repeat(64);
  const rows = db.prepare('SELECT * FROM console_action_log ORDER BY seq').all() as ConsoleActionLogTable[];
  for (const row of rows) {
    const hash = hashOf({ ...row, prev_hash });
    db.prepare('UPDATE console_action_log SET prev_hash = ?, hash = ? WHERE seq = ?').run(prev_hash, hash, row.seq);
    prev_hash = hash;
  }
}

describe('the chain', () => {
  test('that is intact is reported with its length', async () => {
    expect(await run('verify')).toBe(0);
    expect(said).toEqual([
      `The audit log is whole: ${console.actions().length} rows.`,
      'Policies, accounts, channels, scope, notes and settings are as its rows tell.',
    ]);
  });

  test('that is broken is reported with its first broken row', async () => {
    tamper((db) => db.exec(`UPDATE console_action_log SET actor = 'somebody else' WHERE seq = 2`));
    expect(await run('verify')).toBe(1);
    expect(said).toEqual(['The audit log is broken at row 2: its content does not fit its hash.']);
  });

  test('covers the source address of a row', async () => {
    const actor = { kind: 'UNKNOWN', username: 'x', sourceAddress: '10.1.2.3' } as const;
    const row = console.ledger.write((tx) =>
      recordAction(tx, { at: '', actor, action: 'a', targetType: 't', targetId: null, detail: {} }),
    );
    expect(await run('verify')).toBe(0);
    tamper((db) => db.prepare('UPDATE console_action_log SET source_address = NULL WHERE seq = ?').run(row));
    expect(await run('verify')).toBe(1);
  });
});

describe('checkpoints', () => {
  beforeEach(() => sign());

  test('agree with the log as it grows', async () => {
    expect(await verify()).toBe(0);
    console.explanation('REJECTED');
    console.pass(60_000);
    await sign();
    expect(await verify()).toBe(0);
    expect(said.at(-1)).toContain('It agrees with 2 checkpoints, the last of 2026-11-20T09:01:00.000Z');
  });

  test('show that a signed root is not that of the rows, or a kept one not that of its rows', async () => {
    const end = console.ledger.read(endOf);
    if (end === null) throw new Error('the log is empty');
    const key = createPrivateKey(readFileSync(at('checkpoint.key')));
    const other = signCheckpoint('console_action_log', { ...end, root: 'f'.repeat(64) }, console.now, key);
    appendFileSync(file(), `${JSON.stringify(other)}\n`);
    expect(await verify()).toBe(4);
    expect(said.at(-1)).toContain('has another root than the checkpoint');
    tamper((db) => db.prepare('INSERT INTO audit_block (block, root) VALUES (0, ?)').run(Buffer.alloc(32)));
    expect(await run('verify')).toBe(1);
    expect(said.at(-1)).toContain('block 0');
  });

  test('show that the end was removed, which the chain alone does not', async () => {
    const rows = console.actions().length;
    tamper((db) => db.prepare('DELETE FROM console_action_log WHERE seq = ?').run(rows));
    expect(await run('verify')).toBe(0);
    expect(await verify()).toBe(3);
    expect(said.at(-1)).toContain(`it has no row ${rows}, and row ${rows} was signed at`);
  });

  test('show between which rows the log was rewritten', async () => {
    const signed = console.actions().length;
    console.explanation('REJECTED');
    console.explanation('BLOCKED');
    const later = console.actions().length;
    await sign();
    tamper((db) => {
      db.prepare("UPDATE console_action_log SET actor = 'somebody else' WHERE seq = ?").run(later - 1);
      recompute(db);
    });
    // The seal of the row finds it too; the chain alone does not.
    expect(await run('verify')).toBe(1);
    expect(said.join()).toContain(`Row ${later - 1} of the audit log was not written by this host.`);
    expect(await verify()).toBe(4);
    expect(said.at(-1)).toContain(`the first row that differs is one of ${signed + 1} to ${later}`);
  });

  test('detect another log, and one that was rewritten as a whole', async () => {
    const checkpoints = file();
    await using other = new TestConsole({ seed: 'members without policy' });
    other.pass(1);
    other.explanation('BLOCKED');
    const told: string[] = [];
    const code = await runAuditCommand(['verify', '--checkpoint', checkpoints], {
      env: { CAUSEWAY_LEDGER: other.file },
      clock: { now: () => other.now },
      print: () => undefined,
      complain: (line) => void told.push(line),
    });
    expect([code, told.at(-1)]).toEqual([5, expect.stringContaining('differs from its first row on')]);
    tamper((db) => {
      db.exec(`UPDATE console_action_log SET at = '' WHERE seq = 1`);
      recompute(db);
    });
    // The row of the policy bears a seal, which the chain does not need.
    expect(await run('verify')).toBe(1);
    expect(said.at(-2)).toContain('Row 1 of the audit log was not written by this host.');
    expect(await verify()).toBe(5);
  });

  /** A copy of the ledger, which lacks a row that was signed after it while the clock was ahead by some ms. */
  async function behind(aheadMs: number) {
    const backup = at('backup.sqlite');
    console.ledger.read(() => copyFileSync(console.file, backup));
    copyFileSync(`${console.file}-wal`, `${backup}-wal`);
    const base = console.actions().length;
    console.explanation('REJECTED');
    console.pass(aheadMs);
    await sign();
    console.pass(60_000 - aheadMs);
    const restored = openLedger(backup);
    const env = { CAUSEWAY_LEDGER: backup };
    const verify = async (): Promise<[number, string]> => {
      let last = '';
      const say = (line: string) => void (last = line);
      const clock = { now: () => console.now };
      const code = await runAuditCommand(['verify', '--checkpoint', file()], { env, clock, print: say, complain: say });
      return [code, last];
    };
    const act = (action: string) =>
      restored.write((tx) =>
        recordAction(tx, {
          at: console.now.toISOString(),
          actor: { kind: 'UNKNOWN', username: 'command' },
          action,
          targetType: 'audit_log',
          targetId: null,
          detail: {},
        }),
      );
    return { backup, base, restored, verify, act };
  }

  test('distinguish a recorded restore, and only that restore', async () => {
    const { backup, base, restored, verify, act } = await behind(0);
    // A backup restored by hand leaves no record.
    expect(await verify()).toEqual([3, expect.stringContaining('The end of the audit log was removed')]);
    act('ledger.restore');
    act('other');
    expect(await verify()).toEqual([6, expect.stringMatching(`restored from a backup at .* \\(row ${base + 1}\\)`)]);
    console.pass(60_000);
    await sign(restored).catch(() => undefined);
    expect((await verify())[0]).toBe(6);
    restored.close();
    const db = new Database(backup);
    db.exec('DROP TRIGGER console_action_log_is_never_deleted');
    db.prepare('DELETE FROM console_action_log WHERE seq = ?').run(base + 2);
    db.close();
    expect(await verify()).toEqual([3, expect.stringContaining(`it has no row ${base + 2}`)]);
  });

  test('distinguish a restore from a change also when the clock had been ahead before it', async () => {
    const { restored, verify, act } = await behind(24 * 3_600_000);
    expect((await verify())[0]).toBe(3);
    act('ledger.restore');
    act('other');
    expect((await verify())[0]).toBe(6);
    console.pass(60_000);
    await sign(restored).catch(() => undefined);
    console.pass(48 * 3_600_000);
    expect((await verify())[0]).toBe(6);
    restored.close();
  });

  test('that were changed, or were signed with a key other than the pinned one, are not trusted', async () => {
    const text = readFileSync(file(), 'utf8');
    expect(await run('key')).toBe(0);
    writeFileSync(at('public.pem'), said.join('\n'));
    const pinned = () => run('verify', '--checkpoint', file(), '--key', at('public.pem'));
    expect(await pinned()).toBe(0);
    writeFileSync(file(), text.replace(/"rows":\d+/, '"rows":1'));
    expect(await pinned()).toBe(7);
    expect(said.at(-1)).toContain('does not fit: it was changed');
    writeFileSync(file(), text);
    const other = generateKeyPairSync('ed25519').publicKey;
    writeFileSync(at('public.pem'), other.export({ type: 'spki', format: 'pem' }));
    expect(await pinned()).toBe(7);
    expect(said.at(-1)).toContain('it is not believed');
    expect(text).not.toContain(publicText(other));
    for (const broken of ['', '{', '{}', '[]']) {
      writeFileSync(file(), broken);
      expect(await verify()).toBe(7);
    }
    expect(await run('verify', '--checkpoint', at('nowhere'))).toBe(7);
  });

  test('with a truncated line are still read', async () => {
    writeFileSync(file(), `${readFileSync(file(), 'utf8')}{"v":1,"log":"cons`);
    await sign();
    expect(await verify()).toBe(0);
    expect(said).toContainEqual(expect.stringContaining('1 lines of'));
    expect(said.at(-1)).toContain('2 checkpoints');
  });
});

test('the key is created on first use, for its owner only, and its public half is printed', async () => {
  expect(await run('key')).toBe(0);
  const printed = said.join('\n');
  expect(statSync(at('checkpoint.key')).mode & 0o777).toBe(0o600);
  expect(createPublicKey(printed).asymmetricKeyType).toBe('ed25519');
  expect(await run('key')).toBe(0);
  expect(said.join('\n')).toBe(printed);
  writeFileSync(at('checkpoint.key'), 'x');
  expect(await run('key')).toBe(1);
  expect(said).toEqual([expect.stringContaining('holds no key in PEM form')]);
});

test.for([
  [],
  ['verify', 'only-one'],
  ['nothing'],
  ['verify', '--key', 'x'],
  ['key', '--checkpoint', 'x'],
  ['verify', '--bogus'],
])('usage that does not fit is told: %j', async (args) => {
  expect(await run(...args)).toBe(2);
  expect(said[0]).toContain('audit verify');
});

test('a missing ledger setting is reported in one sentence', async () => {
  const told: string[] = [];
  const parts = {
    env: {},
    clock: { now: () => console.now },
    print: () => undefined,
    complain: (line: string) => void told.push(line),
  };
  expect(await runAuditCommand(['verify'], parts)).toBe(1);
  expect(told).toEqual(['CAUSEWAY_LEDGER is missing: the file of the ledger, made when it does not exist.']);
});
