/** The people and channels of a tenant: reviewers, an operator and an administrator at the console API; two channels. */
import { setTimeout as pause } from 'node:timers/promises';
import { Seeded } from '../support/seeded.ts';
import type { Outcome, PersonalMove } from './history.ts';
import { now, type Recorder } from './recorder.ts';
import type { TenantHost } from './tenant-host.ts';
import { TICKERS } from './tickers.ts';

const PATIENCE_MS = 15_000;
/** Of a list of what was withdrawn. */
const NEWEST = 50;
const WATCH_MS = 1_000;
const STILL_TRIES = 60;
export const CHANNELS = [
  ['MTS', 'demo-mts'],
  ['HTS', 'demo-hts'],
] as const;

interface Said<T> {
  status: number;
  code: string;
  etag: string | null;
  result: T;
  /** Of an answer that is no JSON. */
  bytes: Uint8Array | null;
}

interface Asked {
  body?: object;
  ifMatch?: string | null;
  accept?: string;
}

/** A person with a session, who signs in again when it has ended. */
export class Person {
  readonly host: TenantHost;
  readonly name: string;
  /** Begins the tokens of this person's decisions. */
  readonly mark: string;
  #cookie = '';

  constructor(host: TenantHost, name: string, number = 1) {
    this.host = host;
    this.name = name;
    this.mark = `${host.index}-${name}${number}`;
  }

