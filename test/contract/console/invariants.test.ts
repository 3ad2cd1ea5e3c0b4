/**
 * Separation of duties as invariants (console API 1), for any acts in any order. The role at the moment of an act
 * counts, so no member becomes a Compliance Reviewer here; a Tenant Admin may do that, on record, with another person.
 *
 * A text is released where the reviewer's side lets it out: by decisions, policy, and the exclusions of instruments and
 * sectors, as if every market and channel were served. Markets and channels are the Tenant Admin's coverage (console
 * API 4, rule 4), so switching one on again exposes its released texts, and no more than that; an Operator exposes
 * nothing.
 */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TestConsole } from '../../support/console-api/console.ts';
import { addChannel } from '../../../agent/ledger/serving/channels.ts';
import { exposedExplanation } from '../../../agent/ledger/serving/visibility.ts';
import type { LedgerReader } from '../../../agent/ledger/storage/ledger.ts';
import { sqlite } from '../../../agent/ledger/storage/query.ts';
import { EXPLANATION_STATUSES } from '../../../shared/wire/console/console.ts';
import { runs } from '../../support/runs.ts';
import { readExpectedPolicy } from './policy.ts';

type Role = 'TENANT_ADMIN' | 'OPERATOR' | 'READ_ONLY';

/** Every write that the contract knows; logging in and out changes no text. */
const WRITES = readExpectedPolicy().routes.filter(({ method, path }) => method !== 'GET' && !path.includes('/auth/'));
const CHANNELS = ['MTS', 'HTS'];
/** The scopes that a Tenant Admin switches. */
const COVERAGE = ['markets/KRX', 'channels/MTS', 'channels/HTS'];

/** A body with everything that a write may want: then it is not its form that refuses it. */
const BODIES: Readonly<Record<string, object>> = {
  'PATCH /api/v1/session/profile': { displayName: '새 이름' },
  'PATCH /api/v1/explanations/{id}/final': { published_summary: '몰래 고친 글' },
  'POST /api/v1/explanations/{id}/stop': { reason: '사유' },
  'POST /api/v1/explanations/{id}/move-to-review': { reason: '사유' },
  'POST /api/v1/explanations/{id}/unblock': { reason: '사유' },
  'POST /api/v1/review/items/{id}/approve': { text: 'RECEIVED', comment: '의견' },
  'POST /api/v1/review/items/{id}/approve-edited': { edited_summary: '몰래 고친 글' },
  'POST /api/v1/review/items/{id}/reject': { reason: '사유' },
  'POST /api/v1/review/items/{id}/block': { reason: '사유' },
  'PUT /api/v1/review/items/{id}/draft': { edited_summary: '몰래 고친 글' },
  'POST /api/v1/review/items/{id}/draft/take-over': { draftId: 'somebody' },
  'PUT /api/v1/review/items/{id}/postponement': { postponement: 'HALF_HOUR' },
  'PUT /api/v1/review/items/{id}/hand-over': { to: null },
  'POST /api/v1/members': { username: 'x1', displayName: '새 사람', role: 'OPERATOR', password: 'long enough' },
  'PATCH /api/v1/members/{id}/role': { role: 'READ_ONLY' },
  'POST /api/v1/members/{id}/password': { password: 'long enough' },
  'PUT /api/v1/members/second-factor': { reviewers: false },
  'POST /api/v1/session/second-factor/confirm': { code: '000000' },
  'POST /api/v1/screening/words': { word: '단어', severity: 'REVIEW' },
  'PATCH /api/v1/screening/criteria': { autoProvision: true, minSources: 0 },
  'PATCH /api/v1/screening/disclaimer': { disclaimer: '몰래 고친 고지' },
  'POST /api/v1/screening/preview': { criteria: { minSources: 0 } },
  'POST /api/v1/screening/trial': { text: '지수가 올랐습니다.' },
  'POST /api/v1/screening/words/examples': { word: '원금 반환', severity: 'REVIEW' },
  'PUT /api/v1/scope/stocks/{code}/sector': { sector: null },
  'POST /api/v1/scope/markets/{market}/confirm': { reason: '사유' },
  'POST /api/v1/scope/channels/{channel}/confirm': { reason: '사유' },
  'POST /api/v1/scope/sectors/{sector}/confirm': { reason: '사유' },
  'POST /api/v1/sync/certificate': { certificate: 'PEM' },
  'POST /api/v1/review/items/{id}/notes': { text: '메모' },
  'POST /api/v1/review/items/{id}/opinions': { question: '의견을 주세요' },
  'POST /api/v1/review/opinions/{id}/answer': { opinion: 'BLOCK', text: '의견' },
  'POST /api/v1/review/items/{id}/dismissals': { wordId: 'word-buy', reason: '사유' },
  'POST /api/v1/review/samples/{id}': { outcome: 'FINE' },
  'POST /api/v1/review/blind-reviews/{id}': { outcome: 'reject', reason: '사유' },
  'POST /api/v1/screening/proposals': { criteria: { minSources: 0 } },
};

