/** The random reviewer of `random.test.ts`, and the invariants that each step must keep. */
import type { Page } from 'playwright';
import type { Page as ListPage, ReviewItem } from '../../../../shared/wire/console/console.ts';
import { Seeded } from '../../../support/seeded.ts';
import { logIn, type ApiSession } from '../../console-fixture.ts';
import type { ConsoleBrowser } from '../../console-browser.ts';
import { recordHand, type Call, type Input, type Seen } from './hand-recorder.ts';

const DECISION_KEYS = ['KeyA', 'KeyE', 'KeyR', 'KeyB'];
const OPENERS = ['KeyO', 'Slash', 'KeyK'];
const KEYS = [
  ...['KeyJ', 'KeyJ', 'KeyJ', 'KeyK', 'ArrowDown', 'ArrowUp', 'Space', 'Shift+Space', 'KeyU', 'KeyO', 'Shift+Slash'],
  ...DECISION_KEYS,
  ...DECISION_KEYS,
  ...['Enter', 'Enter', 'Control+Enter', 'Control+Enter', 'Control+Enter', 'Escape', 'Escape', 'Tab', 'Tab'],
  ...['Shift+Tab', 'Control+KeyK', 'Digit1', 'Digit3', 'Backspace'],
];
/** The letters of the shortcuts, among others: typed as reasons. */
const WORDS = ['arbe', 'break', 'oak', 'rebuke', 'jab', 'a b', 'seen'];
/** Routes that change a decision or a text; claims and looks do not. */
const DECIDES = /\/(?:approve|approve-edited|reject|block|stop|move-to-review|final)$/;
/** How long keys rest after a form has opened or closed, in ms. */
const REST_MS = 500;
/** The hand's speed: the page's clock advances by this with each step, in ms. */
const STEP_MS = 40;

/** Fields of a request that no user types. */
const NOT_WRITTEN = new Set(['code', 'text', 'draftId']);

export class RandomHand {
  readonly faults: string[] = [];
  readonly counts = new Map<string, number>();
  readonly #browser: ConsoleBrowser;
  readonly #page: Page;
  readonly #colleague: ApiSession;
  readonly #random: Seeded;
  /** Letters that were typed into a field, by item and field. */
  readonly #typed = new Map<string, string>();
  readonly #trail: string[] = [];
  #isOffline = false;
  #lastInput: Input | null = null;
  /** A click has requested a form that opens once the API has answered: no key has opened it. */
  #isFormAsked = false;
  /** The last inputs without a decision. */
  #recent: Input[] = [];
  /** The screen after the last step; null on a new page. */
  #before: Seen | null = null;

  private constructor(browser: ConsoleBrowser, page: Page, colleague: ApiSession, seed: number) {
    this.#browser = browser;
    this.#page = page;
    this.#colleague = colleague;
    this.#random = new Seeded(seed);
    // The recorder prevents such links: while such a window closes, the context cannot be taken offline.
    page.context().on('page', () => this.faults.push(`A window opened. ${this.#after()}`));
  }

  static async begin(browser: ConsoleBrowser, seed: number): Promise<RandomHand> {
    const colleague = await browser.secondReviewer();
    const page = await browser.window({ before: recordHand, handsAnswersOver: true, width: 1280, height: 720 });
    await page.locator('article h2').waitFor();
    // A key meant for the login must not reach the queue.
    await page.evaluate((ms) => window.handSkip(ms), REST_MS + 50);
    return new RandomHand(browser, page, colleague, seed);
  }

