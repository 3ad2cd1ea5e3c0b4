/**
 * The records of a write (console API 3, D12, D19), for every route of `policy.txt` that is not read-only: exactly one
 * row in the audit log, and one of its history where it moves an explanation; none when it is refused or fails
 * half-way. The relay's work is beyond any transaction: one more row records its intention before.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addChannel } from '../../../agent/ledger/serving/channels.ts';
import { sqlite } from '../../../agent/ledger/storage/query.ts';
import { cheapHash } from '../../support/shared/accounts.ts';
import { SEED_POLICY } from '../../../agent/screening/seed/seed-policy.ts';
import { memberId, TestConsole, type Asked } from '../../support/console-api/console.ts';
import type { Role } from '../../../shared/policy/roles.ts';
import { success } from '../../../shared/wire/envelope.ts';
import {
  keptView,
  secondFactorCases,
  UNVERSIONED,
  askedOpinion,
  claimed,
  COLLEAGUE,
  colleagueDraft,
  drawnDecision,
  everything,
  lookedAt,
  neverExposed,
  postponementCases,
  scopeCases,
  takenOver,
  untold,
  proposedPolicy,
  waitingPolicy,
} from './audit-objects.ts';
import { some } from '../../support/runs.ts';
import { inspectionCases } from './inspection-objects.ts';
import { readExpectedPolicy } from './policy.ts';

const PASSWORD = 'of the operator';
const TICKER = 'AUDIT';

interface Case {
  as: Role | null;
  /** The value of the path's parameter. */
  parameter?: (session: string) => string;
  body?: () => object;
  /** The action that it must leave; null for a route that changes nothing. */
  action: string | null;
  /** Whether it moves an explanation. */
  moves?: true;
  /** Whether the relay does it: then an earlier row of its own records the intention. */
  relayed?: true;
}

let console: TestConsole;
let relay: Server;
let folder: string;
let next = 0;

const waiting = () => console.explanation('PENDING_REVIEW', { etf_ticker: TICKER });
const blocked = () => console.explanation('BLOCKED', { etf_ticker: TICKER });
const shown = () => console.explanation('PUBLISHED', { etf_ticker: TICKER });
const unique = (): string => `audit-${(next += 1)}`;
const reason = () => ({ reason: '사유' });

/** An item in which a word was found. */
function hit(): string {
  const id = waiting();
  const row = { word_id: 'word-best', received_at: console.now.toISOString(), explanation_id: id };
  console.ledger.write((tx) => tx.run(sqlite.insertInto('word_hit').values(row)));
  return id;
}

/** An explanation that was exposed without a review and drawn as a sample. */
function sampled(): string {
  const id = shown();
  const row = { sampled_at: console.now.toISOString(), policy_version: 1, share: 5, outcome: 'OPEN' } as const;
  console.ledger.write((tx) => tx.run(sqlite.insertInto('review_sample').values({ explanation_id: id, ...row })));
  return id;
}

/** A change of the policy that a colleague has proposed. */
const proposed = (): string => proposedPolicy(console, unique(), 20 + (next += 1));

const reviews = (action: string, body?: () => object): Case => ({
  as: 'COMPLIANCE_REVIEWER',
  parameter: waiting,
  action,
  moves: true,
  ...(body === undefined ? {} : { body }),
});
/** A bulk write with one item: it writes one row per item. */
const bulk = (as: Role, move: string, item: () => string): Case => ({
  as,
  body: () => ({ items: [{ id: item(), version: 1 }], ...reason() }),
  action: `explanation.${move}`,
  moves: true,
});
const policy = (body?: () => object, parameter?: () => string): Case => ({
  as: 'COMPLIANCE_REVIEWER',
  action: 'policy.publish',
  ...(body === undefined ? {} : { body }),
  ...(parameter === undefined ? {} : { parameter }),
});
const member = (action: string, body?: () => object): Case => ({
  as: 'TENANT_ADMIN',
  parameter: () => memberId('READ_ONLY'),
  action: `member.${action}`,
  ...(body === undefined ? {} : { body }),
});
const sync = (action: string, body?: () => object): Case => ({
  as: 'TENANT_ADMIN',
  action,
  relayed: true,
  ...(body === undefined ? {} : { body }),
});

