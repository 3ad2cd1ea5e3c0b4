/** The real console in the packed program, in local mode, on a ledger with explanations in every state. */
import path from 'node:path';
import Database from 'better-sqlite3';
import type { Page } from 'playwright';
import { seedDemo } from '../../agent/ledger/demo/seed.ts';
import { openLedger } from '../../agent/ledger/storage/ledger.ts';
import { activePolicy } from '../../agent/ledger/policy/versions.ts';
import { indexReceived } from '../../agent/ledger/explanations/search-index.ts';
import { forceStatus, newEntry, receive } from '../support/agent/ledger.ts';
import { MATCHER_VERSION } from '../../agent/screening/matcher.ts';
import { createScreener } from '../../agent/screening/screen.ts';
import { cheapHash } from '../support/shared/accounts.ts';
import { systemClock, systemIds } from '../../shared/time/clock.ts';
import { EXPLANATION_STATUSES } from '../../shared/wire/console/console.ts';
import type { ProgramFixture, Program } from './program-fixture.ts';
import type { Role } from '../../shared/policy/roles.ts';

export type Language = 'ko' | 'en';

/** Evidence that supports all of the text's numbers: a calculation with its formula, and news. */
const EVIDENCES: ReturnType<typeof newEntry>['evidences'] = [
  {
    kind: 'NEWS',
    title: '반도체 수출 석 달 연속 증가',
    source: '한강경제',
    published_at: '2026-11-20T01:00:00.000Z',
    source_uri: 'https://news.example/1',
    news_id: 'n-1',
  },
  {
    kind: 'CALCULATION',
    title: '구성 종목 기여도',
    source: '주식 시세',
    published_at: null,
    as_of: '2026-11-20',
    tool_run_id: 'tool-1',
    item_ids: ['item-1'],
    arguments: { weight_pct: 20, return_pct: 4.5 },
    output: { contribution_pp: 0.9, turnover_100m_krw: 99_900 },
    formula_latex: String.raw`C_i = w_i \times r_i`,
    description: '비중에 수익률을 곱해 기여도를 구한다.',
  },
];

/** The last waiting item contains a word that the policy flags for review. */
const HIT = ' 매수 의견이 이어졌다.';

export const TEXT = '반도체 수출이 늘어 1.23% 상승했고 SK하이닉스가 0.90%p를 보탰다. 거래대금은 9조 9,900억원이었다.';

/** A ledger with the demo's accounts, `waiting` items for review, the last with a word hit, and one explanation in each other state. */
export function seededLedger(folder: string, waiting = 3): string {
  const file = path.join(folder, 'ledger.sqlite');
  const ledger = openLedger(file);
  seedDemo(ledger, systemClock, systemIds, cheapHash);
  ledger.write((tx) => {
    let cursor = 0;
    const screener = createScreener(activePolicy(tx) ?? null);
    const add = (ticker: string, name: string, summary = TEXT): string => {
      cursor += 1;
      const entry = newEntry(
        `fixture-${cursor}`,
        { etf_ticker: ticker, etf_name: name, summary },
        { cursor, evidences: EVIDENCES },
      );
      const { policyVersion } = screener;
      const input = {
        summary,
        explanation_type: 'EVENT_SUPPORTED',
        confidence_level: 'HIGH',
        observed_return: null,
        outOfScope: [],
      } as const;
      const found = screener.screen({ ...input, sourceEventIds: ['a', 'b'] });
      return receive(
        tx,
        entry,
        summary === TEXT ? 'PENDING_REVIEW' : { ...found, policyVersion, matcherVersion: MATCHER_VERSION },
        // One after the other, so that the queue has them in this order.
        new Date(Date.parse('2026-11-20T07:00:00.000Z') + cursor * 1_000).toISOString(),
      );
    };
    for (let number = 1; number <= waiting; number += 1)
      add(`10000${number}`, `심사 ETF ${number}`, number === waiting ? TEXT + HIT : TEXT);
    for (const [index, status] of EXPLANATION_STATUSES.entries()) {
      if (status !== 'PENDING_REVIEW') forceStatus(tx, add(`20000${index}`, `상태 ETF ${index}`), status);
    }
  });
  ledger.close();
  return file;
}

/** Programs by the address of their console API. */
const opened = new Map<string, Program>();

