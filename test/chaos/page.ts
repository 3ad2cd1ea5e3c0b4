/** Reviewers at the page of the tenant console in Chromium: what they press is recorded by the requests that leave it. */
import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, Page, Request } from 'playwright';
import type { Seeded } from '../support/seeded.ts';
import { CHROMIUM, launchChromium } from '../support/chromium.ts';
import type { Item, Person } from './people.ts';
import { now, type Recorder } from './recorder.ts';

const PATIENCE_MS = 30_000;
const FORM_MS = 5_000;
/** Five minutes of tries: two restores of a lost disk may follow each other on a busy machine. */
const MOST_TRIES = 600;
/** For all steps of one decision: a browser that is out of memory answers nothing. */
const BROWSER_MS = 120_000;
/** After the last fault, in which a page must work again by itself. */
const RECOVERY_MS = 120_000;
interface Told {
  result: Item;
}
const APPROVAL = /\/review\/items\/([^/]+)\/(approve|approve-edited)$/;

/** Chromium for the pages of all tenants; null where there is none. A run that is stopped closes it with the rest. */
export const openBrowser = (): Promise<Browser> | null =>
  existsSync(CHROMIUM) ? launchChromium({ handleSIGINT: false, handleSIGTERM: false }) : null;

async function bounded<T>(work: Promise<T>): Promise<T> {
  const late = new AbortController();
  const silence = pause(BROWSER_MS, null, { signal: late.signal }).then(() => {
    throw new Error('the browser does not answer');
  });
  try {
    return await Promise.race([work, silence]);
  } finally {
    silence.catch(() => undefined);
    late.abort();
  }
}

export class ReviewersPage {
  readonly #person: Person;
  readonly #recorder: Recorder;
  readonly #page: Page;
  /** When each decision was sent off, by its words. */
  readonly #pressed = new Map<string, number>();
  readonly #recordings: Promise<void>[] = [];
  /** Whether the page was loaded and nothing has been missed on it since. */
  #isThere = false;
  /** Whether the last load came to its end: a document that stays without its rest has no script that could go on. */
  #isLoaded = false;

  private constructor(person: Person, recorder: Recorder, page: Page) {
    this.#person = person;
    this.#recorder = recorder;
    this.#page = page;
  }