/** The body of a bulk decision; each item is still as it was received, the first time. */
const bulkBody = (id: string): object => ({ items: [{ id, version: 1 }], reason: '사유' });

interface Step {
  role: Role;
  write: number;
  target: number;
}

const steps = (roles: readonly Role[]): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.record({
      role: fc.constantFrom(...roles),
      write: fc.nat(WRITES.length - 1),
      target: fc.nat(EXPLANATION_STATUSES.length - 1),
    }),
    { minLength: 1, maxLength: 25 },
  );

/** A console with an explanation in every state, one instrument that a reviewer has excluded, and sessions. */
class World {
  readonly console = new TestConsole();
  readonly tickers: string[] = [];
  readonly #ids: string[] = [];
  readonly #tokens = new Map<Role, string>();

  [Symbol.asyncDispose](): Promise<void> {
    return this.console.close();
  }

  async furnish(): Promise<void> {
    const at = this.console.now.toISOString();
    for (const channel of CHANNELS) {
      this.console.ledger.write((tx) => addChannel(tx, { channel, key: `key of ${channel}`, at }));
    }
    EXPLANATION_STATUSES.forEach((status, index) => {
      const ticker = `T${index}`;
      this.tickers.push(ticker);
      this.#ids.push(this.console.explanation(status, { etf_ticker: ticker, summary: `${status} 원문` }));
    });
    // A later waiting text of the same instrument, and an exposed one of an excluded instrument.
    this.#ids.push(this.console.explanation('PENDING_REVIEW', { etf_ticker: 'T0', trade_date: '2026-11-21' }));
    this.tickers.push('TX');
    this.console.explanation('PUBLISHED', { etf_ticker: 'TX' });
    await this.console.ask({ method: 'POST', url: '/api/v1/scope/stocks/TX/toggle', as: 'COMPLIANCE_REVIEWER' });
    for (const role of ['TENANT_ADMIN', 'OPERATOR', 'READ_ONLY'] as const) {
      this.#tokens.set(role, this.console.session(role));
    }
  }

  async take({ role, write, target }: Step): Promise<void> {
    const { method, path } = WRITES[write] as (typeof WRITES)[number];
    const key = `${method} ${path}`;
    const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => this.#parameter(path, name, target));
    const body = path.includes('/bulk/') ? bulkBody(this.#ids[target] ?? '') : BODIES[key];
    const answer = await this.console.ask({
      method,
      url,
      as: this.#tokens.get(role) ?? '',
      ...(body === undefined ? {} : { body }),
    });
    expect(answer.status).toBeLessThan(500);
    // The form of the body is valid: only the caller's role, the state, or a missing object refuses it.
    if (body !== undefined) expect(answer.body.code, key).not.toBe('COMMON400');
  }

  #parameter(path: string, name: string, target: number): string {
    switch (name) {
      case 'market':
        return 'KRX';
      case 'channel':
        return CHANNELS[target % CHANNELS.length] ?? '';
      case 'code':
        return target % 2 === 0 ? 'TX' : 'T0';
      case 'version':
        return '1';
      case 'sector':
        return '반도체';
      default:
        if (path.includes('/members/')) return target % 2 === 0 ? 'member-READ_ONLY' : 'member-OPERATOR';
        if (path.includes('/words/')) return 'word-no-risk';
        return this.#ids[target] ?? '';
    }
  }

