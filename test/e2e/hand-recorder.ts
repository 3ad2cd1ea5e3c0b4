/**
 * What a person had before them at each key and click, and each change that the page sent to the API: recorded inside
 * the page, so that nothing that happens later can change it.
 */

/** What was on screen when an input began. */
export interface Seen {
  /** Id of the open item by the address, and the heading and text that stood for it. */
  item: string | null;
  heading: string;
  text: string;
  /** Whether the open item stood in the list. */
  isListed: boolean;
  /** Names of the forms, dialogs and menus that were open, the last one last. */
  forms: string[];
  /** Whether the focus lay in the last of them. */
  isFocusInForm: boolean;
  /** The field that took letters, by its name or label; null where none had the focus. */
  field: string | null;
}

export interface Input {
  kind: 'key' | 'click';
  /** `KeyboardEvent.code`, or the words of what was clicked. */
  what: string;
  key: string;
  withControl: boolean;
  at: number;
  seen: Seen;
}

export interface Call {
  method: string;
  path: string;
  body: Record<string, unknown>;
  version: string | null;
}

export interface Recording {
  inputs: Input[];
  calls: Call[];
}

declare global {
  interface Window {
    handRecording: Recording;
    handLook: () => Seen;
  }
}

/** To be run in the page before its own scripts (`page.addInitScript`). */
export function recordHand(): void {
  const recording: Recording = { inputs: [], calls: [] };
  window.handRecording = recording;

  const isTextField = (element: Element | null): element is HTMLInputElement | HTMLTextAreaElement =>
    element instanceof HTMLTextAreaElement ||
    (element instanceof HTMLInputElement && ['text', 'search', 'password', 'date', 'number'].includes(element.type));

  function look(): Seen {
    const id = /^\/review\/([^/]+)/.exec(location.pathname)?.[1] ?? null;
    const item = id === null ? null : decodeURIComponent(id);
    const forms = [...document.querySelectorAll<HTMLElement>('form, [role=dialog], [role=menu]')].filter(
      (form) =>
        form.closest('search') === null &&
        form.offsetParent !== null &&
        (form.parentElement?.closest('form, [role=dialog], [role=menu]') ?? null) === null,
    );
    const focused = document.activeElement;
    // Dialogs lie one over the other; of forms the one that stands last has been opened last. What takes no words needs no focus.
    const takesWords = forms.at(-1)?.querySelector('input, textarea, select') !== null;
    const isFocusInForm =
      !takesWords ||
      (forms.at(-1)?.role === 'dialog'
        ? forms.some((form) => form.role === 'dialog' && form.contains(focused))
        : (forms.at(-1)?.contains(focused) ?? false));
    return {
      item,
      heading: document.querySelector('article h2')?.textContent ?? '',
      text: document.querySelector('article')?.textContent ?? '',
      isListed: item !== null && document.querySelector(`[data-item="${CSS.escape(item)}"]`) !== null,
      forms: forms.map((form) => form.getAttribute('aria-label') ?? form.getAttribute('role') ?? 'form'),
      isFocusInForm,
      field: isTextField(focused)
        ? focused.name || (focused.labels?.[0]?.textContent ?? focused.ariaLabel ?? '')
        : null,
    };
  }

  window.handLook = look;

  document.addEventListener(
    'keydown',
    (event) => {
      if (!event.isTrusted) return;
      const withControl = event.ctrlKey || event.metaKey;
      const at = performance.now();
      recording.inputs.push({ kind: 'key', what: event.code, key: event.key, withControl, at, seen: look() });
    },
    true,
  );
  document.addEventListener(
    'click',
    (event) => {
      // Enter and Space click as well; then the key is what the person did.
      if (!event.isTrusted || event.detail === 0 || !(event.target instanceof Element)) return;
      const what = event.target.closest('button, a, label, input')?.textContent ?? event.target.tagName;
      const at = performance.now();
      recording.inputs.push({ kind: 'click', what, key: '', withControl: false, at, seen: look() });
    },
    true,
  );

  const real = window.fetch.bind(window);
  window.fetch = (input, init) => {
    const method = init?.method ?? 'GET';
    if (method !== 'GET' && typeof input === 'string') {
      const body = typeof init?.body === 'string' ? (JSON.parse(init.body) as Record<string, unknown>) : {};
      const version = new Headers(init?.headers).get('if-match');
      recording.calls.push({ method, path: input, body, version });
    }
    return real(input, init);
  };
}
