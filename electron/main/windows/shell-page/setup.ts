/**
 * The setup page: the console that this program shows, the services beside a local one, the source of updates. It is
 * the program's own page, needs no network, and opens at the first start.
 */
import type { CausewaySetup } from '../../../preload/shell.ts';
import type { SetupView } from '../../ipc/channels.ts';
import type { ProgramSettings, SettingsProblem } from '../../settings/settings.ts';
import { SETUP } from '../setup-texts.ts';
import type { Language } from '../../texts/texts.ts';

declare global {
  interface Window {
    causewaySetup: CausewaySetup;
  }
}

const DEFAULT_LISTEN = '127.0.0.1:4310';

/** The page's default until the program reports the system's language. */
let language: Language = 'ko';
let shown: SetupView | null = null;
let problems: readonly SettingsProblem[] = [];

function find<T extends Element>(selector: string, kind: new () => T): T {
  const found = document.querySelector(selector);
  if (!(found instanceof kind)) throw new TypeError(`the page has no ${selector}`);
  return found;
}

const form = find('form', HTMLFormElement);
const input = (name: string): HTMLInputElement => find(`input[name=${name}]`, HTMLInputElement);
const area = (name: string): HTMLTextAreaElement => find(`textarea[name=${name}]`, HTMLTextAreaElement);
const mode = (value: 'local' | 'connected'): HTMLInputElement => find(`input[value=${value}]`, HTMLInputElement);

/** Writes everything that depends on the language, faults included. */
function write(): void {
  const text = SETUP[language];
  document.documentElement.lang = language;
  document.title = `${text.title} · Causeway`;
  for (const element of document.querySelectorAll<HTMLElement>('[data-text]')) {
    const words: unknown = text[element.dataset['text'] as keyof typeof text];
    if (typeof words === 'string') element.textContent = words;
  }
  find('#language', HTMLButtonElement).textContent = text.otherLanguage;
  find('#notice', HTMLElement).textContent =
    shown?.fixed.console === true ? text.fixed : shown?.isFirst === true ? text.first : '';
  writeInUse();
  for (const field of document.querySelectorAll<HTMLElement>('[data-problem]')) {
    const problem = problems.find((one) => one === field.dataset['problem']);
    noteOf(field).textContent = problem === undefined ? '' : text.problems[problem];
    field.setAttribute('aria-invalid', String(problem !== undefined));
  }
  writeServices();
}

/** The console in use, also where the environment names it. */
function writeInUse(): void {
  const inUse = shown?.inUse ?? null;
  find('#in-use', HTMLElement).hidden = inUse === null;
  if (inUse === null) return;
  const text = SETUP[language];
  const words = inUse.mode === 'local' ? text.inUseLocal : text.inUseConnected;
  find('#in-use strong', HTMLElement).textContent = inUse.address === null ? words : `${inUse.address} (${words})`;
}

/** The element below a field for its fault. */
function noteOf(field: HTMLElement): HTMLElement {
  const id = `${field.id}-problem`;
  const there = document.getElementById(id);
  if (there !== null) return there;
  const note = document.createElement('p');
  note.id = id;
  note.className = 'problem';
  field.after(note);
  field.setAttribute('aria-describedby', id);
  return note;
}

function writeServices(): void {
  const services = shown?.services ?? [];
  find('#services', HTMLElement).hidden = services.length === 0;
  const text = SETUP[language];
  find('#services dl', HTMLDListElement).replaceChildren(
    ...services.flatMap(({ name, state, words }) => {
      const term = document.createElement('dt');
      term.textContent = text.service[name];
      const description = document.createElement('dd');
      description.dataset['raw'] = '';
      description.textContent = [text.standing[state], words].filter((part) => part !== '').join('\n');
      return [term, description];
    }),
  );
}

/** Shows only the fields of the chosen options. */
function fold(): void {
  const parts: Record<string, boolean> = {
    local: mode('local').checked,
    intake: input('intake').checked,
    provision: input('provision').checked,
    connected: mode('connected').checked,
    updates: input('updates').checked,
  };
  for (const [id, isOpen] of Object.entries(parts)) find(`#${id}`, HTMLElement).hidden = !isOpen;
}

