/**
 * Texts of the vendor and of colleagues that would be code in a page that inserted them as HTML: here they stay text.
 */
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openLedger } from '../../../../agent/ledger/storage/ledger.ts';
import { newEntry, receive } from '../../../support/agent/ledger.ts';
import { ConsoleBrowser } from '../../console-browser.ts';

const SCRIPT = '<img src=x onerror="window.ran=1"><script>window.ran=1</script>';
const TICKER = '500001';

let browser: ConsoleBrowser;
let id: string;

beforeAll(async () => {
  browser = await ConsoleBrowser.open(1);
  const ledger = openLedger(browser.ledger);
  const evidences: ReturnType<typeof newEntry>['evidences'] = [
    {
      kind: 'NEWS',
      title: SCRIPT,
      source: SCRIPT,
      published_at: '2026-11-20T01:00:00.000Z',
      source_uri: 'javascript:window.ran=1',
      news_id: SCRIPT,
    },
    {
      kind: 'CALCULATION',
      title: SCRIPT,
      source: SCRIPT,
      published_at: null,
      as_of: null,
      tool_run_id: SCRIPT,
      item_ids: [SCRIPT],
      arguments: { [SCRIPT]: SCRIPT, ['__proto__']: { ran: 1 } },
      output: { rows: [{ [SCRIPT]: SCRIPT }] },
      formula_latex: String.raw`\href{javascript:window.ran=1}{x} \htmlStyle{position:fixed}{y} \includegraphics{https://evil.example/x}`,
      description: SCRIPT,
    },
  ];
  const result = { etf_ticker: TICKER, etf_name: `이름 ${SCRIPT}`, summary: `본문 ${SCRIPT}` };
  id = ledger.write((tx) => receive(tx, newEntry('hostile', result, { cursor: 30_000, evidences })));
  ledger.close();
});
afterAll(() => browser.close());

async function isInert(page: Page): Promise<void> {
  expect(await page.evaluate(() => 'ran' in window || 'ran' in {})).toBe(false);
  expect(await page.locator('img[src=x], a[href^="javascript:"], script:not([src])').count()).toBe(0);
}

test('of the vendor, in the review and on the status board', async () => {
  const reviewer = await browser.person('reviewer');
  await reviewer.ask('POST', `/api/v1/review/items/${id}/notes`, { text: `메모 ${SCRIPT}` });
  const page = await browser.window();
  for (const screen of ['review', 'explanations', 'case']) {
    await page.goto(`${browser.url}/${screen}/${id}`);
    await page.getByText(`본문 ${SCRIPT}`).first().waitFor();
    await page
      .getByText(String.raw`\includegraphics`)
      .first()
      .waitFor({ state: 'attached' });
    if (screen === 'review') await page.getByText(`메모 ${SCRIPT}`).first().waitFor({ state: 'attached' });
    await isInert(page);
  }
  expect(browser.complaints).toEqual([]);
});