const CASES: Readonly<Record<string, Case>> = {
  'POST /api/v1/auth/login': {
    as: null,
    body: () => ({ username: 'operator', password: PASSWORD }),
    action: 'auth.login',
  },
  'POST /api/v1/auth/logout': { as: 'READ_ONLY', action: 'auth.logout' },
  'PATCH /api/v1/session/profile': {
    as: 'READ_ONLY',
    body: () => ({ displayName: unique() }),
    action: 'profile.rename',
  },
  'PUT /api/v1/session/views': {
    as: 'READ_ONLY',
    body: () => ({ screen: 'review', name: '보기', search: '?q=1' }),
    action: 'profile.view-saved',
  },
  'DELETE /api/v1/session/views/{id}': {
    as: 'READ_ONLY',
    parameter: () => keptView(console, memberId('READ_ONLY'), unique()),
    action: 'profile.view-removed',
  },
  'POST /api/v1/session/password': {
    as: 'OPERATOR',
    body: () => ({ currentPassword: PASSWORD, newPassword: `long enough ${unique()}` }),
    action: 'member.password',
  },
  'PATCH /api/v1/explanations/{id}/final': {
    as: 'COMPLIANCE_REVIEWER',
    parameter: shown,
    body: () => ({ published_summary: '바로잡은 글' }),
    action: 'explanation.correct',
    moves: true,
  },
  'POST /api/v1/explanations/{id}/stop': { ...reviews('explanation.stop', reason), as: 'OPERATOR', parameter: shown },
  'POST /api/v1/explanations/{id}/unblock': { ...reviews('explanation.unblock', reason), parameter: blocked },
  'POST /api/v1/explanations/{id}/move-to-review': {
    as: 'OPERATOR',
    parameter: shown,
    action: 'explanation.move-to-review',
    moves: true,
  },
  'POST /api/v1/review/items/{id}/approve': reviews('explanation.approve'),
  'POST /api/v1/review/items/{id}/approve-edited': reviews('explanation.approve-edited', () => ({
    edited_summary: '고친 글',
  })),
  'POST /api/v1/review/items/{id}/reject': reviews('explanation.reject', reason),
  'POST /api/v1/review/items/{id}/block': reviews('explanation.block', reason),
  'PUT /api/v1/review/items/{id}/draft': {
    as: 'COMPLIANCE_REVIEWER',
    parameter: waiting,
    body: () => ({ edited_summary: '쓰는 중' }),
    action: 'review.draft',
  },
  'POST /api/v1/review/items/{id}/draft/take-over': takenOver(() => colleagueDraft(console, waiting())),
  'PUT /api/v1/review/target': { as: 'TENANT_ADMIN', body: () => ({ minutes: (next += 1) }), action: 'review.target' },
  'PUT /api/v1/review/approval-numbers': {
    as: 'COMPLIANCE_REVIEWER',
    body: () => ({ pattern: null, validDays: (next += 1) }),
    action: 'review.approval-numbers',
  },
  'POST /api/v1/review/items/{id}/claim': { as: 'COMPLIANCE_REVIEWER', parameter: waiting, action: 'review.claim' },
  'DELETE /api/v1/review/items/{id}/claim': {
    as: 'COMPLIANCE_REVIEWER',
    parameter: (token) => claimed(console, waiting(), token),
    action: 'review.claim-released',
  },
  ...postponementCases(() => console, waiting),
  'POST /api/v1/dossiers': {
    as: 'TENANT_ADMIN',
    body: () => ({ ticker: neverExposed(console, unique()), from: '2026-11-20', to: '2026-11-20' }),
    action: 'dossier.make',
  },
  ...inspectionCases(() => console, waiting),
  'POST /api/v1/bulk/stop': bulk('OPERATOR', 'stop', shown),
  'POST /api/v1/bulk/move-to-review': bulk('OPERATOR', 'move-to-review', shown),
  'POST /api/v1/bulk/reject': bulk('COMPLIANCE_REVIEWER', 'reject', waiting),
  'POST /api/v1/bulk/block': bulk('COMPLIANCE_REVIEWER', 'block', waiting),
  'POST /api/v1/review/samples/{id}': {
    as: 'COMPLIANCE_REVIEWER',
    parameter: sampled,
    body: () => ({ outcome: 'MISSED' }),
    action: 'sample.missed',
  },
  'POST /api/v1/review/blind-reviews/{id}': {
    as: 'COMPLIANCE_REVIEWER',
    parameter: () => drawnDecision(console, waiting()),
    body: () => ({ outcome: 'reject', reason: '근거 부족' }),
    action: 'review.blind-differed',
  },
  'POST /api/v1/review/items/{id}/looks': lookedAt(() => console, waiting),
  'POST /api/v1/review/items/{id}/dismissals': {
    as: 'COMPLIANCE_REVIEWER',
    parameter: hit,
    body: () => ({ wordId: 'word-best', reason: '오탐' }),
    action: 'review.dismiss-hit',
  },
  'POST /api/v1/review/items/{id}/opinions': {
    as: 'COMPLIANCE_REVIEWER',
    parameter: waiting,
    body: () => ({ question: '의견을 주세요' }),
    action: 'review.opinion-asked',
  },
  'POST /api/v1/review/opinions/{id}/answer': {
    as: 'COMPLIANCE_REVIEWER',
    parameter: () => askedOpinion(console, waiting(), COLLEAGUE.id),
    body: () => ({ opinion: 'BLOCK', text: '의견' }),
    action: 'review.opinion-given',
  },
  'DELETE /api/v1/review/opinions/{id}': {
    as: 'COMPLIANCE_REVIEWER',
    parameter: () => askedOpinion(console, waiting(), memberId('COMPLIANCE_REVIEWER')),
    action: 'review.opinion-withdrawn',
  },
  'POST /api/v1/review/items/{id}/notes': {
    as: 'COMPLIANCE_REVIEWER',
    parameter: waiting,
    body: () => ({ text: '메모' }),
    action: 'review.note',
  },
  'POST /api/v1/members': {
    as: 'TENANT_ADMIN',
    body: () => ({ username: unique(), displayName: '새 사람', role: 'READ_ONLY', password: 'long enough 1' }),
    action: 'member.register',
  },
  'PATCH /api/v1/members/{id}/role': member('role', () => ({ role: 'OPERATOR' })),
  'POST /api/v1/members/{id}/password': member('password-reset', () => ({ password: `long enough ${unique()}` })),
  'POST /api/v1/members/{id}/deactivate': member('deactivate'),
  'POST /api/v1/screening/words': policy(() => ({ word: unique(), severity: 'REVIEW' })),
  'POST /api/v1/screening/words/{id}/toggle': policy(undefined, () => SEED_POLICY.words[0]?.id ?? ''),
  'PATCH /api/v1/screening/criteria': policy(() => ({ minSources: 3 + (next += 1) })),
  'PATCH /api/v1/screening/disclaimer': policy(() => ({ disclaimer: unique() })),
  'POST /api/v1/screening/versions': policy(() => ({ criteria: { minSources: 3 + (next += 1) }, reason: unique() })),
  'POST /api/v1/screening/versions/{version}/cancel': {
    ...policy(reason, () => waitingPolicy(console, unique())),
    action: 'policy.cancel',
  },
  'PATCH /api/v1/screening/words/{id}': policy(
    () => ({ exceptions: [{ text: unique(), becomes: 'CLEAR' }] }),
    () => SEED_POLICY.words[0]?.id ?? '',
  ),
  'POST /api/v1/screening/preview': {
    as: 'COMPLIANCE_REVIEWER',
    body: () => ({ criteria: { minSources: 5 } }),
    action: null,
  },
  'POST /api/v1/screening/trial': {
    as: 'COMPLIANCE_REVIEWER',
    body: () => ({ text: '지수가 올랐습니다.' }),
    action: null,
  },
  'POST /api/v1/screening/words/examples': {
    as: 'COMPLIANCE_REVIEWER',
    body: () => ({ word: '원금 반환', severity: 'REVIEW' }),
    action: null,
  },
  'POST /api/v1/screening/proposals': {
    as: 'COMPLIANCE_REVIEWER',
    body: () => ({ criteria: { minSources: 5 + (next += 1) } }),
    action: 'policy.propose',
  },
  'POST /api/v1/screening/proposals/{id}/publish': policy(undefined, proposed),
  'DELETE /api/v1/screening/proposals/{id}': {
    as: 'COMPLIANCE_REVIEWER',
    parameter: proposed,
    action: 'policy.withdraw',
  },
  ...scopeCases(() => console, TICKER),
  'PUT /api/v1/scope/stocks/{code}/sector': {
    as: 'COMPLIANCE_REVIEWER',
    parameter: () => TICKER,
    body: () => ({ sector: unique() }),
    action: 'scope.sector',
  },
  'POST /api/v1/sync/certificate': sync('sync.certificate-replaced', () => ({ certificate: 'PEM' })),
  'POST /api/v1/sync/certificate/previous': sync('sync.certificate-returned'),
  'POST /api/v1/sync/certificate/request': sync('sync.certificate-requested'),
  'POST /api/v1/sync/reconnect': sync('sync.reconnected'),
  ...secondFactorCases(() => console),
};