  /** @throws when no answer came */
  async ask<T>(method: string, path: string, asked: Asked = {}): Promise<Said<T>> {
    if (this.#cookie === '') await this.#signIn();
    const said = await this.#send<T>(method, path, asked);
    if (said.status === 401) this.#cookie = '';
    return said;
  }

  async #signIn(): Promise<void> {
    const { consoleUrl } = this.host;
    const answer = await fetch(`${consoleUrl}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: this.name, password: 'causeway-demo' }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    await answer.arrayBuffer();
    this.#cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  }

  async #send<T>(method: string, path: string, { body, ifMatch, accept }: Asked): Promise<Said<T>> {
    const answer = await fetch(`${this.host.consoleUrl}/api/v1${path}`, {
      method,
      headers: {
        cookie: this.#cookie,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(typeof ifMatch === 'string' ? { 'if-match': ifMatch } : {}),
        ...(accept === undefined ? {} : { accept }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const isJson = answer.headers.get('content-type')?.includes('json') === true;
    const bytes = isJson ? null : new Uint8Array(await answer.arrayBuffer());
    const told = (isJson ? await answer.json() : {}) as { code?: string; result?: T };
    if (answer.status === 500)
      this.host.fail(`${method} ${path} was answered 500, request ${answer.headers.get('x-request-id')}`);
    return {
      status: answer.status,
      code: told.code ?? '',
      etag: answer.headers.get('etag'),
      result: told.result as T,
      bytes,
    };
  }
}

/** What a write's answer says about its effect. A 5xx may come after the commit. */
const outcomeOf = (status: number): Outcome => (status === 200 ? 'DONE' : status >= 500 ? 'OPEN' : 'REFUSED');

export interface Item {
  id: string;
  explanation_result_id: string;
  etf_ticker: string;
  trade_date: string;
  status: string;
  version: number;
  summary: string;
}

/** Decides about what waits and about what is exposed. Two of them often reach for the same item. */
export async function review(recorder: Recorder, random: Seeded, person: Person, isOver: () => boolean): Promise<void> {
  const isReviewer = person.name === 'reviewer';
  for (let number = 1; !isOver(); number += 1) {
    try {
      await decideOnce(recorder, random, person, `${person.mark}-${number}`, isReviewer);
    } catch {
      recorder.count('console gave no answer');
    }
    await pause(200 + random.below(600));
  }
}

/** The moves that fit an item, each as its route and body. */
function requestOf(
  move: PersonalMove,
  item: Item,
  token: string,
  text: string | null,
): [method: string, path: string, body: object] {
  const { id } = item;
  switch (move) {
    case 'approve':
      return ['POST', `/review/items/${id}/approve`, { text: 'RECEIVED', comment: token }];
    case 'approve-edited':
      return ['POST', `/review/items/${id}/approve-edited`, { edited_summary: text, comment: token }];
    case 'reject':
    case 'block':
      return ['POST', `/review/items/${id}/${move}`, { reason: token }];
    case 'stop':
    case 'move-to-review':
      return ['POST', `/explanations/${id}/${move}`, { reason: token }];
    case 'correct':
      return ['PATCH', `/explanations/${id}/final`, { published_summary: text, reason: token }];
  }
}

function moveFor(random: Seeded, status: string, isReviewer: boolean): PersonalMove | null {
  switch (status) {
    case 'PENDING_REVIEW':
      return isReviewer ? random.pick(['approve', 'approve-edited', 'approve', 'reject', 'block']) : null;
    case 'AUTO_PUBLISHED':
    case 'PUBLISHED':
      return isReviewer
        ? random.pick(['stop', 'move-to-review', 'correct', 'correct'])
        : random.pick(['stop', 'move-to-review']);
    case 'STOPPED':
      return 'move-to-review';
    default:
      return null;
  }
}

async function decideOnce(
  recorder: Recorder,
  random: Seeded,
  person: Person,
  token: string,
  isReviewer: boolean,
): Promise<void> {
  const tenant = person.host.index;
  const isQueue = random.chance(0.6);
  const list = isQueue
    ? '/review/items?size=5'
    : `/explanations?size=12&status=${random.pick(['AUTO_PUBLISHED,PUBLISHED', 'STOPPED', 'AUTO_PUBLISHED'])}`;
  const page = await person.ask<{ items: Item[] }>('GET', list);
  if (page.status !== 200) recorder.count(`list ${page.status} ${page.code}`);
  const listed = page.status === 200 ? page.result.items : [];
  // A reviewer at a page has the first item of the queue open, and is slower than a program.
  const free = isQueue && random.chance(0.75) ? listed.slice(1) : listed;
  const chosen = free.length > 0 ? random.pick(free) : null;
  if (chosen === null) return;
  const readFrom = now();
  const read = await person.ask<Item>('GET', `/review/items/${chosen.id}`);
  if (read.status !== 200) return;
  const { result: item, etag } = read;
  const about = { tenant, item: item.explanation_result_id };
  recorder.add({ kind: 'ITEM', ...about, version: item.version, status: item.status, begin: readFrom, end: now() });
  const move = moveFor(random, item.status, isReviewer);
  if (move === null) return;
  // A person looks before deciding: a colleague may be faster.
  await pause(random.below(250));
  const edited = `${item.etf_ticker} 지수가 올랐습니다 (${item.explanation_result_id}, ${token}).`;
  const isEdit = move === 'approve-edited' || move === 'correct';
  const text = isEdit ? edited : move === 'approve' ? item.summary : null;
  const known = recorder.texts.get(item.summary);
  if (isEdit && known !== undefined) recorder.texts.set(edited, known);
  const begin = now();
  const { name } = person;
  const decision = { kind: 'DECISION' as const, ...about, move, token, person: name, seen: item.version, text, begin };
  await recorder.underWay(async () => {
    try {
      const [method, path, body] = requestOf(move, item, token, text);
      const { status, result, code } = await person.ask<Item>(method, path, { body, ifMatch: etag });
      const outcome = outcomeOf(status);
      if (outcome !== 'DONE') recorder.count(`${move} ${status} ${code}`);
      const end = outcome === 'OPEN' ? Number.POSITIVE_INFINITY : now();
      recorder.add({ ...decision, outcome, version: outcome === 'DONE' ? result.version : null, end });
    } catch {
      recorder.add({ ...decision, outcome: 'OPEN', version: null, end: Number.POSITIVE_INFINITY });
    }
  });
}

/** After the last fault a person can decide. @returns a breach, or null */
export async function decidesStill(recorder: Recorder, host: TenantHost): Promise<string | null> {
  const person = new Person(host, 'reviewer', 9);
  const random = new Seeded(host.index);
  const made = (): number => recorder.counts.get('decision DONE') ?? 0;
  const before = made();
  for (let tries = 1; tries <= STILL_TRIES; tries += 1) {
    await decideOnce(recorder, random, person, `${person.mark}-${tries}`, true).catch(() => undefined);
    if (made() > before) return null;
    await pause(1_000);
  }
  return `tenant ${host.index}: nobody can decide after the last fault`;
}

/** Reads what a tenant has applied of withdrawals: from then on none of these texts is served. */
export async function watchWithdrawn(recorder: Recorder, person: Person, isOver: () => boolean): Promise<void> {
  const known = new Set<string>();
  while (!isOver()) {
    const begin = now();
    try {
      const { status, result } = await person.ask<{ items: Item[] }>(
        'GET',
        `/explanations?status=INVALIDATED&size=${NEWEST}`,
      );
      for (const { explanation_result_id: item, version, status: state } of status === 200 ? result.items : []) {
        if (known.has(item)) continue;
        known.add(item);
        const about = { tenant: person.host.index, item, version };
        recorder.add({ kind: 'ITEM', ...about, status: state, begin, end: now() });
        recorder.count('withdrawal seen');
      }
    } catch {
      recorder.count('console gave no answer');
    }
    await pause(WATCH_MS);
  }
}

/** A channel asks for one ticker after the other and shows what it is served. */
export async function ask(
  recorder: Recorder,
  random: Seeded,
  host: TenantHost,
  [channel, key]: readonly [string, string],
  isOver: () => boolean,
): Promise<void> {
  while (!isOver()) {
    await readProvision(recorder, host, [channel, key], random.pick(TICKERS)).catch(() =>
      recorder.count('provision gave no answer'),
    );
    await pause(60 + random.below(240));
  }
}

export async function readProvision(
  recorder: Recorder,
  host: TenantHost,
  [channel, key]: readonly [string, string],
  ticker: string,
): Promise<string | null> {
  const begin = now();
  const answer = await fetch(`${host.provisionUrl}/v1/explanations/${ticker}`, {
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const told = (await answer.json()) as { result?: { text: string } };
  if (answer.status !== 200 && answer.status !== 404) {
    recorder.count(`provision ${answer.status}`);
    if (answer.status !== 503) host.fail(`${channel} ${ticker} was answered ${answer.status}`);
    return null;
  }
  const text = answer.status === 200 ? (told.result?.text ?? '') : null;
  recorder.count(text === null ? 'provision of nothing' : 'provision of a text');
  recorder.add({ kind: 'PROVISION', tenant: host.index, channel, ticker, text, begin, end: now() });
  return text;
}

/** The administrator switches a channel off, and on again some seconds later. */
export async function switchChannel(
  recorder: Recorder,
  person: Person,
  channel: string,
  enabled: boolean,
): Promise<void> {
  for (let tries = 0; tries < 20; tries += 1) {
    try {
      const { result } = await person.ask<{ items: { channel: string; enabled: boolean; version: number }[] }>(
        'GET',
        '/scope/channels',
      );
      const here = result.items.find((each) => each.channel === channel);
      if (here === undefined || here.enabled === enabled) return;
      const begin = now();
      const made = await recorder.underWay(async () => {
        let outcome: Outcome = 'OPEN';
        try {
          const toggle = `/scope/channels/${channel}/toggle`;
          return (outcome = outcomeOf((await person.ask('POST', toggle, { ifMatch: `"${here.version}"` })).status));
        } finally {
          const end = outcome === 'OPEN' ? Number.POSITIVE_INFINITY : now();
          const about = { tenant: person.host.index, channel, enabled, seen: here.version };
          recorder.add({ kind: 'SWITCH', ...about, outcome, begin, end });
        }
      });
      if (made === 'DONE') return;
    } catch {
      recorder.count('console gave no answer');
    }
    await pause(500);
  }
}

/**
 * A further word of the policy: a new version, which screens what comes after it. @returns whether it was acknowledged
 */
export async function changePolicy(recorder: Recorder, person: Person, word: string): Promise<boolean> {
  const said = await person.ask('POST', '/screening/words', { body: { word, severity: 'REVIEW' } }).catch(() => null);
  recorder.count(`policy ${said?.status ?? 'gave no answer'} ${said?.code ?? ''}`);
  if (said?.status !== 200 && said?.status !== 201) return false;
  recorder.words.push({ tenant: person.host.index, word, since: now() });
  return true;
}
