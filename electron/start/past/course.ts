/** The single events of the past, as `acts.jsonl` has them: accounts, versions of the policy with reasons, stops, corrections. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type {
  ConsoleMember,
  ExplanationItem,
  Page,
  PolicyProposal,
  StockScope,
} from '../../../shared/wire/console/console.ts';
import { DEMO_ACCOUNTS, DEMO_COLLEAGUES, DEMO_PASSWORD } from '../../../agent/ledger/demo/seed.ts';
import { addDays } from '../../../cloud/demo/generation/calendar.ts';
import { readLines, type Story } from '../../../cloud/demo/generation/reader.ts';
import { kstDate } from '../../../shared/time/kst.ts';
import type { Chance } from './chance.ts';
import { Person } from './person.ts';
import type { SeededClock } from './seeded-clock.ts';
import { SOURCES_SENTENCE, words } from './words.ts';

/** Every person of the past, by task. */
export interface Staff {
  admin: Person;
  /** On duty in turn; only the first is there on the first morning. */
  reviewers: readonly [Person, Person, Person, Person];
  operators: readonly [Person, Person];
}

/** The initial accounts of a demo, and those that join on the first day. */
export function staffAt(url: string): Staff {
  const person = (username: string): Person => new Person(url, { username, password: DEMO_PASSWORD });
  const [admin, reviewer, operator] = DEMO_ACCOUNTS.map(({ username }) => person(username));
  const [second, third, deputy, fourth] = DEMO_COLLEAGUES.map(({ username }) => person(username));
  if (admin === undefined || reviewer === undefined || operator === undefined) throw new Error('the demo has no staff');
  if (second === undefined || third === undefined || fourth === undefined || deputy === undefined)
    throw new Error('the demo has no colleagues');
  return { admin, reviewers: [reviewer, second, third, fourth], operators: [operator, deputy] };
}

const reviewer = z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)]);
const draft = z.record(z.string(), z.unknown());
/** The trading day, as one of eight weeks: from 0 to 39. */
const at = z.int().min(0).max(39);
const actSchema = z.discriminatedUnion('act', [
  /** With `second`, one proposes and another publishes. */
  z.strictObject({ at, act: z.literal('publish'), by: reviewer, second: reviewer.optional(), draft }),
  z.strictObject({ at, act: z.literal('propose'), by: reviewer, draft }),
  /** An operator stops an exposed text; where `back`, a reviewer reviews it again. */
  z.strictObject({ at, act: z.literal('stop'), back: z.boolean() }),
  z.strictObject({
    at,
    act: z.enum(['join', 'sectors', 'views', 'mistype', 'exclude', 'include', 'correct', 'inspect']),
  }),
]);
export type Act = z.infer<typeof actSchema>;

export const readActs = (): Act[] =>
  readLines('acts.jsonl', readFileSync(new URL('acts.jsonl', import.meta.url), 'utf8'), (line) =>
    actSchema.parse(line),
  );

export interface Scene {
  staff: Staff;
  clock: SeededClock;
  chance: Chance;
  stories: readonly Story[];
  /** Resolves when inspectors' files are made. */
  inspected(): Promise<void>;
}

const MINUTE_MS = 60_000;
const VERSIONS = '/api/v1/screening/versions';

export async function perform(act: Act, scene: Scene): Promise<void> {
  const { staff, clock, chance } = scene;
  const { reviewers, operators } = staff;
  switch (act.act) {
    case 'publish': {
      if (act.second === undefined) return void (await reviewers[act.by].ask('POST', VERSIONS, act.draft));
      const { id } = await reviewers[act.by].ask<PolicyProposal>('POST', '/api/v1/screening/proposals', act.draft);
      clock.pass(chance.between(2, 9) * MINUTE_MS);
      return void (await reviewers[act.second].ask('POST', `/api/v1/screening/proposals/${id}/publish`));
    }
    case 'propose':
      return void (await reviewers[act.by].ask('POST', '/api/v1/screening/proposals', act.draft));
    case 'stop':
      return stop(scene, act.back);
    case 'join':
      return colleaguesJoin(scene);
    case 'sectors':
      return setSectors(scene);
    case 'views':
      return keepViews(scene);
    case 'correct':
      return correct(scene);
    case 'exclude':
    case 'include': {
      const { items } = await reviewers[0].ask<Page<StockScope>>(
        'GET',
        `/api/v1/scope/stocks?enabled=${act.act === 'exclude'}&size=1`,
      );
      for (const { code } of items) await reviewers[0].ask('POST', `/api/v1/scope/stocks/${code}/toggle`);
      return;
    }
    case 'mistype':
      await operators[1].logOut();
      await operators[1].logIn('causeway-dmeo');
      return;
    case 'inspect':
      return inspect(scene);
  }
}

