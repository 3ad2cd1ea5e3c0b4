/** A colleague's drafts, questions, views and decisions, as objects of the writes under test. */
import { checkThings } from '../../../agent/ledger/audit/thing-check.ts';
import { proposeChange } from '../../../agent/ledger/policy/proposals.ts';
import { withCriteria, withDisclaimer } from '../../../agent/ledger/policy/changes.ts';
import { changePolicy } from '../../../agent/ledger/policy/versions.ts';
import type { PolicySnapshot } from '../../../agent/screening/policy.ts';
import { SEED_POLICY } from '../../../agent/screening/seed/seed-policy.ts';
import { readRecordKey, recordKeyFile } from '../../../agent/ledger/made/record-key.ts';
import { claimItem } from '../../../agent/ledger/review/claims.ts';
import { handOver } from '../../../agent/ledger/review/hand-overs.ts';
import { postpone } from '../../../agent/ledger/review/postponed.ts';
import { draftId, saveDraft } from '../../../agent/ledger/review/drafts.ts';
import { switchNow, toggleScope } from '../../../agent/ledger/serving/scope.ts';
import { sqlite } from '../../../agent/ledger/storage/query.ts';
import { newEntry, receive } from '../../support/agent/ledger.ts';
import { applyMove } from '../../../agent/ledger/transitions.ts';
import { askOpinion, opinionsFor } from '../../../agent/ledger/review/second-opinions.ts';
import { Secret, TOTP } from 'otpauth';
import { findMember, type Member } from '../../../agent/ledger/accounts/members.ts';
import { beginSecondFactor } from '../../../agent/ledger/accounts/second-factors.ts';
import type { Role } from '../../../shared/policy/roles.ts';
import { memberId, type TestConsole } from '../../support/console-api/console.ts';

export const COLLEAGUE = { id: 'colleague', displayName: '동료', role: 'COMPLIANCE_REVIEWER' } as const;

/** Every row of every table with data of its own, without these columns. */
export function everything(console: TestConsole, except: readonly string[] = []): Record<string, string> {
  const tables = console.ledger.all<{ name: string }>({
    sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%search%' AND name NOT LIKE '%term%'",
    parameters: [],
  });
  return Object.fromEntries(
    tables.map(({ name }) => [
      name,
      JSON.stringify(console.ledger.all({ sql: `SELECT * FROM ${name}`, parameters: [] }), (key, value: unknown) =>
        except.includes(`${name}.${key}`) ? undefined : value,
      ),
    ]),
  );
}

/** The id of a colleague's change of the policy that waits for a second person. */
export function proposedPolicy(console: TestConsole, id: string, minSources: number): string {
  const criteria = { minSources };
  const change = (edited: PolicySnapshot): PolicySnapshot => withCriteria(edited, criteria);
  const actor = { kind: 'MEMBER', ...COLLEAGUE } as const;
  const at = console.now.toISOString();
  if (findMember(console.ledger, COLLEAGUE.id) === undefined) console.colleague(COLLEAGUE.id, COLLEAGUE.displayName);
  console.ledger.write((tx) => proposeChange(tx, { id, draft: { criteria }, told: [], change, actor, at }));
  return id;
}

const REVIEWER = {
  kind: 'MEMBER',
  id: memberId('COMPLIANCE_REVIEWER'),
  displayName: '심사자',
  role: 'COMPLIANCE_REVIEWER',
} as const;

/** The item, which a session of the reviewer looks at already. */
export function claimed(console: TestConsole, id: string, token: string): string {
  console.ledger.write((tx) => claimItem(tx, { id, actor: REVIEWER, token, at: console.now }));
  return id;
}

/** The writes of a postponement and of a hand-over, each about a waiting item. */
export function postponementCases(opened: () => TestConsole, waiting: () => string) {
  const postponed = (): string => {
    const { ledger, now } = opened();
    const [id, until] = [waiting(), new Date(now.getTime() + 60_000)];
    ledger.write((tx) => postpone(tx, { id, actor: REVIEWER, at: now, until }));
    return id;
  };
  const as = 'COMPLIANCE_REVIEWER';
  const body = () => ({ postponement: 'HALF_HOUR' });
  const handedOver = (): string => {
    const { ledger, now } = opened();
    const id = waiting();
    ledger.write((tx) => handOver(tx, { id, actor: REVIEWER, at: now.toISOString(), to: null }));
    return id;
  };
  const to = () => ({ to: null });
  return {
    'PUT /api/v1/review/items/{id}/postponement': { as, parameter: waiting, body, action: 'review.postpone' },
    'DELETE /api/v1/review/items/{id}/postponement': { as, parameter: postponed, action: 'review.resume' },
    'PUT /api/v1/review/items/{id}/hand-over': { as, parameter: waiting, body: to, action: 'review.handed-over' },
    'DELETE /api/v1/review/items/{id}/hand-over': { as, parameter: handedOver, action: 'review.taken' },
  } as const;
}