  async step(): Promise<void> {
    try {
      await this.#act();
      await this.#judge();
    } catch (error) {
      if (!isNavigation(error)) throw error;
      // The button of a screen whose file did not come; the page loads only when its files are there.
      if (this.#before?.offersReload !== true) this.faults.push(`The page loaded by itself. ${this.#after()}`);
      await this.#loadAnew();
    }
  }

  async #act(): Promise<void> {
    const isAway = this.#before?.item === null;
    const what = this.#random.next();
    if (this.#isOffline && what < 0.1) await this.#connection();
    else if (isAway && what < 0.3) await this.#home();
    else if (what < 0.45) await this.#press(this.#one(KEYS));
    else if (what < 0.53) await this.#type(this.#one(WORDS));
    else if (what < 0.7) await this.#decide();
    else if (what < 0.82) await this.#click();
    else if (what < 0.9) await this.#others();
    else if (what < 0.92) await this.#connection();
    else if (what < 0.97) await this.#rest();
    else if (what < 0.995) await this.#home();
    else await this.#reload();
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

  /** A deliberate decision of a reviewer: as fast as the keys allow, or after a pause. */
  async #decide(): Promise<void> {
    await this.#turnKeysOn();
    if (this.#random.next() < 0.6) {
      await this.#press('Escape');
      await this.#rest();
    }
    const key = this.#one(DECISION_KEYS);
    await this.#press(key);
    if (key === 'KeyE') await this.#type(this.#one(WORDS));
    if (key === 'KeyR' || key === 'KeyB') await this.#press('Digit1');
    await this.#press('Control+Enter');
  }

  /** A random command of the palette may have turned the shortcuts off: without them the hand would decide nothing more. */
  async #turnKeysOn(): Promise<void> {
    const isOff = await this.#page.evaluate(() => localStorage.getItem('causeway.shortcuts') === 'off');
    if (!isOff) return;
    this.#note('turns the shortcuts on');
    await this.#page.evaluate(() => localStorage.removeItem('causeway.shortcuts'));
    await this.#loadAnew();
  }

  /** Clicks any clickable element on the screen. */
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