/** The program on a ledger, at its login screen. */
export async function openConsole(
  fixture: ProgramFixture,
  ledger: string,
  scheme: 'light' | 'dark' = 'light',
  env: Record<string, string> = {},
): Promise<{ program: Program; page: Page; url: string }> {
  const program = await fixture.launch(
    { CAUSEWAY_LEDGER: ledger, CAUSEWAY_DEMO: '1', LANGUAGE: 'ko', LANG: 'ko_KR.UTF-8', ...env },
    scheme,
  );
  const url = String((await program.log('window shown'))['url']);
  opened.set(url, program);
  program.page.setDefaultTimeout(15_000);
  await program.page.locator('input[name=username]').waitFor();
  return { program, page: program.page, url };
}

export async function logIn(page: Page, username: string): Promise<void> {
  await page.locator('input[name=username]').fill(username);
  await page.locator('input[name=password]').fill('causeway-demo');
  await page.locator('form button[type=submit]').click();
  await page.locator('main#main').waitFor();
}

/** Presses a decision key once such keys are awake. */
export async function decide(page: Page, key: string): Promise<void> {
  await page.locator('[data-keys=awake]').waitFor();
  await page.keyboard.press(key);
}

/** Sets the language as the menu does, and reloads the page. */
export async function speak(page: Page, language: Language): Promise<void> {
  await page.evaluate((chosen) => localStorage.setItem('causeway.language', chosen), language);
  await page.reload();
}

/** Another user at the same API, without a window. */
export class ApiSession {
  readonly #url: string;
  readonly #headers: Record<string, string>;

  private constructor(url: string, headers: Record<string, string>) {
    this.#url = url;
    this.#headers = headers;
  }

  /** @param url the console's address, as `openConsole` returned it */
  static async logIn(url: string, username: string, password = 'causeway-demo'): Promise<ApiSession> {
    const own = { ...(await opened.get(url)?.windowHeaders()), origin: new URL(url).origin };
    const response = await fetch(new URL('/api/v1/auth/login', url), {
      method: 'POST',
      headers: { ...own, 'content-type': 'application/json' },
      body: JSON.stringify({ username, password }),
    });
    const [cookie] = response.headers.getSetCookie();
    if (!response.ok || cookie === undefined) throw new Error(`${username} cannot log in: ${response.status}`);
    return new ApiSession(url, { ...own, cookie: cookie.split(';')[0] ?? '' });
  }

  /** Registers a member, who then sets their own password, as at every first login. */
  async join(account: { username: string; displayName: string; role: Role; password: string }): Promise<ApiSession> {
    const { username, password } = account;
    const temporary = `${password} for now`;
    await this.ask('POST', '/api/v1/members', { ...account, password: temporary });
    const joined = await ApiSession.logIn(this.#url, username, temporary);
    await joined.ask('POST', '/api/v1/session/password', { currentPassword: temporary, newPassword: password });
    return joined;
  }

  /** @throws unless the answer is a success */
  async ask<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(new URL(path, this.#url), {
      method,
      headers: {
        ...this.#headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as { isSuccess: boolean; code: string; message: string; result: T };
    if (!answer.isSuccess) throw new Error(`${method} ${path}: ${answer.code} ${answer.message}`);
    return answer.result;
  }
}

/** Adds this many copies of one explanation to a ledger, a day apart per two hundred. */
export function fillLedger(file: string, more: number): void {
  const db = new Database(file);
  try {
    const columns = (db.pragma('table_info(explanation)') as { name: string }[]).map(({ name }) => name);
    const values: Record<string, string> = {
      id: "'fill-' || k",
      explanation_result_id: "'fill-' || k",
      number: 'k + (SELECT max(number) FROM explanation)',
      trade_date: "date('2026-11-19', '-' || (k / 200) || ' day')",
    };
    db.exec(`
      WITH RECURSIVE count(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM count WHERE k < ${more})
      INSERT INTO explanation (${columns.join(', ')})
      SELECT ${columns.map((name) => values[name] ?? name).join(', ')}
      FROM count, (SELECT * FROM explanation WHERE status = 'AUTO_PUBLISHED' LIMIT 1)`);
  } finally {
    db.close();
  }
  // Rows are counted and found once they are indexed.
  const ledger = openLedger(file);
  while (ledger.write(indexReceived));
  ledger.close();
}
