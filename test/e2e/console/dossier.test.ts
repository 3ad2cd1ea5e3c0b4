/**
 * The Tenant Admin saves a dossier: one signed file, and in the program the PDF that it prints of the file's page beside
 * it. The file is checked as anybody would. The page never has more than six printed pages.
 */
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Download, Page } from 'playwright';
import { DossierFixture, IDS, TICKER } from '../../support/agent/dossier.ts';
import { cheapHash } from '../../support/shared/accounts.ts';
import { verifyDossier } from '../../../agent/operations/dossier/verify.ts';
import { collect } from '../../../agent/ledger/dossier/collect.ts';
import type { Collected } from '../../../agent/ledger/dossier/collected.ts';
import { unseal } from '../../../agent/ledger/dossier/container.ts';
import { dossierPage } from '../../../agent/ledger/dossier/page.ts';
import { seedDemo } from '../../../agent/ledger/demo/seed.ts';
import { systemIds } from '../../../shared/time/clock.ts';
import { ConsoleBrowser } from '../console-browser.ts';

let browser: ConsoleBrowser;
let fixture: DossierFixture;
let collected: Collected;
beforeAll(async () => {
  browser = await ConsoleBrowser.open((folder) => {
    fixture = new DossierFixture({
      folder,
      begin: (ledger, now) => seedDemo(ledger, { now: () => now }, systemIds, cheapHash),
    });
    const asked = { kind: 'EXPLANATION', id: IDS.edited } as const;
    collected = fixture.ledger.read((reader) => collect(reader, asked, fixture.now));
    fixture.ledger.close();
    return fixture.file;
  });
});
afterAll(() => browser.close());
afterEach(() => expect(browser.complaints).toEqual([]));

async function saved(page: Page): Promise<Buffer> {
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: '증빙 파일 저장' }).click();
  return bytesOf(await saving);
}
const bytesOf = async (download: Download): Promise<Buffer> => readFileSync(await download.path());

const fits = (bytes: Uint8Array): string[] => [
  ...verifyDossier(bytes, { vendor: [fixture.vendor.publicKey], tenant: null, checkpoints: null }),
];
const pagesOf = (pdf: Uint8Array): number =>
  [
    ...Buffer.from(pdf)
      .toString('latin1')
      .matchAll(/\/Type\s*\/Page\b(?!s)/g),
  ].length;

/** As Chromium writes a title in Korean: hexadecimal. */
const utf16 = (text: string): string => Buffer.from(text, 'utf16le').swap16().toString('hex').toUpperCase();

test('in a browser an explanation and a day of a ticker each make one file', async () => {
  const page = await browser.window({ username: 'admin', at: `/explanations/${IDS.edited}` });
  const one = await saved(page);
  expect(unseal(one).manifest).toMatchObject({ madeBy: '관리자', subject: { id: IDS.edited } });
  await page.getByText(/증빙 파일을 dossier-.*\.zip으?로 저장했습니다/).waitFor();
  await browser.screenshot(page, 'dossier-saved');
  expect(fits(one)).toContain('The vendor has signed the bytes of each of them.');
  await page.goto(new URL(`/shown?ticker=${TICKER}&date=2026-11-20`, browser.url).href);
  const day = await saved(page);
  expect(unseal(day).manifest).toMatchObject({ subject: { kind: 'SPAN', ticker: TICKER } });
  fits(day);
});

test('the program saves the print of its page beside it, with Korean embedded, and the console is as before', async () => {
  const page = await browser.window({ username: 'admin' });
  await page.exposeFunction('printA4', async () =>
    (await page.pdf({ format: 'A4', tagged: true, outline: true })).toString('base64'),
  );
  await page.addInitScript(() => {
    const print = (): Promise<string> => (globalThis as unknown as { printA4(): Promise<string> }).printA4();
    const bytes = (text: string): Uint8Array => Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
    Object.assign(globalThis, {
      causewayProgram: {
        report: () => Promise.resolve(),
        printPdf: async () => bytes(await print()),
        signIn: { listen: () => Promise.resolve(null), open: () => Promise.reject(new Error('none')) },
      },
    });
  });
  const files: Download[] = [];
  page.on('download', (download) => files.push(download));
  await page.goto(new URL(`/explanations/${IDS.edited}`, browser.url).href);
  fits(await saved(page));
  await page.getByText('서명 없이').waitFor();
  const [file, printed] = files;
  expect(printed?.suggestedFilename()).toBe(file?.suggestedFilename().replace('.zip', '.pdf'));
  const pdf = printed === undefined ? Buffer.alloc(0) : await bytesOf(printed);
  expect(pagesOf(pdf)).toBeGreaterThan(0);
  expect(pagesOf(pdf)).toBeLessThanOrEqual(6);
  const text = Buffer.from(pdf).toString('latin1');
  for (const part of [/\/FontFile[23]/, /\/StructTreeRoot/, /\/Outlines/, /\/Lang \(ko\)/]) expect(text).toMatch(part);
  expect(text).toContain(utf16('증빙 파일'));
  expect(await page.title()).not.toContain('증빙 파일');
  expect(await page.locator('[data-dossier]').count()).toBe(0);
});

test('the largest page has at most six printed pages, and says what it leaves out', async () => {
  const long = '가나다라 마바사 '.repeat(2_000);
  const [explanation] = collected.record.explanations;
  const [shown] = collected.shown;
  if (explanation === undefined || shown === undefined) throw new Error('nothing was collected');
  const many = <T>(items: readonly T[]): T[] => Array.from({ length: 40 }, () => items).flat();
  const heavy = {
    ...explanation,
    fields: { ...explanation.fields, summary: long },
    history: many(explanation.history).map((row) => ({ ...row, reason: long })),
    screenings: many(explanation.screenings),
    served: many(explanation.served),
  };
  const spans = many(shown.spans).map((span, n) =>
    span.showing.state === 'GIVEN'
      ? { ...span, showing: { ...span.showing, text: `${n} ${long}`, disclaimer: long, authors: [long] } }
      : span,
  );
  const html = dossierPage(
    {
      ...collected,
      record: { ...collected.record, explanations: many([heavy]), bundles: many(collected.record.bundles) },
      shown: [{ ...shown, spans }],
      rows: many(collected.rows),
    },
    { madeAt: fixture.at, madeBy: '관리자' },
  );
  expect(html).toContain('more, in the JSON files');
  const page = await browser.page();
  await page.setContent(html);
  expect(pagesOf(await page.pdf({ format: 'A4' }))).toBeLessThanOrEqual(6);
});

test('nobody but the Tenant Admin is offered one', async () => {
  const page = await browser.window({ username: 'reviewer', at: `/explanations/${IDS.edited}` });
  await page.getByRole('link', { name: '제공 이력 보기' }).waitFor();
  expect(await page.getByRole('button', { name: '증빙 파일 저장' }).count()).toBe(0);
});
