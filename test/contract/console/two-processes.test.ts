/** Two console APIs over one ledger file: the first decision wins across both processes (D13). */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyChain } from '../../../agent/ledger/audit/audit.ts';
import { openLedger, type Ledger } from '../../../agent/ledger/storage/ledger.ts';
import { newEntry, receive } from '../../support/agent/ledger.ts';
import { startPart, type Part } from '../../support/process.ts';
import { runs } from '../../support/runs.ts';

const ROUNDS = runs(10, 100);
/** More rounds, where one process has won all. */
const MOST_ROUNDS = 200;

let folder: string;
let ledger: Ledger;
let parts: Part[];
let consoles: { url: string; cookie: string }[];

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'causeway-two-'));
  const file = path.join(folder, 'ledger.sqlite');
  const env = { CAUSEWAY_LEDGER: file, CAUSEWAY_CONSOLE_LISTEN: '127.0.0.1:0', CAUSEWAY_DEMO: '1' };
  parts = [1, 2].map(() => startPart('electron/console-api/main.ts', { env }));
  consoles = await Promise.all(
    parts.map(async (part) => {
      const { url } = await part.listening();
      const answer = await fetch(`${url}/api/v1/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username: 'reviewer', password: 'causeway-demo' }),
      });
      return { url, cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '' };
    }),
  );
  ledger = openLedger(file);
}, 60_000);
afterAll(async () => {
  await Promise.all(parts.map((part) => part.stop()));
  ledger.close();
  rmSync(folder, { recursive: true, force: true });
});

const DECISIONS = [
  ['approve', {}],
  ['approve-edited', { edited_summary: '고친 글입니다.' }],
  ['reject', { reason: '사유' }],
  ['block', { reason: '사유' }],
] as const;

interface Answer {
  status: number;
  body: { result?: { status: string }; errors?: { path: string; message: string }[] };
}

async function decide(at: number, id: string, decision: number): Promise<Answer> {
  const { url, cookie } = consoles[at] ?? { url: '', cookie: '' };
  const [action, body] = DECISIONS[decision % DECISIONS.length] ?? DECISIONS[0];
  const answer = await fetch(`${url}/api/v1/review/items/${id}/${action}`, {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json', ...(decision % 2 === 0 ? {} : { 'if-match': '"1"' }) },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Answer['body'] };
}

const count = (of: 'console_action_log' | 'state_history'): number =>
  ledger.first<{ n: number }>({ sql: `SELECT count(*) AS n FROM ${of}`, parameters: [] })?.n ?? 0;

test('two reviewers at two processes decide at the same moment, again and again: one wins each time', async () => {
  const at = '2026-11-20T07:00:00.000Z';
  const ids = ledger.write((tx) =>
    Array.from({ length: MOST_ROUNDS }, (_, n) =>
      receive(tx, newEntry(`x-${n}`, { etf_ticker: `T${n}` }, { cursor: n + 1 }), 'PENDING_REVIEW', at),
    ),
  );
  const [actions, history] = [count('console_action_log'), count('state_history')];
  const winners = new Set<number>();
  let rounds = 0;
  for (const [round, id] of ids.entries()) {
    if (round >= ROUNDS && winners.size > 1) break;
    rounds += 1;
    // The two processes are asked first alternately.
    const [first, second] = round % 2 === 0 ? [0, 1] : [1, 0];
    const answers = await Promise.all([decide(first, id, round), decide(second, id, round * 3 + 1)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    const won = answers.find(({ status }) => status === 200);
    winners.add(won === answers[0] ? first : second);
    expect(answers.find(({ status }) => status === 409)?.body.errors).toEqual([
      { path: 'status', message: won?.body.result?.status },
      { path: 'version', message: '2' },
    ]);
  }
  expect([...winners].toSorted((a, b) => a - b)).toEqual([0, 1]);
  expect([count('console_action_log') - actions, count('state_history') - history]).toEqual([rounds, rounds]);
  expect(verifyChain(ledger)).toEqual({ ok: true, rows: count('console_action_log') });
});
