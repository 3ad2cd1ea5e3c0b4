/** The random reviewer of `console-random.test.ts`, and the laws that whatever they do must keep. */
import type { Page } from 'playwright';
import type { Page as ListPage, ReviewItem } from '../../shared/wire/console.ts';
import { Seeded } from '../faults/truth.ts';
import type { ApiSession } from './console-bed.ts';
import type { ConsoleBrowser } from './console-browser.ts';
import { recordHand, type Call, type Input, type Recording } from './hand-recorder.ts';

const DECISION_KEYS = ['KeyA', 'KeyE', 'KeyR', 'KeyB'];
const OPENERS = ['KeyO', 'Slash', 'KeyK'];
const KEYS = [
  ...['KeyJ', 'KeyJ', 'KeyJ', 'KeyK', 'ArrowDown', 'ArrowUp', 'Space', 'Shift+Space', 'KeyU', 'KeyO', 'Shift+Slash'],
  ...DECISION_KEYS,
  ...DECISION_KEYS,
  ...['Enter', 'Enter', 'Control+Enter', 'Control+Enter', 'Control+Enter', 'Escape', 'Escape', 'Tab', 'Tab'],
  ...['Shift+Tab', 'Control+KeyK', 'Digit1', 'Digit3', 'Backspace'],
];
/** Letters of the shortcuts among others: what a person types as a reason. */
const WORDS = ['arbe', 'break', 'oak', 'rebuke', 'jab', 'a b', 'seen'];
/** What takes part in a decision or in a text; claims and looks do not. */
const DECIDES = /\/(?:approve|approve-edited|reject|block|stop|move-to-review|final)$/;
/** So long after a form has opened or closed the keys rest, in ms. */
const REST_MS = 500;

export class RandomHand {
  readonly faults: string[] = [];
  readonly counts = new Map<string, number>();
  readonly #desk: ConsoleBrowser;
  readonly #page: Page;
  readonly #colleague: ApiSession;
  readonly #random: Seeded;
  /** Letters that were typed into a field, by item and field. */
  readonly #typed = new Map<string, string>();
  #isOffline = false;
  readonly #trail: string[] = [];
  #lastInput: Input | null = null;
  /** The last inputs that no decision has come of yet. */
  #recent: Input[] = [];
  /** How many forms and dialogs were open after the last step, and beside which item; null on a page that is new. */
  #open: { forms: number; item: string | null } | null = null;

  private constructor(desk: ConsoleBrowser, page: Page, colleague: ApiSession, seed: number) {
    this.#desk = desk;
    this.#page = page;
    this.#colleague = colleague;
    this.#random = new Seeded(seed);
  }

  static async begin(desk: ConsoleBrowser, seed: number): Promise<RandomHand> {
    const colleague = await desk.secondReviewer();
    const page = await desk.window({ before: recordHand });
    await page.locator('article h2').waitFor();
    return new RandomHand(desk, page, colleague, seed);
  }

  async step(): Promise<void> {
    const what = this.#random.next();
    if (what < 0.55) await this.#press(this.#one(KEYS));
    else if (what < 0.65) await this.#type(this.#one(WORDS));
    else if (what < 0.72) await this.#decide();
    else if (what < 0.86) await this.#click();
    else if (what < 0.92) await this.#colleagueActs();
    else if (what < 0.95) await this.#connection();
    else if (what < 0.98) await this.#rest();
    else await this.#home();
    await this.#judge();
  }

  #one<T>(of: readonly T[]): T {
    const found = of[Math.floor(this.#random.next() * of.length)];
    if (found === undefined) throw new RangeError('nothing to choose from');
    return found;
  }

  async #press(key: string): Promise<void> {
    this.#note(key);
    await this.#page.keyboard.press(key);
  }