/** The certificate in each of the relay's answers. */
const FACTS = {
  subject: 'CN=tenant-1',
  issuer: 'CN=Vendor',
  fingerprint: 'ab'.repeat(32),
  validFrom: '2026-01-01T00:00:00.000Z',
  validTo: '2026-12-01T09:00:00.000Z',
};
const RELAYED = {
  certificate: FACTS,
  previous: null,
  probe: {
    outcome: 'ACCEPTED',
    at: '2026-11-20T09:00:00.000Z',
    ms: 1,
    status: 200,
    code: 'COMMON200',
    message: 'OK',
    tenantId: 1,
  },
  request: 'CSR',
};

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'causeway-audit-'));
  writeFileSync(path.join(folder, 'token'), 'token');
  relay = createServer((request, response) => {
    request.resume().once('end', () => response.end(JSON.stringify(success(RELAYED))));
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const url = new URL(`http://127.0.0.1:${(relay.address() as AddressInfo).port}`);
  console = new TestConsole({ relay: { url, tokenFile: path.join(folder, 'token'), tls: null } });
  waiting();
  console.setPassword(memberId('OPERATOR'), cheapHash(PASSWORD));
  console.ledger.write((tx) => {
    addChannel(tx, { channel: 'MTS', key: 'key', at: console.now.toISOString() });
    tx.run(sqlite.insertInto('instrument').values({ ...OTHER, sector: '은행' }));
  });
});
afterAll(async () => {
  await console.close();
  relay.close();
  relay.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});
