/** The rotation of a key: the trusted keys at each step, and interrupted steps. */
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { PostgresServer } from '../../test/support/postgres.ts';
import { sharedPostgres } from '../../test/support/shared-postgres.ts';
import { runCommandLine } from '../commands/command-line.ts';

let folder: string;
let postgres: PostgresServer;
let url: string;
beforeAll(async () => {
  postgres = await sharedPostgres();
  url = await postgres.createDatabase();
});
afterAll(() => postgres.stop());
const at = (name: string): string => join(folder, name);
const text = (name: string): string => readFileSync(at(name), 'utf8');
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-succession-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** @returns the error message, or an empty text */
async function step(...args: string[]): Promise<string> {
  let said = '';
  const surroundings = {
    env: { CAUSEWAY_DATABASE_URL: url },
    print: () => undefined,
    printError: (line: string) => void (said += line),
  };
  const code = await runCommandLine(['signing-key', ...args, '--out', folder], surroundings);
  return code === 0 ? '' : said;
}

test('make, next, switch, retire', async () => {
  expect(await step('make')).toBe('');
  const [firstKey, first] = [text('signing.key'), text('signing.pub')];
  expect(statSync(at('signing.key')).mode & 0o777).toBe(0o600);
  expect(await step('next')).toBe('');
  const [nextKey, next] = [text('signing-next.key'), text('signing-next.pub')];
  expect([text('signing.key'), text('signing.pub')]).toEqual([firstKey, first + next]);
  expect(await step('next'), 'again changes nothing').toBe('');
  expect([text('signing-next.key'), text('signing.pub')]).toEqual([nextKey, first + next]);
  expect(await step('switch')).toBe('');
  expect([text('signing.key'), text('signing.pub')]).toEqual([nextKey, next + first]);
  expect(existsSync(at('signing-next.key')) || existsSync(at('signing-next.pub'))).toBe(false);
  expect(await step('next')).toContain('retire the earlier signing key first');
  expect(await step('retire')).toBe('');
  expect([text('signing.key'), text('signing.pub')]).toEqual([nextKey, next]);
});

test('out of order each is refused, and changes nothing', async () => {
  expect(await step('next')).toContain('cannot be read');
  await step('make');
  const before = [text('signing.key'), text('signing.pub')];
  expect(await step('make')).toContain('There is a signing key already');
  expect(await step('switch')).toContain('There is no next signing key: "next" makes it.');
  expect(await step('retire')).toContain('there is none to retire');
  await step('next');
  expect(await step('retire')).toContain('"switch" comes before "retire"');
  expect(before[0]).toBe(text('signing.key'));
  expect(await step('shift')).toBe('signing-key takes one of make, next, switch, retire.');
});

test('an interrupted switch is finished by another', async () => {
  await step('make');
  await step('next');
  const [nextKey, next] = [text('signing-next.key'), text('signing-next.pub')];
  renameSync(at('signing-next.key'), at('signing.key'));
  expect(await step('retire')).toContain('"switch" comes before "retire"');
  expect(await step('next')).toContain('A switch was interrupted');
  expect(await step('switch')).toBe('');
  expect(text('signing.key')).toBe(nextKey);
  expect(text('signing.pub').startsWith(next)).toBe(true);
});

test('an interrupted next is made again', async () => {
  await step('make');
  const first = text('signing.pub');
  await step('next');
  rmSync(at('signing-next.pub'));
  expect(await step('switch')).toContain('There is no next signing key');
  writeFileSync(at('signing.pub'), first);
  expect(await step('next')).toBe('');
  expect(text('signing.pub')).toBe(first + text('signing-next.pub'));
});