  /** @param person whose session the page has; the test asks as the same person what an item is */
  static async open(browser: Browser, person: Person, recorder: Recorder): Promise<ReviewersPage> {
    const context = await browser.newContext({ locale: 'ko-KR', viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    const reviewer = new ReviewersPage(person, recorder, page);
    page.on('pageerror', ({ name, message, stack }) => {
      // A page that is loading may lack a part of itself.
      if (reviewer.#isThere) person.host.fail(`the page broke: ${name} ${message} ${stack}`);
      else recorder.count(`page broke while it loaded: ${message}`);
    });
    page.on('request', (request) => {
      const recording = recorder.underWay(() => reviewer.#record(request));
      const told = recording.catch((error: unknown) => person.host.fail(`the page: ${String(error)}`));
      reviewer.#recordings.push(told);
    });
    return reviewer;
  }

  /** Approves what waits, one item after the other. */
  async work(random: Seeded, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      try {
        if (!this.#isThere) await bounded(this.#begin());
        await bounded(this.#decide());
      } catch (error) {
        // A person presses F5.
        this.#isThere = false;
        this.#recorder.count(`page began anew: ${String(error).split(/ at http| to "|\n/)[0]}`);
      }
      await pause(2_000 + random.below(4_000));
    }
    await Promise.all(this.#recordings);
  }

  async #begin(): Promise<void> {
    this.#isLoaded = false;
    await this.#page.goto(`${this.#person.host.consoleUrl}/review`);
    this.#isLoaded = true;
    const [name, main] = [this.#page.locator('input[name=username]'), this.#page.locator('main#main')];
    await name.or(main).first().waitFor();
    if (await name.isVisible()) {
      await name.fill(this.#person.name);
      await this.#page.locator('input[name=password]').fill('causeway-demo');
      await this.#page.locator('form button[type=submit]').click();
      await main.waitFor();
    }
    this.#isThere = true;
  }

  async #decide(): Promise<void> {
    const bar = this.#page.locator('[data-keys] button').first();
    if (!(await bar.isVisible())) {
      // An item that came while the queue was empty waits to be opened.
      const first = this.#page.locator('[data-item]').first();
      this.#recorder.count('page without an open item');
      if ((await this.#page.locator('main#main').count()) === 0) throw new Error('no console');
      if (!(await first.isVisible())) return;
      await first.click({ timeout: FORM_MS });
      await bar.waitFor({ timeout: FORM_MS });
    }
    await bar.click({ timeout: FORM_MS });
    const field = this.#page.locator('article form').getByRole('textbox');
    const token = `${this.#person.mark}-page-${this.#pressed.size + 1}`;
    await field.fill(token, { timeout: FORM_MS });
    await this.#recorder.underWay(async () => {
      this.#pressed.set(token, now());
      await field.press('Control+Enter', { timeout: FORM_MS });
      // The form closes with the acknowledgment.
      await field.waitFor({ state: 'detached' });
    });
  }

  /** A request may leave long after the press, when the page has the connection back. */
  async #record(request: Request): Promise<void> {
    const { pathname } = new URL(request.url());
    const [, id, move] = APPROVAL.exec(pathname) ?? [];
    if (request.method() !== 'POST' || id === undefined) return;
    const sent = JSON.parse(request.postData() ?? '{}') as { comment: string; edited_summary?: string };
    const { comment: token } = sent;
    const begin = this.#pressed.get(token);
    if (begin === undefined) return this.#person.host.fail(`the page approves ${id} with the words "${token}"`);
    const late = pause(PATIENCE_MS).then(() => null);
    const response = await Promise.race([request.response().catch(() => null), late]);
    const body = response?.status() === 200 ? response.json().catch(() => null) : null;
    const told = (await Promise.race([body, late])) as Told | null;
    const end = now();
    const seen = Number(/\d+/.exec(request.headers()['if-match'] ?? '')?.[0]);
    const { item, text: received } = await this.#known(decodeURIComponent(id));
    const text = sent.edited_summary ?? received;
    const known = this.#recorder.texts.get(received);
    if (known !== undefined) this.#recorder.texts.set(text, known);
    // A browser may send a request again whose connection ended, so that a refusal may follow an effect.
    const isDone = told !== null;
    this.#recorder.count(`page: ${move} ${response?.status() ?? 'gave no answer'}`);
    this.#recorder.add({
      kind: 'DECISION',
      tenant: this.#person.host.index,
      item,
      // An item with an edited text offers that one first.
      move: move === 'approve-edited' ? move : 'approve',
      token,
      person: this.#person.name,
      seen,
      version: told?.result.version ?? null,
      text,
      begin,
      end: isDone ? end : Number.POSITIVE_INFINITY,
      outcome: isDone ? 'DONE' : 'OPEN',
    });
  }

  /** What the item is that the page has decided about: asked until there is an answer. */
  async #known(id: string): Promise<{ item: string; text: string }> {
    for (let tries = 1; ; tries += 1) {
      try {
        const { status, result } = await this.#person.ask<Item>('GET', `/review/items/${id}`);
        if (status === 200) return { item: result.explanation_result_id, text: result.summary };
        if (tries === MOST_TRIES) throw new Error(`the item ${id} is answered ${status}`);
      } catch (error) {
        if (tries >= MOST_TRIES) throw error;
      }
      await pause(500);
    }
  }

  /** Without F5, after the last fault; what has never loaded is opened first. @returns a breach, or null */
  async works(): Promise<string | null> {
    const page = this.#page;
    // Chromium may show a page of its own.
    const isOpen = (): boolean => this.#isLoaded && page.url().startsWith('http');
    for (let tries = 1; !isOpen() && tries <= 3; tries += 1) await bounded(this.#begin()).catch(() => undefined);
    const isWell = async (): Promise<boolean> => {
      if (await page.locator('input[name=username]').isVisible()) return true;
      return (await page.locator('main#main').isVisible()) && (await page.locator('[data-outage]').count()) === 0;
    };
    for (const deadline = now() + RECOVERY_MS; now() < deadline; await pause(500))
      if (await bounded(isWell()).catch(() => false)) return null;
    const text = await page.locator('body').innerText().catch(String);
    return `tenant ${this.#person.host.index}: the page does not go on by itself: ${text.slice(0, 600)}`;
  }
}
