/** A decision with and without the decision journal (D139): one at a time, and from sixteen reviewers at once. */
import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { Pool } from 'undici';
import { startPart } from '../../support/process.ts';
import { alternate, median, ratioRow, type Bench, type BenchFixture } from '../bench.ts';
import { fillLedger, idOf, WAITING } from './filled.ts';

const EXPLANATIONS = 20_000;
const ROUNDS = 200;
const AT_ONCE = 16;

export const decisionJournal: Bench = {
  name: 'journal',
  about: 'what the decision journal adds to a decision',
  run: async (fixture) => {
    const plain = path.join(fixture.folder('plain'), 'ledger.sqlite');
    const kept = path.join(fixture.folder('kept'), 'ledger.sqlite');
    fillLedger(plain, EXPLANATIONS, fixture.say);
    copyFileSync(plain, kept);
    const sides = {
      without: await decider(fixture, plain, {}),
      with: await decider(fixture, kept, { CAUSEWAY_DECISION_JOURNAL: fixture.folder('journal') }),
    };
    const one = await alternate({ without: { run: sides.without }, with: { run: sides.with } }, { rounds: ROUNDS });
    const many = (decide: () => Promise<void>) => ({ run: () => Promise.all(Array.from({ length: AT_ONCE }, decide)) });
    const all = await alternate({ without: many(sides.without), with: many(sides.with) }, { rounds: ROUNDS / 4 });
    return [
      ratioRow('decision with the journal', 'ms', median(one.with), median(one.without), { atMost: 1.5 }),
      ratioRow(`${AT_ONCE} decisions with the journal`, 'ms', median(all.with), median(all.without), { atMost: 1.5 }),
    ];
  },
};

/** Approves one item after the other. */
async function decider(fixture: BenchFixture, file: string, env: Record<string, string>): Promise<() => Promise<void>> {
  const own = { CAUSEWAY_LEDGER: file, CAUSEWAY_CONSOLE_LISTEN: '127.0.0.1:0', CAUSEWAY_DEMO: '1' };
  const part = startPart('electron/console-api/main.ts', { env: { ...own, ...env } });
  fixture.after(() => part.stop());
  const { url } = await part.listening();
  const login = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'reviewer', password: 'causeway-demo' }),
  });
  const headers = { cookie: login.headers.get('set-cookie')?.split(';')[0] ?? '' };
  const pool = new Pool(url, { connections: AT_ONCE });
  fixture.after(() => pool.close());
  let next = EXPLANATIONS - WAITING;
  return async () => {
    const path = `/api/v1/review/items/${idOf(next++)}/approve`;
    const { statusCode, body } = await pool.request({ method: 'POST', path, headers });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${path} was answered ${statusCode}: ${text.slice(0, 200)}`);
  };
}
