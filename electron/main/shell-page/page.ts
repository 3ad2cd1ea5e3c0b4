/** The status page: tells in both languages what the program waits for, counts down, and offers to try at once. */
import type { CausewayShell } from '../../preload/shell.ts';
import type { ShellState } from '../channels.ts';
import { STATUS, type Language } from '../texts.ts';

declare global {
  interface Window {
    causeway: CausewayShell;
  }
}

const LANGUAGES = ['ko', 'en'] as const satisfies Language[];

function find<T extends Element>(selector: string, kind: new () => T): T {
  const found = document.querySelector(selector);
  if (!(found instanceof kind)) throw new TypeError(`the page has no ${selector}`);
  return found;
}

const details = find('dl', HTMLDListElement);
const button = find('button', HTMLButtonElement);
const announcement = find('.announcement', HTMLParagraphElement);
let counting: number | undefined;
let announced = '';

/** What a person can do about it; empty where the title says all. */
function advice(state: ShellState, language: Language): string {
  const text = STATUS[language];
  switch (state.kind) {
    case 'starting':
    case 'connecting':
      return text.startingAdvice;
    case 'unreachable':
      return text.unreachableAdvice;
    case 'refused':
      return text.refusedAdvice;
    case 'untrusted':
      return `${text.distrust[state.reason]} ${text.untrustedAdvice}`;
    case 'other-version':
      return state.older === 'program' ? text.programOlderAdvice : text.consoleOlderAdvice;
    case 'crashed':
      return text.crashedAdvice;
    case 'service-ended':
      return text.serviceEndedAdvice;
    case 'ledger-too-new':
      return text.ledgerTooNewAdvice;
    case 'ledger-locked':
      return text.ledgerLockedAdvice;
    case 'ledger-damaged':
      return text.ledgerDamagedAdvice;
    case 'ledger-unreachable':
      return text.ledgerUnreachableAdvice;
    case 'altered':
      return text.alteredAdvice;
    default:
      return state satisfies never;
  }
}

function write(language: Language, field: 'title' | 'advice' | 'next', text: string): void {
  find(`[lang=${language}] [data-text=${field}]`, HTMLElement).textContent = text;
}

function show(state: ShellState): void {
  clearInterval(counting);
  for (const language of LANGUAGES) {
    write(language, 'title', STATUS[language][state.kind]);
    write(language, 'advice', advice(state, language));
    write(language, 'next', '');
  }
  details.replaceChildren(
    ...('address' in state ? row('address', state.address) : []),
    ...(reasonOf(state) === '' ? [] : row('reason', reasonOf(state))),
  );
  button.hidden = !('retryInMs' in state);
  if ('retryInMs' in state) countDown(state.retryInMs);
  // The countdown is not read out; a change of what is wrong is, once.
  if (announced !== state.kind)
    announcement.textContent = LANGUAGES.map((language) => STATUS[language][state.kind]).join(' / ');
  announced = state.kind;
}

/** The words of whatever failed, as it gave them. */
function reasonOf(state: ShellState): string {
  const parts = [
    'reason' in state && state.kind !== 'untrusted' ? state.reason : '',
    'words' in state ? state.words : '',
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function row(name: 'address' | 'reason', value: string): Node[] {
  const term = document.createElement('dt');
  term.textContent = LANGUAGES.map((language) => STATUS[language][name]).join(' / ');
  const description = document.createElement('dd');
  description.textContent = value;
  return [term, description];
}

function countDown(ms: number): void {
  let seconds = Math.ceil(ms / 1_000);
  const tell = (): void => {
    for (const language of LANGUAGES) {
      write(language, 'next', seconds > 0 ? STATUS[language].nextTry(seconds) : STATUS[language].trying);
    }
    seconds -= 1;
  };
  tell();
  counting = window.setInterval(tell, 1_000);
}

button.textContent = LANGUAGES.map((language) => STATUS[language].retry).join(' / ');
button.addEventListener('click', () => {
  clearInterval(counting);
  for (const language of LANGUAGES) write(language, 'next', STATUS[language].trying);
  void window.causeway.retry();
});
window.causeway.onState(show);
void window.causeway.state().then(show);
