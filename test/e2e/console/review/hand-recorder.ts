/**
 * Records inside the page what the user sees at each key and click, and each change sent to the API, so that no later
 * event can change the record.
 */

/** A form, dialog or menu that is open. */
export interface OpenPlace {
  /** Stays the same while this element is in the document. */
  id: number;
  name: string;
  absentUntil: number;
}

/** The screen at the beginning of an input. */
export interface Seen {
  /** Id of the open item in the address; null outside of the queue. */
  item: string | null;
  /** Id of the item or explanation that the screen shows; null for none. */
  shown: string | null;
  /** The rendered item by its heading, because an item reuses the elements of another; null while none is rendered. */
  article: string | null;
  /** The texts under review, without marks. */
  reading: string;
  /** Whether the open item was in the list. */
  isListed: boolean;
  /** In the order of opening. */
  forms: OpenPlace[];
  /** Whether the last of them had the focus. */
  isFocusInForm: boolean;
  /** The focused text field, by its name or label; null for none. */
  field: string | null;
  isLoggedOut: boolean;
  /** Whether the screen that lacks a file offers to load the page again. */
  offersReload: boolean;
}

export interface Input {
  kind: 'key' | 'click';
  /** `KeyboardEvent.code`, or the label of the clicked element. */
  what: string;
  key: string;
  withControl: boolean;
  /** Whether it hit a button that can send: of a form, a dialog or a held approval. */
  isOnButton: boolean;
  /** When all listeners had handled it, in ms of the page's clock; null if that was not awaited. */
  heardAt: number | null;
  seen: Seen;
}

export interface Call {
  method: string;
  path: string;
  body: Record<string, unknown>;
  version: string | null;
  /** The text of that version as the API has sent it to this page; null if it never has. */
  textOfVersion: string | null;
}

/** An answer of the API to this page; repeated equal answers are recorded once. */
export interface Answer {
  method: string;
  pathname: string;
  status: number;
  text: string;
}

export interface Recording {
  inputs: Input[];
  calls: Call[];
  answers: Answer[];
}

declare global {
  interface Window {
    handRecording: Recording;
    handLook: () => Seen;
    /** Advances the page's clock, and runs the timers due until then. */
    handSkip: (ms: number) => void;
  }
}