/** The writes of the serving scope; a switch is confirmed where it is off. */
export function scopeCases(opened: () => TestConsole, ticker: string) {
  const confirm = (as: Role, type: 'MARKET' | 'CHANNEL' | 'SECTOR', key: string) => ({
    as,
    parameter: () => {
      const { ledger, now } = opened();
      const at = now.toISOString();
      if (switchNow(ledger, type, key).enabled)
        ledger.write((tx) => toggleScope(tx, { type, key, actor: REVIEWER, at, reason: '사유' }));
      return key;
    },
    body: () => ({ reason: '사유' }),
    action: 'scope.confirm',
  });
  const toggle = (as: Role, key: string) => ({
    as,
    parameter: () => key,
    body: () => ({ reason: '사유' }),
    action: 'scope.toggle',
  });
  return {
    'POST /api/v1/scope/markets/{market}/toggle': toggle('TENANT_ADMIN', 'KRX'),
    'POST /api/v1/scope/channels/{channel}/toggle': toggle('TENANT_ADMIN', 'MTS'),
    'POST /api/v1/scope/stocks/{code}/toggle': toggle('COMPLIANCE_REVIEWER', ticker),
    'POST /api/v1/scope/sectors/{sector}/toggle': toggle('COMPLIANCE_REVIEWER', '은행'),
    'POST /api/v1/scope/markets/{market}/confirm': confirm('TENANT_ADMIN', 'MARKET', 'KRX'),
    'POST /api/v1/scope/channels/{channel}/confirm': confirm('TENANT_ADMIN', 'CHANNEL', 'MTS'),
    'POST /api/v1/scope/sectors/{sector}/confirm': confirm('COMPLIANCE_REVIEWER', 'SECTOR', '은행'),
  };
}

/** A version of a colleague's that waits for its start, with this disclaimer. */
export function waitingPolicy(console: TestConsole, text: string): string {
  const change = (edited = SEED_POLICY): PolicySnapshot => withDisclaimer(edited, text);
  const startsAt = new Date(console.now.getTime() + 60_000).toISOString();
  const asked = { change, startsAt, actor: { kind: 'MEMBER', ...COLLEAGUE }, at: console.now.toISOString() } as const;
  return String(console.ledger.write((tx) => changePolicy(tx, asked)).version);
}

/** The id of a request for a second opinion about an item, made by this person. */
export function askedOpinion(console: TestConsole, id: string, by: string): string {
  const at = console.now.toISOString();
  return console.ledger.write((tx) => {
    askOpinion(tx, { id, question: '의견을 주세요', actor: { ...COLLEAGUE, id: by, kind: 'MEMBER' }, at });
    return opinionsFor(tx, [id], by).get(id)?.id ?? '';
  });
}

/** A colleague's decision about an item that was drawn for a blind review. */
export function drawnDecision(console: TestConsole, id: string): string {
  const at = console.now.toISOString();
  return console.ledger.write((tx) => {
    applyMove(tx, { id, move: 'approve', actor: { ...COLLEAGUE, kind: 'MEMBER' }, at });
    const move_id =
      tx.first<{ id: number }>({ sql: 'SELECT max(id) AS id FROM state_history', parameters: [] })?.id ?? 0;
    const row = { move_id, explanation_id: id, first_id: COLLEAGUE.id, drawn_at: at, policy_version: 1, share: 5 };
    tx.run(sqlite.insertInto('blind_review').values({ ...row, state: 'OPEN' }));
    return String(move_id);
  });
}

/** A look at a colleague's decision that awaits one's blind review. */
export function lookedAt(console: () => TestConsole, item: () => string) {
  const parameter = (): string => {
    const id = item();
    drawnDecision(console(), id);
    return id;
  };
  return { as: 'COMPLIANCE_REVIEWER', parameter, action: 'review.looked' } as const;
}

/** A ticker of which nothing was exposed. */
export function neverExposed(console: TestConsole, etf_ticker: string): string {
  const at = console.now.toISOString();
  console.ledger.write((tx) => receive(tx, newEntry(etf_ticker, { etf_ticker }), 'PENDING_REVIEW', at));
  return etf_ticker;
}