const OTHER = { etf_ticker: 'OTHER', etf_instrument_id: 'KR7', etf_name: '은행', market: 'KRX' };

const rows = (of: 'console_action_log' | 'state_history'): number =>
  console.ledger.first<{ n: number }>({ sql: `SELECT count(*) AS n FROM ${of}`, parameters: [] })?.n ?? 0;

/** Prepares a case: a session of its own, and all that the request needs. */
function prepare(key: string, { as, parameter, body }: Case): Asked {
  const [method, route = ''] = key.split(' ');
  const session = as === null ? null : console.session(as);
  const url = route.replace(/\{\w+\}/, () => encodeURIComponent(parameter?.(session ?? '') ?? ''));
  return {
    method: method as Asked['method'],
    url,
    as: session,
    ...(body === undefined ? {} : { body: body() }),
  };
}

const writes = readExpectedPolicy()
  .routes.filter(({ method }) => method !== 'GET')
  .map(({ method, path: route }) => `${method} ${route}`);

test('every write of the API has a case', () => {
  expect(Object.keys(CASES).toSorted()).toEqual(writes.toSorted());
});

const match = (asked: Asked, version: string): Asked => ({ ...asked, headers: { 'if-match': `"${version}"` } });

/** The version of the object, read from the refusal of a wrong one. */
async function versionNow(asked: Asked): Promise<string> {
  const { body } = await console.ask(match(asked, '999999'));
  const errors = 'errors' in body ? (body.errors ?? []) : [];
  return errors.find((error) => error.path === 'version')?.message ?? '';
}