  async #type(word: string): Promise<void> {
    this.#note(`types ${word}`);
    for (const letter of word) await this.#page.keyboard.press(letter === ' ' ? 'Space' : `Key${letter.toUpperCase()}`);
  }

  /** What a reviewer does on purpose, as fast as the keys go. */
  async #decide(): Promise<void> {
    const key = this.#one(DECISION_KEYS);
    await this.#press(key);
    if (key === 'KeyE') await this.#type(this.#one(WORDS));
    if (key === 'KeyR' || key === 'KeyB') await this.#press('Digit1');
    await this.#press('Control+Enter');
  }

  /** Anything on the screen that can be clicked. */
  async #click(): Promise<void> {
    const at = await this.#page.evaluate((chance) => {
      const shown = [
        ...document.querySelectorAll<HTMLElement>(
          'main button, main a[data-item], main input, main textarea, [role=dialog] button, [role=dialog] input, [role=menuitem]',
        ),
      ].filter((element) => {
        const { width, height, top, bottom } = element.getBoundingClientRect();
        return width > 0 && height > 0 && top >= 0 && bottom <= innerHeight && element.closest('[disabled]') === null;
      });
      const chosen = shown[Math.floor(chance * shown.length)];
      if (chosen === undefined) return null;
      const { left, top, width, height } = chosen.getBoundingClientRect();
      return { x: left + width / 2, y: top + height / 2, what: chosen.textContent.slice(0, 40) };
    }, this.#random.next());
    if (at === null) return;
    this.#note(`clicks ${at.what}`);
    await this.#page.mouse.click(at.x, at.y);
  }

  /** The colleague decides, writes or looks at an item that waits; what is decided comes back later. */
  async #colleagueActs(): Promise<void> {
    const { items } = await this.#colleague.ask<ListPage<ReviewItem>>('GET', '/api/v1/review/items?size=100');
    if (items.length < 15) return this.#replenish();
    const item = this.#one(items);
    const base = `/api/v1/review/items/${encodeURIComponent(item.id)}`;
    const acts: Record<string, () => Promise<unknown>> = {
      approves: () => this.#colleague.ask('POST', `${base}/approve`, {}),
      rejects: () => this.#colleague.ask('POST', `${base}/reject`, { reason: 'WEAK_GROUNDS' }),
      edits: () => this.#colleague.ask('POST', `${base}/approve-edited`, { edited_summary: '동료가 고친 문구.' }),
      drafts: () => this.#colleague.ask('PUT', `${base}/draft`, { edited_summary: '동료가 쓰던 문구.' }),
      claims: () => this.#colleague.ask('POST', `${base}/claim`),
    };
    const name = this.#one(Object.keys(acts));
    this.#note(`colleague ${name} ${item.etf_ticker}`);
    // The reviewer may have been faster, or the item may carry an edit.
    await acts[name]?.().catch(() => undefined);
  }

  /** The hand never runs out of items. */
  #replenish(): void {
    this.#desk.addWaiting(20);
    this.#note('the vendor sends 20 more');
  }

  async #connection(): Promise<void> {
    this.#isOffline = !this.#isOffline;
    this.#note(this.#isOffline ? 'the connection goes' : 'the connection comes');
    await this.#page.context().setOffline(this.#isOffline);
  }

  async #rest(): Promise<void> {
    this.#note('rests');
    await this.#page.waitForFunction((until) => performance.now() > until, (await this.#now()) + REST_MS + 50);
  }

  #now(): Promise<number> {
    return this.#page.evaluate(() => performance.now());
  }

  /** Back to the queue, wherever the clicks have led to. */
  async #home(): Promise<void> {
    if (this.#isOffline) await this.#connection();
    this.#note('opens the queue');
    await this.#page.keyboard.press('Escape');
    await this.#page.keyboard.press('Escape');
    await this.#page.locator('nav a[href^="/review"]').first().click();
  }

  #note(what: string): void {
    this.#trail.push(what);
  }

  /** Takes what was recorded out of the page, and holds it against the laws. */
  async #judge(): Promise<void> {
    const { inputs, calls } = await this.#keep();
    for (const { seen, kind, key } of inputs) {
      if (kind !== 'key' || seen.field === null || key.length !== 1) continue;
      const pool = `${seen.item}|${seen.field}`;
      this.#typed.set(pool, (this.#typed.get(pool) ?? '') + key);
    }
    for (const input of inputs) this.#holdOpening(input);
    this.#recent = [...this.#recent, ...inputs].slice(-40);
    for (const call of calls) this.#hold(call);
    await this.#holdFocus(inputs);
  }

  #keep(): Promise<Recording> {
    return this.#page.evaluate(() => {
      const { inputs, calls } = window.handRecording;
      return { inputs: inputs.splice(0), calls: calls.splice(0) };
    });
  }

  /** A decision key opens a form for a listed item alone. */
  #holdOpening(next: Input): void {
    const opener = this.#lastInput;
    this.#lastInput = next;
    if (opener === null || next.seen.forms.length <= opener.seen.forms.length) return;
    if (next.seen.item !== opener.seen.item) return;
    const isDecision = opener.kind === 'key' && !opener.withControl && DECISION_KEYS.includes(opener.what);
    if (isDecision && !opener.seen.isListed)
      this.faults.push(
        `${opener.what} opened ${next.seen.forms.at(-1)} for an item outside of the list. ${this.#after()}`,
      );
  }

  /** What a step has opened takes the focus, so that what is typed next goes there. */
  async #holdFocus(inputs: readonly Input[]): Promise<void> {
    const { forms, isFocusInForm, item } = await this.#page.evaluate(() => window.handLook());
    // A form that was left open stands there again when one walks back to its item, and waits.
    const isNew = this.#open !== null && forms.length > this.#open.forms && item === this.#open.item;
    this.#open = { forms: forms.length, item };
    // A decision's form that was left open comes again with its item; no key of this step has opened it.
    const isDecision = /^\d{6}/.test(forms.at(-1) ?? '');
    const isOpener = inputs.some(({ kind, what }) =>
      isDecision
        ? DECISION_KEYS.includes(what) || /^(?:승인|수정 승인|반려|차단)/.test(what)
        : kind === 'click' || OPENERS.includes(what),
    );
    if (!isNew || isFocusInForm || !isOpener) return;
    await this.#page
      .waitForFunction(() => window.handLook().isFocusInForm || window.handLook().forms.length === 0, null, {
        timeout: 3_000,
      })
      .catch(() => this.faults.push(`${forms.at(-1)} opened, and the focus stayed outside. ${this.#after()}`));
  }

  #after(): string {
    return `After ${this.#trail.slice(-8).join(' > ')}`;
  }

  #hold(call: Call): void {
    const route = call.path.split('/').at(-1) ?? '';
    this.counts.set(route, (this.counts.get(route) ?? 0) + 1);
    const item = /\/(?:items|explanations)\/([^/]+)\//.exec(call.path)?.[1] ?? null;
    if (item !== null) this.#holdTexts(call, decodeURIComponent(item));
    if (!DECIDES.test(call.path)) return;
    if (item !== null && call.version === null) this.#fault(call, 'it is bound to no version');
    // A call may come later than its input: the API is asked first whether it answers.
    const sent = this.#recent.findLastIndex(
      (input, index, all) =>
        (item === null || input.seen.item === decodeURIComponent(item)) && isExplicit(input, all[index - 1]),
    );
    if (sent === -1) this.#fault(call, 'no input sent it with the item in view');
    else this.#recent.splice(sent, 1);
  }

  #holdTexts(call: Call, item: string): void {
    for (const [name, value] of Object.entries(call.body)) {
      if (typeof value !== 'string' || name === 'code' || name === 'text') continue;
      const isCustomerText = name === 'edited_summary' || name === 'published_summary';
      const pools = [...this.#typed].filter(([pool]) => {
        const [ofItem, field] = pool.split('|');
        return ofItem === item && (field === 'edited_summary') === isCustomerText;
      });
      const typed = pools.map(([, letters]) => letters).join('');
      for (const letter of new Set(value.replaceAll(/[^a-z]/g, '').replaceAll('p', ''))) {
        const count = (text: string): number => text.split(letter).length - 1;
        if (count(value) > count(typed)) this.#fault(call, `${name} holds "${letter}" that was not typed into it`);
      }
    }
  }

  #fault({ method, path, body }: Call, what: string): void {
    const told = this.#recent
      .slice(-3)
      .map(({ what: by, withControl, seen }) => [by, withControl, seen.forms, seen.item, seen.field]);
    this.faults.push(`${method} ${path} ${JSON.stringify(body)}: ${what}. ${JSON.stringify(told)}. ${this.#after()}`);
  }
}

/** Whether an input is a send: Control+Enter in a form, a click, or Enter and Space where the form was open long enough to be seen. */
function isExplicit(input: Input, before: Input | undefined): boolean {
  if (input.kind === 'click') return true;
  const { forms, isFocusInForm } = input.seen;
  if (forms.length === 0 || !isFocusInForm) return false;
  if (input.what !== 'Enter' && input.what !== 'Space') return false;
  if (input.what === 'Enter' && input.withControl) return true;
  const wasOpen = before !== undefined && before.seen.forms.join('|') === forms.join('|');
  return wasOpen || before === undefined || input.at - before.at >= REST_MS;
}
