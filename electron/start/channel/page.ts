/**
 * The page of a demo channel (D231): one card as an app shows it. It asks before each showing, with the tag of the text
 * that it has, each second while it is in view (D57). What it may not show, or cannot ask about, it does not show.
 */
import type { ServedExplanation } from '../../../shared/wire/console/console.ts';
import { kstDateTime } from '../../../shared/time/kst.ts';
import { LANGUAGES, WORDS, type Language, type Word } from './words.ts';

const CHANNELS = ['MTS', 'HTS', 'WEB'];
const ASK_EVERY_MS = 1_000;
const LANGUAGE_KEY = 'causeway.language';
/** As many changes as the page lists. */
const MOST_CHANGES = 8;

type Card =
  | { state: 'ASKING' }
  | { state: 'SHOWN'; tag: string | null; answer: ServedExplanation }
  | { state: 'DARK'; since: Date }
  | { state: 'NONE' }
  | { state: 'UNREACHABLE' };
type Change = 'SHOWN' | 'CHANGED' | 'DARK' | 'UNREACHABLE';

function find<T extends Element>(selector: string, kind: new () => T): T {
  const found = document.querySelector(selector);
  if (!(found instanceof kind)) throw new TypeError(`the page has no ${selector}`);
  return found;
}

const article = find('#card', HTMLElement);
const tickers = find('#tickers', HTMLSelectElement);
const address = new URL(location.href);

let language: Language = (localStorage.getItem(LANGUAGE_KEY) ?? navigator.language).startsWith('ko') ? 'ko' : 'en';
let channel = CHANNELS.find((one) => one === address.searchParams.get('channel')) ?? 'MTS';
let ticker = address.searchParams.get('ticker');
let offered: ServedExplanation[] = [];
let card: Card = { state: 'ASKING' };
let answered: Word | null = null;
let count = 0;
let changes: { at: Date; change: Change; ticker: string }[] = [];
let turn = 0;
let next: ReturnType<typeof setTimeout> | undefined;

const text = (word: Word): string => WORDS[language][word];
const clockTime = (at: Date): string => `${kstDateTime(at).slice(11)} KST`;

function element(name: string, content: string, attributes: Readonly<Record<string, string>> = {}): HTMLElement {
  const made = document.createElement(name);
  made.textContent = content;
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  return made;
}

/** Shows another channel or ticker, which is asked about first. */
function watch(chosen: { channel?: string; ticker?: string }): void {
  channel = chosen.channel ?? channel;
  ticker = chosen.ticker ?? ticker;
  address.searchParams.set('channel', channel);
  if (ticker !== null) address.searchParams.set('ticker', ticker);
  history.replaceState(null, '', address);
  void restart();
}

/** Forgets what was shown, and asks at once. */
async function restart(): Promise<void> {
  clearTimeout(next);
  turn += 1;
  const mine = turn;
  card = { state: 'ASKING' };
  answered = null;
  draw();
  if (document.hidden) return;
  const list = await get(`/${channel}`, null);
  if (mine !== turn) return;
  offered =
    list?.status === 200 ? ((await list.json()) as { result: { items: ServedExplanation[] } }).result.items : [];
  offered.sort((one, other) => other.explanation_as_of.localeCompare(one.explanation_as_of));
  ticker ??= offered[0]?.etf_ticker ?? null;
  if (mine === turn) await ask(mine);
}

async function ask(mine: number): Promise<void> {
  const tag = card.state === 'SHOWN' ? card.tag : null;
  const answer = ticker === null ? null : await get(`/${channel}/${encodeURIComponent(ticker)}`, tag);
  const body = answer?.status === 200 ? ((await answer.json()) as { result: ServedExplanation }).result : null;
  if (mine !== turn) return;
  const before = card.state;
  if (ticker === null) card = { state: 'NONE' };
  else if (body !== null) card = { state: 'SHOWN', tag: answer?.headers.get('etag') ?? null, answer: body };
  else if (answer?.status === 404) card = card.state === 'DARK' ? card : { state: 'DARK', since: new Date() };
  else if (answer?.status !== 304) card = { state: 'UNREACHABLE' };
  if (ticker !== null) {
    count += 1;
    answered = answer?.status === 200 || answer?.status === 304 || answer?.status === 404 ? answer.status : 'other';
  }
  if (card.state === 'SHOWN' && body !== null) note(before === 'SHOWN' ? 'CHANGED' : 'SHOWN');
  else if (card.state !== before && (card.state === 'DARK' || card.state === 'UNREACHABLE')) note(card.state);
  draw();
  next = setTimeout(() => void ask(mine), ASK_EVERY_MS);
}

