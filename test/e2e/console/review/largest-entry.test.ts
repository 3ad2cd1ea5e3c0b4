/**
 * The largest entries that the wire accepts, rendered: no text of the engine keeps a reviewer from opening, reading and
 * rejecting it. The browser ends a test whose page freezes.
 */
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openLedger } from '../../../../agent/ledger/storage/ledger.ts';
import { newEntry, receive } from '../../../support/agent/ledger.ts';
import { MAX_ENTRY_VALUES, MAX_TEXT_LENGTH } from '../../../../shared/wire/bundle-endpoint.ts';
import { decide } from '../../console-fixture.ts';
import { ConsoleBrowser } from '../../console-browser.ts';

type Evidences = ReturnType<typeof newEntry>['evidences'];

const calculation = (
  output: Record<string, unknown>,
  formula: string | null = null,
  description = '',
): Evidences[number] => ({
  kind: 'CALCULATION',
  title: '구성 종목 기여도',
  source: '주식 시세',
  published_at: null,
  as_of: '2026-11-20',
  tool_run_id: 'tool-1',
  item_ids: [],
  arguments: {},
  output,
  formula_latex: formula,
  description,
});

const VALUES = MAX_ENTRY_VALUES - 1_000;
const many = <T>(count: number, of: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => of(index));

const ENTRIES: Readonly<Record<string, { evidences?: Evidences; summary?: string; events?: number }>> = {
  'rows that share no column': {
    evidences: [calculation({ rows: many(VALUES / 3, (index) => ({ [`c${index}`]: index })) })],
  },
  'numbers, and descriptions full of figures': {
    evidences: [
      calculation({ values: many(VALUES - 10_000, (index) => index + 0.5) }),
      ...many(300, () => calculation({}, null, '2026년 1월 1일 '.repeat(MAX_TEXT_LENGTH / 12))),
    ],
  },
  'formulas that make more of themselves, and that nest, before long lists': {
    evidences: [
      calculation({}, `\\def\\a{${'x'.repeat(2_000)}}${'\\a'.repeat(1_000)}`),
      calculation({}, `${'\\frac{1}{'.repeat(200)}1${'}'.repeat(200)}`),
      ...many(1_000, () => calculation({})),
    ],
    events: 5_000,
  },
};

const PATIENCE_MS = 40_000;
let browser: ConsoleBrowser;
let page: Page;

beforeAll(async () => {
  browser = await ConsoleBrowser.open(1);
  const ledger = openLedger(browser.ledger);
  ledger.write((tx) => {
    for (const [index, { evidences, summary, events = 1 }] of Object.values(ENTRIES).entries()) {
      const source_events = many(events, (at) => ({
        source_event_id: `event-${at}`,
        source_class: 'NEWS' as const,
        event_type_code: 'EARNINGS',
        event_date: null,
      }));
      const entry = newEntry(
        `largest-${index}`,
        { etf_ticker: String(400_000 + index), ...(summary === undefined ? {} : { summary }) },
        { cursor: 20_000 + index, source_events, ...(evidences === undefined ? {} : { evidences }) },
      );
      receive(tx, entry);
    }
  });
  ledger.close();
  page = await browser.window();
  // A frozen page hangs for minutes; a busy machine takes some seconds.
  page.setDefaultTimeout(PATIENCE_MS);
});
afterAll(() => browser.close());

test.each(Object.keys(ENTRIES).map((name, index) => [name, String(400_000 + index)] as const))(
  '%s',
  async (_, ticker) => {
    await page.getByRole('link', { name: new RegExp(ticker) }).click();
    await page.locator('article h2', { hasText: ticker }).waitFor();
    await decide(page, 'KeyR');
    await page.locator('article form').waitFor();
    await page.keyboard.press('Escape');
    expect(browser.complaints).toEqual([]);
  },
  2 * PATIENCE_MS,
);
