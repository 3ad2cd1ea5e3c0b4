/** `inspection count` says what it cannot look for, instead of a count of none. */
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runInspectionCommand } from './inspection.ts';
import { TestConsole } from '../../../test/support/console-api/console.ts';

let console: TestConsole;
beforeEach(() => {
  console = new TestConsole();
  console.explanation('PUBLISHED', { trade_date: '2026-11-20' });
});
afterEach(() => console.close());

async function count(...conditions: string[]): Promise<{ exit: number; said: string[] }> {
  const said: string[] = [];
  const say = (line: string) => void said.push(line);
  const parts = {
    env: { CAUSEWAY_LEDGER: console.file },
    clock: { now: () => console.now },
    print: say,
    complain: say,
  };
  const exit = await runInspectionCommand(
    ['count', '--from', '2026-11-01', '--to', '2026-11-30', ...conditions],
    parts,
  );
  return { exit, said };
}

test('a ticker or a person that nobody knows is refused by name', async () => {
  expect(await count('--ticker', '069500', '--person', '이름 operator')).toEqual({
    exit: 0,
    said: ['Explanations: 0'],
  });
  expect(await count('--ticker', '999999')).toEqual({
    exit: 1,
    said: ['No explanation of 999999 has been received: check the code.'],
  });
  expect(await count('--person', '아무도')).toEqual({
    exit: 1,
    said: ['No account and no row of the audit log has the name 아무도: give the display name as the history has it.'],
  });
});

test('rows that somebody has removed past the program are not counted as never received', async () => {
  console.explanation('PUBLISHED', { trade_date: '2026-11-20', etf_ticker: '102110' });
  expect(await count()).toMatchObject({ exit: 0, said: ['PUBLISHED: 2', 'Explanations: 2'] });
  const db = new Database(console.file);
  db.exec(`PRAGMA foreign_keys = OFF; DROP TRIGGER explanation_is_never_deleted;
    DELETE FROM explanation WHERE etf_ticker = '102110'`);
  db.close();
  const refused = { exit: 1, said: [expect.stringContaining('run "intake verify"')] };
  expect(await count()).toEqual(refused);
  expect(await count('--ticker', '102110')).toEqual(refused);
  expect(await count('--ticker', '069500')).toMatchObject({ exit: 0, said: ['PUBLISHED: 1', 'Explanations: 1'] });
});