function note(change: Change): void {
  changes = [{ at: new Date(), change, ticker: ticker ?? '' }, ...changes].slice(0, MOST_CHANGES);
}

/** Null where nobody answers. */
async function get(path: string, tag: string | null): Promise<Response | null> {
  try {
    return await fetch(path, { cache: 'no-store', headers: tag === null ? {} : { 'if-none-match': tag } });
  } catch {
    return null;
  }
}

function cardContent(): HTMLElement[] {
  switch (card.state) {
    case 'ASKING':
      return [element('p', text('asking'))];
    case 'NONE':
      return [element('p', text('none'))];
    case 'UNREACHABLE':
      return [element('p', text('unreachable'))];
    case 'DARK':
      return [
        element('p', text('dark')),
        element('p', `${text('darkSince')} ${clockTime(card.since)}`, { class: 'quiet' }),
      ];
    case 'SHOWN': {
      const {
        etf_name,
        etf_ticker,
        trade_date,
        explanation_as_of,
        text: told,
        disclaimer,
        approval_number,
      } = card.answer;
      const asOf = `${kstDateTime(new Date(explanation_as_of)).slice(0, 16)} KST`;
      return [
        element('p', text('why'), { class: 'quiet' }),
        element('h2', etf_name, { lang: 'ko' }),
        element('p', `${etf_ticker} · ${text('date')} ${trade_date} · ${text('asOf')} ${asOf}`, { class: 'quiet' }),
        element('p', told, { lang: 'ko', class: 'text' }),
        ...[approval_number, disclaimer].flatMap((one) =>
          one === null ? [] : [element('p', one, { lang: 'ko', class: 'small' })],
        ),
      ];
    }
  }
}

let drawn = '';

/** Writes what has changed; a reader that is in the page hears the card alone. */
function draw(): void {
  find('#request', HTMLElement).textContent =
    ticker === null ? '' : `GET /v1/explanations/${ticker}${card.state === 'SHOWN' ? ' · If-None-Match' : ''}`;
  find('#answer', HTMLElement).textContent = answered === null ? '' : text(answered);
  find('#count', HTMLElement).textContent = String(count);
  const now = JSON.stringify([language, channel, ticker, card, changes, offered]);
  if (now === drawn) return;
  drawn = now;
  document.documentElement.lang = language;
  document.title = text('title');
  for (const each of document.querySelectorAll<HTMLElement>('[data-text]'))
    each.textContent = text(each.dataset['text'] as Word);
  for (const each of document.querySelectorAll<HTMLElement>('[data-label]'))
    each.setAttribute('aria-label', text(each.dataset['label'] as Word));
  find('#language', HTMLElement).textContent = LANGUAGES[language === 'ko' ? 'en' : 'ko'];
  for (const button of document.querySelectorAll<HTMLElement>('#channels button'))
    button.setAttribute('aria-pressed', String(button.textContent === channel));
  const listed = offered.map(({ etf_ticker, etf_name }) => ({ etf_ticker, etf_name }));
  if (ticker !== null && !listed.some((one) => one.etf_ticker === ticker))
    listed.unshift({ etf_ticker: ticker, etf_name: '' });
  tickers.replaceChildren(
    ...listed.map((one) =>
      element('option', `${one.etf_ticker} ${one.etf_name}`, { value: one.etf_ticker, lang: 'ko' }),
    ),
  );
  tickers.value = ticker ?? '';
  article.dataset['state'] = card.state;
  article.replaceChildren(...cardContent());
  find('#changes', HTMLElement).replaceChildren(
    ...changes.map(({ at, change, ticker: of }) => {
      const row = element('li', '', { 'data-change': change });
      row.append(element('time', clockTime(at)), ` ${of} ${text(change)}`);
      return row;
    }),
  );
}

find('#channels', HTMLElement).append(
  ...CHANNELS.map((one) => {
    const button = element('button', one, { type: 'button' });
    button.addEventListener('click', () => watch({ channel: one }));
    return button;
  }),
);
tickers.addEventListener('change', () => watch({ ticker: tickers.value }));
find('#language', HTMLElement).addEventListener('click', () => {
  language = language === 'ko' ? 'en' : 'ko';
  localStorage.setItem(LANGUAGE_KEY, language);
  draw();
});
// A page that comes into view again asks before it shows.
document.addEventListener('visibilitychange', () => void restart());
void restart();