function fill({ settings, fixed, isFirst }: SetupView): void {
  const { console, updates, contentProtection, keepRunning, lockMinutes } = settings;
  find('#console', HTMLFieldSetElement).disabled = fixed.console;
  find('#updating', HTMLFieldSetElement).disabled = fixed.updates;
  find('#protection', HTMLFieldSetElement).disabled = fixed.contentProtection;
  input('contentProtection').checked = contentProtection;
  find('#running', HTMLFieldSetElement).disabled = fixed.keepRunning;
  input('keepRunning').checked = keepRunning;
  find('#locking', HTMLFieldSetElement).disabled = fixed.lockMinutes;
  input('lockMinutes').value = String(lockMinutes);
  find('#leave', HTMLButtonElement).hidden = isFirst;
  const isConnected = console?.mode === 'connected';
  mode(console?.mode ?? 'connected').checked = true;
  const local = console?.mode === 'local' ? console : null;
  input('intake').checked = local?.intake !== null && local !== null;
  input('upstream').value = local?.intake?.upstream ?? '';
  input('certificate').value = local?.intake?.certificate ?? '';
  input('key').value = local?.intake?.key ?? '';
  input('upstreamAuthority').value = local?.intake?.authority ?? '';
  input('verifyKey').value = local?.intake?.verifyKey ?? '';
  input('tenant').value = local?.intake?.tenant ?? '';
  input('provision').checked = local?.provision !== null && local !== null;
  input('listen').value = local?.provision ?? DEFAULT_LISTEN;
  input('address').value = isConnected ? console.address : '';
  area('authority').value = isConnected ? console.authority : '';
  input('updates').checked = updates !== null;
  input('feed').value = updates?.feed ?? '';
  area('feedAuthority').value = updates?.authority ?? '';
}

function chosen(): ProgramSettings {
  const value = (name: string): string => input(name).value.trim();
  const console: ProgramSettings['console'] = mode('connected').checked
    ? { mode: 'connected', address: value('address'), authority: area('authority').value.trim() }
    : {
        mode: 'local',
        intake: input('intake').checked
          ? {
              upstream: value('upstream'),
              certificate: value('certificate'),
              key: value('key'),
              authority: value('upstreamAuthority'),
              verifyKey: value('verifyKey'),
              tenant: value('tenant'),
            }
          : null,
        provision: input('provision').checked ? value('listen') : null,
      };
  return {
    console: shown?.fixed.console === true ? shown.settings.console : console,
    updates: input('updates').checked ? { feed: value('feed'), authority: area('feedAuthority').value.trim() } : null,
    contentProtection: input('contentProtection').checked,
    keepRunning: input('keepRunning').checked,
    lockMinutes: input('lockMinutes').valueAsNumber,
  };
}

async function save(): Promise<void> {
  // The one field that a browser judges.
  if (!input('lockMinutes').reportValidity()) return;
  const answer = await window.causewaySetup.save(chosen());
  problems = answer.kind === 'wrong' ? answer.problems : [];
  find('#not-written', HTMLElement).textContent =
    answer.kind === 'not-written' ? `${SETUP[language].notWritten} ${answer.reason}` : '';
  write();
  const [first] = problems;
  if (first !== undefined) find(`[data-problem=${first}]`, HTMLElement).focus();
}

form.addEventListener('change', (event) => {
  fold();
  const target = event.target instanceof HTMLInputElement ? event.target : null;
  const [file] = target?.files ?? [];
  const into = target?.dataset['into'];
  if (file === undefined || into === undefined) return;
  void file.text().then((text) => {
    area(into).value = text;
  });
});
form.addEventListener('submit', (event) => {
  event.preventDefault();
  void save();
});
find('#leave', HTMLButtonElement).addEventListener('click', () => window.close());
find('#language', HTMLButtonElement).addEventListener('click', () => {
  language = language === 'ko' ? 'en' : 'ko';
  write();
});

void window.causewaySetup.read().then((view) => {
  shown = view;
  language = view.language;
  fill(view);
  fold();
  write();
});