/** An item about which a colleague is writing. */
export function colleagueDraft(console: TestConsole, id: string): string {
  const at = console.now.toISOString();
  const actor = { ...COLLEAGUE, kind: 'MEMBER' } as const;
  console.ledger.write((tx) => saveDraft(tx, { id, actor, at, text: '동료가 쓰던 글' }));
  return id;
}

/** The expected audit rows of taking over that draft. */
export function takenOver(parameter: () => string) {
  let item = '';
  return {
    as: 'COMPLIANCE_REVIEWER',
    parameter: () => (item = parameter()),
    body: () => ({ draftId: draftId(item, COLLEAGUE.id) }),
    action: 'review.draft-taken-over',
  } as const;
}

/** The id of a saved view. */
export function keptView(console: TestConsole, member_id: string, id: string): string {
  const view = { id, member_id, screen: 'review', name: id, search: '', saved_at: console.now.toISOString() } as const;
  console.ledger.write((tx) => tx.run(sqlite.insertInto('saved_view').values(view)));
  return id;
}

/** The writes about a second factor, in the order in which they can be made; last, because a reviewer does nothing else meanwhile. */
export function secondFactorCases(opened: () => TestConsole) {
  const reviewer = (): Member => {
    const found = findMember(opened().ledger, memberId('COMPLIANCE_REVIEWER'));
    if (found === undefined) throw new TypeError('There is no reviewer.');
    return found;
  };
  const firstCode = (): string => {
    const { ledger, now } = opened();
    const begun = { member: reviewer(), actor: { kind: 'SYSTEM' }, at: now.toISOString() } as const;
    // A confirmed factor ends the reviewer's other sessions: their claims would leave rows of their own.
    ledger.write((tx) => tx.run(sqlite.deleteFrom('review_claim')));
    const secret = Secret.fromBase32(ledger.write((tx) => beginSecondFactor(tx, begun)));
    return TOTP.generate({ secret, timestamp: now.getTime() });
  };
  return {
    'PUT /api/v1/members/second-factor': {
      as: 'TENANT_ADMIN',
      body: () => ({ reviewers: true }),
      action: 'member.second-factor-asked',
    },
    'POST /api/v1/session/second-factor': { as: 'COMPLIANCE_REVIEWER', action: 'member.second-factor-begun' },
    'POST /api/v1/session/second-factor/confirm': {
      as: 'COMPLIANCE_REVIEWER',
      body: () => ({ code: firstCode() }),
      action: 'member.second-factor',
    },
    'DELETE /api/v1/members/{id}/second-factor': {
      as: 'TENANT_ADMIN',
      parameter: () => memberId('COMPLIANCE_REVIEWER'),
      action: 'member.second-factor-reset',
    },
  } as const;
}

/** Writes without a version to match (D13): sessions, views, opinions, new objects, bulk acts, the relay. */
export const UNVERSIONED = new Set([
  // Its path names the version.
  'POST /api/v1/screening/versions/{version}/cancel',
  'POST /api/v1/session/second-factor',
  'POST /api/v1/session/second-factor/confirm',
  'POST /api/v1/review/opinions/{id}/answer',
  'DELETE /api/v1/review/opinions/{id}',
  'PUT /api/v1/session/views',
  'DELETE /api/v1/session/views/{id}',
  'POST /api/v1/auth/login',
  'POST /api/v1/auth/logout',
  'POST /api/v1/members',
  'POST /api/v1/screening/preview',
  'POST /api/v1/screening/trial',
  'POST /api/v1/screening/words/examples',
  'POST /api/v1/review/blind-reviews/{id}',
  'POST /api/v1/review/items/{id}/looks',
  'POST /api/v1/bulk/stop',
  'POST /api/v1/dossiers',
  'POST /api/v1/inspections/counts',
  'POST /api/v1/inspections',
  'POST /api/v1/inspections/{id}/continue',
  'POST /api/v1/inspections/{id}/download',
  'DELETE /api/v1/inspections/{id}',
  'POST /api/v1/bulk/move-to-review',
  'POST /api/v1/bulk/reject',
  'POST /api/v1/bulk/block',
  'DELETE /api/v1/screening/proposals/{id}',
  'POST /api/v1/sync/certificate',
  'POST /api/v1/sync/certificate/previous',
  'POST /api/v1/sync/certificate/request',
  'POST /api/v1/sync/reconnect',
]);

/** What the audit log does not tell as it is (D199), beside acts on top of what a preparation has written past it. */
export const untold = ({ ledger, file }: TestConsole): string[] =>
  checkThings(ledger, readRecordKey(recordKeyFile(file)))
    .faults.filter(({ fault }) => fault !== 'COVERED')
    .map(({ says }) => says);
