/**
 * The console API over five years of explanations: reading one, lists, search, decisions, and its start; then
 * provision.
 */
import path from 'node:path';
import { Pool } from 'undici';
import { startPart } from '../../support/process.ts';
import { alternate, median, quantile, ratioRow, valueRow, type Bench, type BenchFixture } from '../bench.ts';
import { provisionUnderDrain } from './provision.ts';
import { ENDING, ENDING_EVERY, fillLedger, FORMER, idOf, WAITING } from './filled.ts';

const EXPLANATIONS = 1_000_000;
/** Requests of a round, and how many run at a time. */
const REQUESTS = 1_000;
const AT_ONCE = 16;
const PAGES = 300;

export const consoleApi: Bench = {
  name: 'console',
  about: `console API and provision over ${EXPLANATIONS.toLocaleString('en')} explanations of five years`,
  run: async (fixture) => {
    const file = path.join(fixture.folder('console'), 'ledger.sqlite');
    fillLedger(file, EXPLANATIONS, fixture.say);
    const ready = await startTimes(file);
    const api = await logIn(fixture, await startConsole(fixture, file));
    await findEndings(api);
    const bare = await startBare(fixture, file);
    const reads = await alternate(
      { product: { run: () => readMany(api) }, bare: { run: () => readMany(bare) } },
      { rounds: 10 },
    );
    const toDecide = waiting();
    const decide = (): Promise<void> => ask(api, 'POST', `/api/v1/review/items/${toDecide.next().value}/approve`);
    const rate = (times: number[]): number => (REQUESTS / median(times)) * 1_000;
    return [
      ratioRow('reading one explanation', '/s', rate(reads.product), rate(reads.bare), { atLeast: 0.5 }),
      valueRow('list page, p99', 'ms', quantile(await timed(api, PAGES, listPath), 0.99), { atMost: 25 }),
      valueRow('full-text search, p99', 'ms', quantile(await timed(api, PAGES, searchPath), 0.99), { atMost: 25 }),
      valueRow('review decision, p99', 'ms', quantile(await decisions(decide), 0.99), { atMost: 15 }),
      valueRow('ready after its start', 'ms', median(ready), { atMost: 600 }),
      ...(await provisionUnderDrain(fixture, file, decide)),
    ];
  },
};

interface Client {
  pool: Pool;
  headers: Record<string, string>;
}

async function startConsole(fixture: BenchFixture, file: string): Promise<string> {
  const part = startPart('electron/console-api/main.ts', { env: consoleEnv(file) });
  fixture.after(() => part.stop());
  return (await part.listening()).url;
}

const consoleEnv = (file: string): Record<string, string> => ({
  CAUSEWAY_LEDGER: file,
  CAUSEWAY_CONSOLE_LISTEN: '127.0.0.1:0',
  CAUSEWAY_DEMO: '1',
});

/** From the start of the process to its log line `listening`. */
export async function startTimes(file: string): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < 5; n += 1) {
    const began = performance.now();
    const part = startPart('electron/console-api/main.ts', { env: consoleEnv(file) });
    await part.listening();
    times.push(performance.now() - began);
    await part.stop();
  }
  return times;
}

async function startBare(fixture: BenchFixture, file: string): Promise<Client> {
  const part = startPart('test/bench/console/bare-route.ts', { args: [file] });
  fixture.after(() => part.stop());
  return clientOf(fixture, (await part.listening()).url, {});
}

function clientOf(fixture: BenchFixture, url: string, headers: Record<string, string>): Client {
  const pool = new Pool(url, { connections: AT_ONCE });
  fixture.after(() => pool.close());
  return { pool, headers };
}

export async function logIn(fixture: BenchFixture, url: string): Promise<Client> {
  const answer = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'reviewer', password: 'causeway-demo' }),
  });
  const cookie = answer.headers.get('set-cookie')?.split(';')[0];
  if (cookie === undefined) throw new Error(`the login was answered ${answer.status}`);
  return clientOf(fixture, url, { cookie });
}

async function ask({ pool, headers }: Client, method: 'GET' | 'POST', path: string): Promise<void> {
  const { statusCode, body } = await pool.request({ method, path, headers });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`${path} was answered ${statusCode}: ${text.slice(0, 200)}`);
}

/** The same explanations for both sides, spread over all years. */
async function readMany(client: Client): Promise<void> {
  let next = 0;
  const reader = async (): Promise<void> => {
    for (let n = next++; n < REQUESTS; n = next++) {
      await ask(client, 'GET', `/api/v1/explanations/${idOf((n * 7_919) % EXPLANATIONS)}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, reader));
}

/** One after another, like one user. */
export async function timed(client: Client, count: number, pathOf: (n: number) => string): Promise<number[]> {
  const times: number[] = [];
  for (let n = -10; n < count; n += 1) {
    const began = performance.now();
    await ask(client, 'GET', pathOf(Math.abs(n)));
    if (n >= 0) times.push(performance.now() - began);
  }
  return times;
}

/** Lists and searches: near and far pages, every order, frequent and rare terms. */
export const LISTS = [
  'explanations',
  'explanations?status=REJECTED,BLOCKED',
  'explanations?sort=oldest',
  'explanations?sort=ticker',
  'explanations?market=KRX',
  'explanations?page=40000',
  'explanations?status=PUBLISHED',
  'explanations?sort=waiting-longest',
  'explanations?sort=waiting-longest&page=20000',
  'explanations?sort=waiting-shortest&status=STOPPED,BLOCKED&page=9000',
  'review/items',
  'review/items?reason=CONFIDENCE',
  'review/items?reason=CONFIDENCE&sort=newest&page=40',
  'review/items?reason=SOURCE_COUNT',
];
export const SEARCHES = [
  '특별배당락',
  ENDING,
  '유상증자',
  '수출 증가',
  '없는 말씀',
  '공시',
  '은행',
  '반도체 업종',
  'KODEX 은행 2',
  FORMER,
  '수출 증가&page=90',
  '수출 증가&sort=waiting-longest&page=20',
  `${FORMER}&sort=oldest&page=50`,
  `${FORMER}&status=STOPPED`,
].map((search) => {
  const [term = '', ...rest] = search.split('&');
  return ['explanations?q=' + encodeURIComponent(term), ...rest].join('&');
});
const turn = (paths: readonly string[]) => (n: number) => `/api/v1/${paths[n % paths.length]}`;
const [listPath, searchPath] = [turn(LISTS), turn(SEARCHES)];

/** A short term at the end of long texts is found in all of them. */
async function findEndings({ pool, headers }: Client): Promise<void> {
  const path = `/api/v1/explanations?q=${encodeURIComponent(ENDING)}`;
  const { body } = await pool.request({ method: 'GET', path, headers });
  const { result } = (await body.json()) as { result: { total: number } };
  const expected = EXPLANATIONS / ENDING_EVERY;
  if (result.total !== expected) throw new Error(`${ENDING} was found in ${result.total} texts instead of ${expected}`);
}

/** The explanations that wait, each once. */
function* waiting(): Generator<string, never> {
  for (let n = EXPLANATIONS - WAITING; n < EXPLANATIONS; n += 1) yield idOf(n);
  throw new Error('nothing waits any more');
}

async function decisions(decide: () => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < PAGES; n += 1) {
    const began = performance.now();
    await decide();
    times.push(performance.now() - began);
  }
  return times;
}
