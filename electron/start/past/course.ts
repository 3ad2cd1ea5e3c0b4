/** The single events of the past, each on its day: accounts, versions of the policy with reasons, stops, corrections. */
import type {
  ConsoleMember,
  ExplanationItem,
  Page,
  PolicyProposal,
  StockScope,
} from '../../../shared/wire/console/console.ts';
import { DEMO_ACCOUNTS, DEMO_COLLEAGUES, DEMO_PASSWORD } from '../../../agent/ledger/demo/seed.ts';
import type { Chance } from './chance.ts';
import { Person } from './person.ts';
import type { SeededClock } from './seeded-clock.ts';
import * as words from './words.ts';

/** Every person of the past, by task. */
export interface Staff {
  admin: Person;
  /** On duty in turn; only the first is there on the first morning. */
  reviewers: readonly [Person, Person, Person];
  operators: readonly [Person, Person];
}

/** The initial accounts of a demo, and those that join on the first day. */
export function staffAt(url: string): Staff {
  const person = (username: string): Person => new Person(url, { username, password: DEMO_PASSWORD });
  const [admin, reviewer, operator] = DEMO_ACCOUNTS;
  const [second, third, deputy] = DEMO_COLLEAGUES;
  if (admin === undefined || reviewer === undefined || operator === undefined) throw new Error('the demo has no staff');
  if (second === undefined || third === undefined || deputy === undefined)
    throw new Error('the demo has no colleagues');
  return {
    admin: person(admin.username),
    reviewers: [person(reviewer.username), person(second.username), person(third.username)],
    operators: [person(operator.username), person(deputy.username)],
  };
}

export interface Scene {
  staff: Staff;
  clock: SeededClock;
  chance: Chance;
}

type Act = (scene: Scene) => Promise<void>;

const MINUTE_MS = 60_000;

/** The administrator registers the colleagues; each replaces the initial password. */
const colleaguesJoin: Act = async ({ staff: { admin }, clock, chance, staff }) => {
  const all = [...staff.reviewers, ...staff.operators];
  for (const colleague of DEMO_COLLEAGUES) {
    const password = `first-day-${chance.between(100_000, 999_999)}`;
    clock.pass(2 * MINUTE_MS);
    await admin.ask<ConsoleMember>('POST', '/api/v1/members', { ...colleague, password });
    const person = all.find(({ username }) => username === colleague.username);
    await person?.beginWith(password, DEMO_PASSWORD);
  }
  await admin.ask('PUT', '/api/v1/review/target', { minutes: 120 });
  const numbers = { pattern: '준법감시인 심사필 제{YYYY}-{SEQ:5}호', validDays: 365, next: 1 };
  await staff.reviewers[0].ask('PUT', '/api/v1/review/approval-numbers', numbers);
};

const publish =
  (reviewer: 0 | 1 | 2, draft: Record<string, unknown>): Act =>
  async ({ staff }) => {
    await staff.reviewers[reviewer].ask('POST', '/api/v1/screening/versions', draft);
  };

/** One reviewer proposes, another publishes. */
const proposeAndPublish =
  (draft: Record<string, unknown>): Act =>
  async ({ staff: { reviewers }, clock, chance }) => {
    const { id } = await reviewers[1].ask<PolicyProposal>('POST', '/api/v1/screening/proposals', draft);
    clock.pass(chance.between(20, 50) * MINUTE_MS);
    await reviewers[0].ask('POST', `/api/v1/screening/proposals/${id}/publish`);
  };

async function onShow(person: Person, chance: Chance, status: string): Promise<ExplanationItem | undefined> {
  const path = `/api/v1/explanations?status=${status}&size=40`;
  const { items } = await person.ask<Page<ExplanationItem>>('GET', path);
  const shown = items.filter(({ exposed }) => exposed);
  return shown.length === 0 ? undefined : chance.pick(shown);
}

/** An operator stops an exposed text; sometimes a reviewer reviews it again. */
const stop: Act = async ({ staff: { operators, reviewers }, clock, chance }) => {
  const operator = chance.pick(operators);
  const item = await onShow(operator, chance, 'AUTO_PUBLISHED,PUBLISHED');
  if (item === undefined) return;
  await operator.ask('POST', `/api/v1/explanations/${item.id}/stop`, { reason: chance.pick(words.STOPPED) });
  if (!chance.happens(0.5)) return;
  clock.pass(chance.between(5, 25) * MINUTE_MS);
  const reason = '중지 사유를 확인하고 다시 심사합니다.';
  await chance.pick(reviewers).ask('POST', `/api/v1/explanations/${item.id}/move-to-review`, { reason });
};

