/** The status page: says in both languages what the program waits for, counts down, and offers to retry at once. */
import type { CausewayShell } from '../../../preload/shell.ts';
import type { Seen, ShellState } from '../../ipc/channels.ts';
import { reasonWords } from '../../connection/reasons.ts';
import { STATUS, type Language } from '../../texts/texts.ts';

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
let shown: ShellState | null = null;
let seen: Seen | null = null;
let seenAt = 0;

/** The user's next step; empty if the title says enough. */
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
  void refresh();
  for (const language of LANGUAGES) {
    write(language, 'title', STATUS[language][state.kind]);
    write(language, 'advice', advice(state, language));
    write(language, 'next', '');
  }
  shown = state;
  writeDetails();
  button.hidden = !('retryInMs' in state);
  if ('retryInMs' in state) countDown(state.retryInMs);
  // The countdown is not announced; a change of the fault is, once.
  if (announced !== state.kind)
    announcement.textContent = LANGUAGES.map((language) => STATUS[language][state.kind]).join(' / ');
  announced = state.kind;
}

/** The console's last known state, requested at every change; the ages grow from there. */
async function refresh(): Promise<void> {
  seen = await window.causeway.seen();
  seenAt = performance.now();
  writeDetails();
}

/** Whether the console is away, so that the page shows ages. */
function isAway(state: ShellState): boolean {
  return 'retryInMs' in state || state.kind === 'connecting';
}

function writeDetails(): void {
  if (shown === null) return;
  const state = shown;
  const reason = reasonOf(state);
  details.replaceChildren(
    ...('address' in state ? row('address', [state.address]) : []),
    ...(reason.length === 0 ? [] : row('reason', reason)),
    ...(isAway(state)
      ? [...row('answered', answeredWords()), ...(seen === null ? [] : row('queue', queueWords()))]
      : []),
  );
}

function answeredWords(): string[] {
  const ago = seen === null ? null : seen.answeredMs + performance.now() - seenAt;
  return LANGUAGES.map((language) => {
    const text = STATUS[language];
    return ago === null ? text.neverAnswered : text.answeredAgo(ageWords(ago, language));
  });
}

function queueWords(): string[] {
  const queue = seen?.queue ?? null;
  return LANGUAGES.map((language) => {
    const text = STATUS[language];
    if (queue === null) return text.queueUnknown;
    if (queue.oldestMs === null) return text.queueThen(queue.waiting);
    return text.queueOldest(queue.waiting, ageWords(queue.oldestMs + performance.now() - seenAt, language));
  });
}

function ageWords(ms: number, language: Language): string {
  const minutes = Math.floor(ms / 60_000);
  return STATUS[language].age(Math.floor(minutes / 1_440), Math.floor(minutes / 60) % 24, minutes % 60);
}

/** The reason, in both languages if translated, and in its original form. */
function reasonOf(state: ShellState): string[] {
  const reason = 'reason' in state && state.kind !== 'untrusted' ? state.reason : '';
  const words = reasonWords(reason);
  return [
    ...(words === null ? [] : LANGUAGES.map((language) => words[language])),
    reason,
    'words' in state ? state.words : '',
  ].filter((part) => part !== '');
}

function row(name: 'address' | 'reason' | 'answered' | 'queue', lines: readonly string[]): Node[] {
  const term = document.createElement('dt');
  term.textContent = LANGUAGES.map((language) => STATUS[language][name]).join(' / ');
  const description = document.createElement('dd');
  description.textContent = lines.join('\n');
  if (name === 'address') description.dataset['raw'] = '';
  return [term, description];
}

function countDown(ms: number): void {
  let seconds = Math.ceil(ms / 1_000);
  const tell = (): void => {
    for (const language of LANGUAGES) {
      write(language, 'next', seconds > 0 ? STATUS[language].nextTry(seconds) : STATUS[language].trying);
    }
    seconds -= 1;
    writeDetails();
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
