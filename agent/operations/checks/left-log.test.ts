/** The doctor where a ledger is away and its log is there: at the end of a link, too. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkLedger, checkWriteLock } from './check-ledger.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'causeway-left-log-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test.skipIf(process.platform === 'win32').each([
  ['no ledger', null],
  ['an empty ledger', ''],
])('%s, and the log of one: it is told, and nothing is touched', async (_what, ledger) => {
  const target = path.join(folder, 'disk', 'ledger.sqlite');
  mkdirSync(path.dirname(target));
  const link = path.join(folder, 'ledger.sqlite');
  symlinkSync(target, link);
  writeFileSync(`${target}-wal`, 'the log');
  if (ledger !== null) writeFileSync(target, ledger);
  const { findings } = checkLedger(link, null, () => 1e9, new Date());
  expect(findings.map(({ about, verdict }) => [about, verdict])).toEqual([
    ['disk', 'OK'],
    ['ledger', 'WRONG'],
  ]);
  expect(findings[0]).toMatchObject({ said: expect.stringContaining(path.dirname(target)) as string });
  expect(findings[1]).toMatchObject({ said: expect.stringContaining(`${target}-wal`) as string });
  expect(await checkWriteLock(link)).toEqual([]);
  expect(existsSync(`${target}-wal`)).toBe(true);
});