/** The administrator registers the colleagues; each replaces the initial password. */
async function colleaguesJoin({ staff: { admin, reviewers, operators }, clock, chance }: Scene): Promise<void> {
  const all = [...reviewers, ...operators];
  for (const colleague of DEMO_COLLEAGUES) {
    const password = `first-day-${chance.between(100_000, 999_999)}`;
    clock.pass(MINUTE_MS);
    await admin.ask<ConsoleMember>('POST', '/api/v1/members', { ...colleague, password });
    const person = all.find(({ username }) => username === colleague.username);
    await person?.beginWith(password, DEMO_PASSWORD);
  }
  await admin.ask('PUT', '/api/v1/review/target', { minutes: 120 });
  const numbers = { pattern: '준법감시인 심사필 제{YYYY}-{SEQ:5}호', validDays: 365, next: 1 };
  await reviewers[0].ask('PUT', '/api/v1/review/approval-numbers', numbers);
}

async function exposedItem(
  person: Person,
  chance: Chance,
  status: string,
  fits: (item: ExplanationItem) => boolean = () => true,
): Promise<ExplanationItem | undefined> {
  const path = `/api/v1/explanations?status=${status}&size=40`;
  const { items } = await person.ask<Page<ExplanationItem>>('GET', path);
  const exposed = items.filter((item) => item.exposed && fits(item));
  return exposed.length === 0 ? undefined : chance.pick(exposed);
}

export async function stop(
  { staff: { operators, reviewers }, clock, chance }: Pick<Scene, 'staff' | 'clock' | 'chance'>,
  isBack: boolean,
): Promise<void> {
  const operator = chance.pick(operators);
  const item = await exposedItem(operator, chance, 'AUTO_PUBLISHED,PUBLISHED');
  if (item === undefined) return;
  await operator.ask('POST', `/api/v1/explanations/${item.id}/stop`, { reason: chance.pick(words.stopped) });
  if (!isBack) return;
  clock.pass(chance.between(3, 9) * MINUTE_MS);
  const reason = '중지 사유를 확인하고 다시 심사합니다.';
  await chance.pick(reviewers).ask('POST', `/api/v1/explanations/${item.id}/move-to-review`, { reason });
}

/** Corrects a text exposed without a finding, which needs no further review. */
async function correct({ staff: { reviewers }, chance }: Scene): Promise<void> {
  const person = chance.pick(reviewers);
  // Texts of the shipped week may hold figures that a reviewer must acknowledge; those of the market hold none.
  const isOfMarket = ({ explanation_result_id: id }: ExplanationItem): boolean => id.includes('-live-');
  const item = await exposedItem(person, chance, 'AUTO_PUBLISHED', isOfMarket);
  if (item?.published_summary === undefined || item.published_summary === null) return;
  await person.ask('PATCH', `/api/v1/explanations/${item.id}/final`, {
    published_summary: `${item.published_summary.replace(SOURCES_SENTENCE, '')}${SOURCES_SENTENCE}`,
    reason: '근거 자료를 함께 보도록 안내 문장을 더했습니다.',
  });
}

/** The firm's own sectors, by the groups of the market. */
async function setSectors({ staff: { reviewers }, stories }: Scene): Promise<void> {
  const { items } = await reviewers[0].ask<Page<StockScope>>('GET', '/api/v1/scope/stocks?size=100');
  for (const { code } of items) {
    const sector = stories.find(({ tickers }) => tickers.some((ticker) => code.includes(ticker)))?.group;
    if (sector !== undefined) await reviewers[0].ask('PUT', `/api/v1/scope/stocks/${code}/sector`, { sector });
  }
}

async function keepViews({ staff: { reviewers, operators } }: Scene): Promise<void> {
  const views = [
    [reviewers[0], 'review', '금지어 검출', '?reason=FORBIDDEN_WORDS'],
    [reviewers[0], 'review', '두 번째 승인 대기', '?awaited=SECOND_PERSON'],
    [reviewers[1], 'review', '출처 부족', '?reason=SOURCE_COUNT'],
    [reviewers[0], 'explanations', '제공 중지', '?status=STOPPED'],
    [operators[0], 'explanations', '제공 중지', '?status=STOPPED'],
  ] as const;
  for (const [person, screen, name, search] of views)
    await person.ask('PUT', '/api/v1/session/views', { screen, name, search });
}

/** An inspector asks for a list of a week. */
async function inspect({ staff: { admin }, clock, inspected }: Scene): Promise<void> {
  const to = kstDate(clock.now());
  await admin.ask('POST', '/api/v1/inspections', { from: addDays(to, -7), to, form: 'LIST', language: 'ko' });
  await inspected();
}