/** One barrier refuses for every route: these are tried. */
const refused = new Set(some(24, Object.keys(CASES)));

// In the order of the cases, for some go on from what an earlier one has set.
describe.each(Object.entries(CASES))('%s', (key, one) => {
  const hasVersion = !UNVERSIONED.has(key);
  if (refused.has(key)) {
    test(`If-Match of another version: ${hasVersion ? '412 with the version' : '400, because there is none'}; leaves nothing`, async () => {
      const asked = prepare(key, one);
      const before = everything(console);
      const answer = await console.ask(match(asked, '999999'));
      expect([answer.status, await versionNow(asked)]).toEqual(
        hasVersion ? [412, expect.stringMatching(/^[1-9]\d*$/)] : [400, ''],
      );
      expect(everything(console)).toEqual(before);
      expect((await console.ask({ ...asked, headers: { 'if-match': 'nonsense' } })).status).toBe(400);
      expect(everything(console)).toEqual(before);
    });

    test('refused for a field that does not fit: leaves nothing', async () => {
      const asked = prepare(key, one);
      const before = everything(console);
      const answer = await console.ask({ ...asked, body: { ...(asked.body as object | undefined), unknownField: 1 } });
      expect(answer.status).toBe(400);
      expect(everything(console)).toEqual(before);
    });

    test('failing half-way: leaves nothing', async () => {
      const asked = prepare(key, one);
      const before = everything(console);
      console.ledger.write((tx) =>
        tx.run({
          sql: "CREATE TRIGGER full BEFORE INSERT ON console_action_log BEGIN SELECT RAISE(ABORT, 'no more'); END",
          parameters: [],
        }),
      );
      const { status } = await console.ask(asked);
      console.ledger.write((tx) => tx.run({ sql: 'DROP TRIGGER full', parameters: [] }));
      expect(status).toBe(one.action === null ? 200 : 500);
      expect(everything(console)).toEqual(before);
    });
  }

  test(`leaves ${one.action === null ? 'nothing' : `one ${one.action}`}${hasVersion ? ', with If-Match of its version' : ''}`, async () => {
    const unmatched = prepare(key, one);
    const asked = hasVersion ? match(unmatched, await versionNow(unmatched)) : unmatched;
    const [actions, history, before] = [rows('console_action_log'), rows('state_history'), everything(console)];
    const last = console.actions().at(-1)?.seq ?? 0;
    const beside = untold(console);
    expect((await console.ask(asked)).status).toBe(200);
    expect(untold(console).filter((said) => !beside.includes(said))).toEqual([]);
    expect(rows('state_history') - history).toBe(one.moves === true ? 1 : 0);
    if (one.action === null) {
      expect(everything(console)).toEqual(before);
      return;
    }
    const left = [...(one.relayed === true ? [`${one.action}.asked`] : []), one.action];
    expect(rows('console_action_log') - actions).toBe(left.length);
    expect(console.actions(last).map(({ action }) => action)).toEqual(left);
    if (one.as !== null) expect(console.actions(last).every(({ actor_role }) => actor_role === one.as)).toBe(true);
  });
});
