import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LogFile } from './log-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-log-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const LIMITS = { bytes: 100, files: 3 };

test('no file exceeds the limit, and only the newest files are kept', () => {
  const log = new LogFile(folder, LIMITS);
  for (let number = 0; number < 100; number += 1) log.write(`line ${String(number).padStart(3, '0')}\n`);
  expect(readdirSync(folder).toSorted()).toEqual(['console.1.log', 'console.2.log', 'console.log']);
  for (const name of readdirSync(folder)) {
    expect(statSync(join(folder, name)).size).toBeLessThanOrEqual(LIMITS.bytes);
    expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
  }
  expect(log.tail(18)).toBe('line 098\nline 099\n');
  expect(log.tail(10_000).split('\n')).toContain('line 080');
});

test('the next start continues in the same file', () => {
  new LogFile(folder, LIMITS).write('first\n');
  const log = new LogFile(folder, LIMITS);
  log.write('second\n');
  expect(log.tail(100)).toBe('first\nsecond\n');
});

test('a deleted folder costs only the log', () => {
  const log = new LogFile(folder, LIMITS);
  rmSync(folder, { recursive: true });
  expect(() => log.write('x\n')).not.toThrow();
  expect(new LogFile(folder, LIMITS).tail(100)).toBe('');
});