  /** The text that each channel gets for each instrument now. */
  served(reader: LedgerReader = this.console.ledger): Map<string, string> {
    const found = new Map<string, string>();
    for (const ticker of this.tickers) {
      for (const channel of CHANNELS) {
        const exposed = exposedExplanation(reader, ticker, channel, this.console.now);
        if (exposed !== undefined) found.set(`${ticker} on ${channel}`, exposed.text);
      }
    }
    return found;
  }

  /** The text that each channel would get if every market and channel were served. */
  released(): Map<string, string> {
    const covered = new Error('taken back');
    let found = new Map<string, string>();
    try {
      this.console.ledger.write((tx) => {
        tx.run(
          sqlite.updateTable('serving_scope').set({ enabled: 1 }).where('scope_type', 'in', ['MARKET', 'CHANNEL']),
        );
        found = this.served(tx);
        throw covered;
      });
    } catch (error) {
      if (error !== covered) throw error;
    }
    return found;
  }

  /** Switched by the Tenant Admin before anything else happens. */
  async cover(off: readonly string[]): Promise<void> {
    for (const place of off) {
      const url = `/api/v1/scope/${place}/toggle`;
      expect((await this.console.ask({ method: 'POST', url, as: 'TENANT_ADMIN' })).status).toBe(200);
    }
  }

  /** Every word that a customer or a reviewer can be shown. */
  texts(): string {
    const { ledger } = this.console;
    return JSON.stringify([
      ledger.all(
        sqlite
          .selectFrom('explanation')
          .select(['id', 'summary', 'published_summary', 'edited_summary', 'comment'])
          .orderBy('id'),
      ),
      ledger.all(sqlite.selectFrom('policy_version').selectAll().orderBy('version')),
    ]);
  }
}

interface Before {
  /** At the very beginning. */
  released: Map<string, string>;
  texts: string;
  /** Just before the step. */
  served: Map<string, string>;
}

async function holds(
  roles: readonly Role[],
  invariant: (world: World, step: Step, before: Before) => void,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(steps(roles), fc.subarray(COVERAGE), async (sequence, off) => {
      await using world = new World();
      await world.furnish();
      await world.cover(off);
      const [released, texts] = [world.released(), world.texts()];
      expect(released.size).toBeGreaterThan(0);
      for (const step of sequence) {
        const served = world.served();
        await world.take(step);
        invariant(world, step, { released, texts, served });
      }
    }),
    { numRuns: runs(5, 20) },
  );
}

/** Every entry of the first is in the second, word for word. */
function expectWithin(some: ReadonlyMap<string, string>, all: ReadonlyMap<string, string>): void {
  for (const [place, text] of some) expect([place, all.get(place)]).toEqual([place, text]);
}

describe('invariant of exposure', () => {
  test('no sequence of Operator and Tenant Admin actions releases a text or changes one; coverage alone exposes released texts, and an Operator exposes none', async () => {
    await holds(['OPERATOR', 'TENANT_ADMIN'], (world, { role }, before) => {
      expectWithin(world.released(), before.released);
      expectWithin(world.served(), before.released);
      if (role === 'OPERATOR') expectWithin(world.served(), before.served);
    });
  });
});

describe('invariant of wording', () => {
  test('no sequence of anything by anyone but a Compliance Reviewer changes a text', async () => {
    await holds(['OPERATOR', 'TENANT_ADMIN', 'READ_ONLY'], (world, _, before) => {
      expect(world.texts()).toBe(before.texts);
    });
  });
});

test('the invariants are about something: a Compliance Reviewer does both', async () => {
  await using world = new World();
  await world.furnish();
  const [before, texts] = [world.served(), world.texts()];
  await world.console.ask({ method: 'POST', url: '/api/v1/scope/stocks/TX/toggle', as: 'COMPLIANCE_REVIEWER' });
  expect(world.served().size).toBe(before.size + CHANNELS.length);
  expect(world.released().size).toBe(world.served().size);
  await world.console.ask({
    method: 'PATCH',
    url: '/api/v1/screening/disclaimer',
    as: 'COMPLIANCE_REVIEWER',
    body: { disclaimer: '바꾼 고지' },
  });
  expect(world.texts()).not.toBe(texts);
});