  /** A colleague or the vendor changes a waiting item. */
  async #others(): Promise<void> {
    const { items } = await this.#colleague.ask<ListPage<ReviewItem>>('GET', '/api/v1/review/items?size=100');
    // The queue never runs empty.
    if (items.length < 15) {
      this.#note('the vendor sends 20 more');
      return this.#browser.addWaiting(20);
    }
    // One in three concerns the open item.
    const open = items.find(({ id }) => id === this.#before?.item);
    const item = open !== undefined && this.#random.next() < 0.3 ? open : this.#one(items);
    const base = `/api/v1/review/items/${encodeURIComponent(item.id)}`;
    const acts: Record<string, () => unknown> = {
      'colleague approves': () => this.#colleague.ask('POST', `${base}/approve`, {}),
      'colleague rejects': () => this.#colleague.ask('POST', `${base}/reject`, { reason: 'WEAK_GROUNDS' }),
      'colleague edits': () =>
        this.#colleague.ask('POST', `${base}/approve-edited`, {
          edited_summary: '동료가 고친 문구.',
        }),
      'colleague drafts': () => this.#colleague.ask('PUT', `${base}/draft`, { edited_summary: '동료가 쓰던 문구.' }),
      'colleague claims': () => this.#colleague.ask('POST', `${base}/claim`),
      'vendor rewords': () => this.#browser.reword(item.id),
    };
    const name = this.#one(Object.keys(acts));
    this.#note(`${name} ${item.etf_ticker}`);
    try {
      await acts[name]?.();
    } catch {
      // The reviewer may have been faster, or the item may carry an edit.
    }
  }

  async #connection(): Promise<void> {
    this.#isOffline = !this.#isOffline;
    this.#note(this.#isOffline ? 'the connection goes' : 'the connection comes');
    await this.#page.context().setOffline(this.#isOffline);
  }

  /** Advances the page's clock past the rest of the keys, without real time. */
  async #rest(): Promise<void> {
    this.#note('rests');
    await this.#page.evaluate((ms) => window.handSkip(ms), REST_MS + 50);
  }

  /** Returns to the queue from any screen. */
  async #home(): Promise<void> {
    if (this.#isOffline) await this.#connection();
    if (this.#before?.isLoggedOut === true) {
      this.#note('logs in');
      await this.#page.goto(`${this.#browser.url}/review`);
      await logIn(this.#page, 'reviewer');
      return this.#begun();
    }
    this.#note('opens the queue');
    await this.#page.keyboard.press('Escape');
    await this.#page.keyboard.press('Escape');
    const at = await this.#page.evaluate(() => {
      const box = document.querySelector('nav a[href^="/review"]')?.getBoundingClientRect();
      return box === undefined ? null : { x: box.left + box.width / 2, y: box.top + box.height / 2 };
    });
    if (at !== null) await this.#page.mouse.click(at.x, at.y);
  }

  /** Reloads the page, as F5 does. */
  async #reload(): Promise<void> {
    if (this.#isOffline) await this.#connection();
    await this.#judge();
    this.#note('reloads');
    await this.#loadAnew();
  }

  async #loadAnew(): Promise<void> {
    if (this.#isOffline) await this.#connection();
    await this.#page.goto(`${this.#browser.url}/review`);
    await this.#page.locator('[data-item], input[name=password], main#main').first().waitFor();
    this.#begun();
  }

  /** The page is new: earlier input can no longer send anything. */
  #begun(): void {
    this.#lastInput = null;
    this.#recent = [];
    this.#before = null;
  }

  #note(what: string): void {
    this.#trail.push(what);
  }

  /** Reads the record from the page, and checks it against the invariants. */
  async #judge(): Promise<void> {
    const { inputs, calls, answers, seen } = await this.#page.evaluate((ms) => {
      window.handSkip(ms);
      const recording = window.handRecording;
      return {
        inputs: recording.inputs.splice(0),
        calls: recording.calls.splice(0),
        answers: recording.answers.splice(0),
        seen: window.handLook(),
      };
    }, STEP_MS);
    for (const { text, ...asked } of answers) this.#browser.holdAnswer(asked, JSON.parse(text));
    for (const input of inputs) {
      const { item, field } = input.seen;
      if (input.kind !== 'key' || field === null || input.key.length !== 1) continue;
      const pool = `${item}|${field}`;
      this.#typed.set(pool, (this.#typed.get(pool) ?? '') + input.key);
    }
    for (const input of inputs) this.#holdOpening(input);
    this.#recent = [...this.#recent, ...inputs].slice(-60);
    for (const call of calls) this.#hold(call);
    await this.#holdFocus(inputs, seen);
    this.#before = seen;
  }

  /**
   * A decision key opens a form only for a listed item, and never beside another form (D118).
   */
  #holdOpening(next: Input): void {
    const opener = this.#lastInput;
    this.#lastInput = next;
    const isAsked = this.#isFormAsked;
    this.#isFormAsked =
      (next.kind === 'click' && next.what.startsWith('이어서 작성')) ||
      (isAsked && next.seen.item === opener?.seen.item && !next.seen.forms.some(({ name }) => isDecisionForm(name)));
    if (isAsked) return;
    if (opener === null || next.seen.article !== opener.seen.article || next.seen.item !== opener.seen.item) return;
    const isDecision = opener.kind === 'key' && !opener.withControl && DECISION_KEYS.includes(opener.what);
    if (!isDecision || opener.seen.field !== null) return;
    const known = new Set(opener.seen.forms.map(({ id }) => id));
    const opened = next.seen.forms.find(({ id, name }) => !known.has(id) && isDecisionForm(name));
    if (opened === undefined) return;
    if (!opener.seen.isListed)
      this.faults.push(`${opener.what} opened ${opened.name} for an item outside of the list. ${this.#after()}`);
    if (opener.seen.forms.length > 0)
      this.faults.push(`${opener.what} opened ${opened.name} beside another form. ${this.#after()}`);
  }

  /** A form opened by a step takes the focus, so that the next keys go there. */
  async #holdFocus(inputs: readonly Input[], { forms, isFocusInForm, article }: Seen): Promise<void> {
    const before = this.#before;
    const opened = forms.at(-1);
    if (before === null || before.article === null || opened === undefined) return;
    // A form that appears with its item was left open there: no input has opened it now.
    if (before.article !== article && isDecisionForm(opened.name)) return;
    // Nor one that came back with its item, because its decision was not taken.
    const hasSent = inputs.some(({ withControl, what }) => withControl && what === 'Enter');
    if (hasSent || before.forms.some(({ name }) => name === opened.name)) return;
    if (isFocusInForm || before.forms.some(({ id }) => id === opened.id)) return;
    const isOpener = inputs.some(({ kind, what }) =>
      isDecisionForm(opened.name)
        ? DECISION_KEYS.includes(what) || /^(?:승인|수정 승인|반려|차단)/.test(what)
        : kind === 'click' || OPENERS.includes(what),
    );
    if (!isOpener) return;
    await this.#page
      .waitForFunction(
        (id) => {
          window.handSkip(20);
          const now = window.handLook();
          return now.isFocusInForm || now.forms.at(-1)?.id !== id;
        },
        opened.id,
        { timeout: 3_000 },
      )
      .catch(() => this.faults.push(`${opened.name} opened, and the focus stayed outside. ${this.#after()}`));
  }

  #after(): string {
    return `After ${this.#trail.slice(-12).join(' > ')}`;
  }

  #hold(call: Call): void {
    const route = call.path.split('/').at(-1) ?? '';
    this.counts.set(route, (this.counts.get(route) ?? 0) + 1);
    const item = /\/(?:items|explanations)\/([^/]+)\//.exec(call.path)?.[1] ?? null;
    if (item !== null) this.#holdTexts(call, decodeURIComponent(item));
    if (!DECIDES.test(call.path)) return;
    if (item !== null && call.version === null) this.#fault(call, 'it is bound to no version');
    // A request may come later than its input: the API is probed first.
    const sent = this.#recent.findLastIndex(
      (input) => (item === null || input.seen.shown === decodeURIComponent(item)) && isExplicit(input, route),
    );
    const [by] = sent === -1 ? [] : this.#recent.splice(sent, 1);
    if (by === undefined) return this.#fault(call, 'no input sent it with the item in view');
    if (item === null || !call.path.includes('/review/')) return;
    // Only review routes: an undo shows the item's name, not its text.
    if (call.textOfVersion === null) this.#fault(call, 'its version was never read');
    else if (!by.seen.reading.includes(call.textOfVersion))
      this.#fault(call, 'the text of its version was not in view');
  }

  #holdTexts(call: Call, item: string): void {
    for (const [name, value] of Object.entries(call.body)) {
      if (typeof value !== 'string' || NOT_WRITTEN.has(name)) continue;
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

/** Whether the page was left for a new one while it was asked. */
const isNavigation = (error: unknown): boolean =>
  error instanceof Error && error.message.includes('Execution context was destroyed');

/** The label of a decision form begins with the item's ticker. */
function isDecisionForm(name: string): boolean {
  return /^\d{6}/.test(name);
}

/**
 * Whether an input sends: Control+Enter in a form, a click on its button, Enter or Space there once it was open long
 * enough to be seen.
 */
function isExplicit({ kind, what, withControl, isOnButton, heardAt, seen }: Input, route: string): boolean {
  if (kind === 'click') return isOnButton;
  if (what === 'KeyU') return route === 'move-to-review' && seen.field === null;
  if (what !== 'Enter' && what !== 'Space') return false;
  if (what === 'Enter' && withControl) return seen.forms.length > 0 && seen.isFocusInForm;
  const last = seen.forms.at(-1);
  return isOnButton && (last === undefined || heardAt === null || heardAt >= last.absentUntil + REST_MS);
}