/** Corrects a text provided without a finding, which needs no further review. */
const correct: Act = async ({ staff: { reviewers }, chance }) => {
  const reviewer = chance.pick(reviewers);
  const item = await onShow(reviewer, chance, 'AUTO_PUBLISHED');
  if (item?.published_summary === undefined || item.published_summary === null) return;
  await reviewer.ask('PATCH', `/api/v1/explanations/${item.id}/final`, {
    published_summary: `${item.published_summary.replace(words.SOURCES_SENTENCE, '')}${words.SOURCES_SENTENCE}`,
    reason: '근거 자료를 함께 보도록 안내 문장을 더했습니다.',
  });
};

/** An instrument is excluded while the firm has an interest in it, and included again some days later. */
const toggleStock =
  (enabled: boolean): Act =>
  async ({ staff: { reviewers } }) => {
    const path = '/api/v1/scope/stocks';
    const { items } = await reviewers[0].ask<Page<StockScope>>('GET', `${path}?enabled=${enabled}&size=1`);
    for (const { code } of items) await reviewers[0].ask('POST', `${path}/${code}/toggle`);
  };

const mistype: Act = async ({ staff: { operators } }) => {
  await operators[1].logOut();
  await operators[1].logIn('causeway-dmeo');
};

/**
 * By week from 0 and trading day of the week from 0, each at an hour in Korea. At first the firm reviews everything;
 * from the fifth week on it provides sure texts automatically, and later more.
 */
export const COURSE: readonly { week: number; day: number; hour: number; act: Act }[] = [
  {
    week: 0,
    day: 0,
    hour: 8,
    act: publish(0, {
      criteria: { autoProvision: false },
      reason: '도입 초기에는 모든 설명을 심사한 뒤 제공합니다.',
    }),
  },
  { week: 0, day: 0, hour: 9, act: colleaguesJoin },
  {
    week: 0,
    day: 2,
    hour: 15,
    act: publish(0, {
      addWords: [{ word: '떼돈', severity: 'REVIEW', reason: 'EXAGGERATION' }],
      reason: '첫 주 심사에서 과장된 표현으로 지적된 낱말을 더합니다.',
    }),
  },
  {
    week: 1,
    day: 1,
    hour: 11,
    act: publish(0, {
      criteria: { blindShare: 35 },
      reason: '심사자 간 일치도 측정을 시작합니다.',
    }),
  },
  { week: 1, day: 3, hour: 14, act: stop },
  {
    week: 2,
    day: 2,
    hour: 10,
    act: proposeAndPublish({
      changeWords: [{ id: 'word-surge-expected', severity: 'BLOCK' }],
      reason: '협회 안내에 따라 전망을 단정하는 표현의 등급을 올립니다.',
    }),
  },
  { week: 2, day: 3, hour: 12, act: stop },
  { week: 3, day: 1, hour: 9, act: mistype },
  { week: 3, day: 3, hour: 14, act: stop },
  {
    week: 4,
    day: 0,
    hour: 8,
    act: proposeAndPublish({
      criteria: { autoProvision: true, minConfidence: 'HIGH', sampleShare: 25 },
      reason: '검출이 없고 신뢰도가 높은 설명부터 자동 제공하고 사후 점검을 시작합니다.',
    }),
  },
  { week: 4, day: 1, hour: 10, act: toggleStock(true) },
  { week: 4, day: 2, hour: 14, act: stop },
  { week: 4, day: 3, hour: 10, act: toggleStock(false) },
  { week: 4, day: 4, hour: 13, act: correct },
  { week: 5, day: 1, hour: 15, act: correct },
  { week: 5, day: 3, hour: 11, act: stop },
  {
    week: 6,
    day: 0,
    hour: 9,
    act: publish(1, {
      criteria: { minConfidence: 'MEDIUM', minSources: 1 },
      reason: '사후 점검 결과에 따라 자동 제공의 범위를 넓힙니다.',
    }),
  },
  {
    week: 6,
    day: 2,
    hour: 14,
    act: proposeAndPublish({
      addWords: [{ word: '놓치면 후회', severity: 'BLOCK', reason: 'SOLICITATION' }],
      criteria: { sampleShare: 30 },
      reason: '권유성 표현의 신고 사례를 반영하고 사후 점검을 넓힙니다.',
    }),
  },
  { week: 6, day: 4, hour: 15, act: stop },
  {
    week: 7,
    day: 0,
    hour: 8,
    act: publish(0, {
      criteria: { minSources: 2 },
      reason: '사후 점검에서 누락이 확인되어 최소 출처 수를 되돌립니다.',
    }),
  },
  { week: 7, day: 1, hour: 13, act: stop },
  { week: 7, day: 3, hour: 11, act: stop },
];