/** Runs in the page before its own scripts (`page.addInitScript`). */
export function recordHand(): void {
  const recording: Recording = { inputs: [], calls: [], answers: [] };
  window.handRecording = recording;
  const PLACES = 'form, [role=dialog], [role=menu]';

  // The page's clock stands still between two steps, so that the machine's load makes no difference.
  let now = performance.now();
  performance.now = () => now;
  const waiting = new Map<number, { at: number; run: () => void; again: number | null }>();
  let timers = 1_000_000;
  function later(run: () => void, ms: number, again: number | null): number {
    timers += 1;
    waiting.set(timers, { at: now + ms, run, again });
    return timers;
  }
  window.handSkip = (ms) => {
    const until = now + ms;
    for (;;) {
      const [next] = [...waiting].filter(([, { at }]) => at <= until).sort(([, one], [, other]) => one.at - other.at);
      if (next === undefined) break;
      const [timer, { at, run, again }] = next;
      now = Math.max(now, at);
      if (again === null) waiting.delete(timer);
      else waiting.set(timer, { at: at + again, run, again });
      run();
    }
    now = until;
  };
  /** Shorter timers, in ms, stay on the real clock: they belong to the same step. */
  const AT_ONCE_MS = 50;
  const real = {
    setTimeout: window.setTimeout.bind(window),
    setInterval: window.setInterval.bind(window),
    clearTimeout: window.clearTimeout.bind(window),
    clearInterval: window.clearInterval.bind(window),
    fetch: window.fetch.bind(window),
  };
  const timer =
    (kind: 'setTimeout' | 'setInterval') =>
    (run: TimerHandler, ms = 0, ...args: unknown[]): number => {
      if (typeof run !== 'function' || ms < AT_ONCE_MS) return real[kind](run, ms, ...args);
      const heard = run as (...given: unknown[]) => void;
      return later(() => heard(...args), ms, kind === 'setInterval' ? ms : null);
    };
  const clear =
    (kind: 'clearTimeout' | 'clearInterval') =>
    (id?: number): void => {
      if (id === undefined || !waiting.delete(id)) real[kind](id);
    };
  Object.assign(window, {
    setTimeout: timer('setTimeout'),
    setInterval: timer('setInterval'),
    clearTimeout: clear('clearTimeout'),
    clearInterval: clear('clearInterval'),
  });

  const isTextField = (element: Element | null): element is HTMLInputElement | HTMLTextAreaElement =>
    element instanceof HTMLTextAreaElement ||
    (element instanceof HTMLInputElement && ['text', 'search', 'password', 'date', 'number'].includes(element.type));

  const numbers = new WeakMap<Element, Omit<OpenPlace, 'name'>>();
  let last = 0;
  let lookedAt = now;
  function known(element: Element): Omit<OpenPlace, 'name'> {
    const before = numbers.get(element);
    if (before !== undefined) return before;
    const found = { id: (last += 1), absentUntil: lookedAt };
    numbers.set(element, found);
    return found;
  }
  const places = (): HTMLElement[] =>
    [...document.querySelectorAll<HTMLElement>(PLACES)].filter((place) => place.closest('search') === null);
  function note(): void {
    const open = places();
    open.forEach(known);
    lookedAt = now;
  }
  new MutationObserver(note).observe(document, { childList: true, subtree: true });

  /** Without the labels of the marks, which are not part of the text. */
  function readingOf(text: Element): string {
    const copy = text.cloneNode(true) as Element;
    for (const label of copy.querySelectorAll('mark > [data-severity]')) label.remove();
    return copy.textContent;
  }

  function look(): Seen {
    const id = /^\/(?:review|case)\/([^/]+)/.exec(location.pathname)?.[1] ?? null;
    const item = id === null ? null : decodeURIComponent(id);
    const explanation = /^\/explanations\/([^/]+)/.exec(location.pathname)?.[1];
    const article = document.querySelector('article');
    const forms = places().filter(
      (form) => form.offsetParent !== null && (form.parentElement?.closest(PLACES) ?? null) === null,
    );
    const focused = document.activeElement;
    // The topmost dialog, or else the last form in the page, opened last. A form without a field needs no focus.
    const takesWords = forms.at(-1)?.querySelector('input, textarea, select') !== null;
    const isFocusInForm =
      !takesWords ||
      (forms.at(-1)?.role === 'dialog'
        ? forms.some((form) => form.role === 'dialog' && form.contains(focused))
        : (forms.at(-1)?.contains(focused) ?? false));
    return {
      item,
      shown: explanation === undefined ? item : decodeURIComponent(explanation),
      article: article?.querySelector('h2')?.textContent ?? null,
      reading: [...document.querySelectorAll('[data-reading]')].map(readingOf).join('\n'),
      isListed: item !== null && document.querySelector(`[data-item="${CSS.escape(item)}"]`) !== null,
      forms: forms.map((form) => ({
        ...known(form),
        name: form.getAttribute('aria-label') ?? form.getAttribute('role') ?? 'form',
      })),
      isFocusInForm,
      field: isTextField(focused)
        ? focused.name || (focused.labels?.[0]?.textContent ?? focused.ariaLabel ?? '')
        : null,
      isLoggedOut: document.querySelector('input[name=password]') !== null,
      offersReload: document.querySelector('main')?.textContent.includes('화면 파일을 불러오지 못했습니다') === true,
    };
  }

  window.handLook = look;

  function keep(input: Omit<Input, 'heardAt' | 'seen'>): void {
    const whole: Input = { ...input, heardAt: null, seen: look() };
    note();
    recording.inputs.push(whole);
    setTimeout(() => (whole.heardAt = now));
  }

  const isSender = (element: Element | null): boolean =>
    (element?.closest('button, [role=menuitem]')?.closest(`${PLACES}, [data-hold]`) ?? null) !== null;

  window.addEventListener(
    'keydown',
    (event) => {
      if (!event.isTrusted) return;
      const { code: what, key, ctrlKey, metaKey } = event;
      const isOnButton = isSender(document.activeElement);
      keep({ kind: 'key', what, key, withControl: ctrlKey || metaKey, isOnButton });
    },
    true,
  );
  window.addEventListener(
    'click',
    (event) => {
      // Enter and Space click as well; then the key is the user's input.
      if (!event.isTrusted || event.detail === 0 || !(event.target instanceof Element)) return;
      const what = event.target.closest('button, a, label, input')?.textContent ?? event.target.tagName;
      keep({
        kind: 'click',
        what,
        key: '',
        withControl: false,
        isOnButton: isSender(event.target),
      });
    },
    true,
  );

  /** The text under review of each item and version that the API has sent to this page. */
  const told = new Map<string, string>();
  interface Told {
    id?: string;
    version?: number;
    summary?: string;
    underReview?: { text: string };
    items?: Told[];
  }
  function remember(result: Told | undefined): void {
    if (typeof result !== 'object' || result === null) return;
    result.items?.forEach(remember);
    const text = result.underReview?.text ?? result.summary;
    if (result.id !== undefined && result.version !== undefined && text !== undefined)
      told.set(`${result.id} "${result.version}"`, text);
  }

  window.fetch = async (input, init) => {
    const method = init?.method ?? 'GET';
    if (method !== 'GET' && typeof input === 'string') {
      const body = typeof init?.body === 'string' ? (JSON.parse(init.body) as Record<string, unknown>) : {};
      const version = new Headers(init?.headers).get('if-match');
      const item = /\/(?:items|explanations)\/([^/]+)\//.exec(input)?.[1] ?? '';
      const textOfVersion = told.get(`${decodeURIComponent(item)} ${version}`) ?? null;
      recording.calls.push({ method, path: input, body, version, textOfVersion });
    }
    const response = await real.fetch(input, init);
    // Before the page gets the answer, so that every sent change was recorded.
    if (typeof input === 'string') await hear(method, input, response.clone()).catch(() => undefined);
    return response;
  };

  /** The last answer to each request. */
  const heard = new Map<string, string>();
  async function hear(method: string, asked: string, response: Response): Promise<void> {
    if (response.headers.get('content-type')?.startsWith('application/json') !== true) return;
    const { status } = response;
    const text = await response.text();
    const question = `${method} ${asked} ${status}`;
    if (heard.get(question) === text) return;
    heard.set(question, text);
    recording.answers.push({ method, pathname: new URL(asked, location.href).pathname, status, text });
    if (/\/(?:review|explanations)\b/.test(asked)) remember((JSON.parse(text) as { result?: Told }).result);
  }

  // Control+Enter on a link opens another window, which this test does not cover.
  window.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link !== null && (link.target === '_blank' || event.ctrlKey)) event.preventDefault();
  });
}
