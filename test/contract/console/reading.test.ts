/**
 * Reading never writes: no GET of the console API changes the ledger, for any role and any content. The
 * one thing that a request leaves is the time at which its session was last seen, by which the idle time runs (D9).
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openLedger, type Ledger } from '../../../agent/ledger/storage/ledger.ts';
import { sqlite } from '../../../agent/ledger/storage/query.ts';
import { newEntry, receive } from '../../support/agent/ledger.ts';
import { memberId, TestConsole } from '../../support/console-api/console.ts';
import type { Role } from '../../../shared/policy/roles.ts';
import { AUTOMATIC_HEADER } from '../../../shared/wire/console/console.ts';
import { askedOpinion, COLLEAGUE, colleagueDraft, drawnDecision, everything, keptView } from './audit-objects.ts';
import { readExpectedPolicy } from './policy.ts';

const reads = readExpectedPolicy().routes.filter(({ method }) => method === 'GET');
const ROLE: Record<string, Role> = {
  TA: 'TENANT_ADMIN',
  CR: 'COMPLIANCE_REVIEWER',
  OP: 'OPERATOR',
  RO: 'READ_ONLY',
};

let console: TestConsole;
/** Sees every commit of any other connection. */
let beside: Ledger;
/** A decision that awaits the reviewer's blind review; something that waits, with a draft and a question. */
let [decided, review, waiting] = ['', '', ''];

beforeAll(() => {
  console = new TestConsole();
  const at = console.now.toISOString();
  console.colleague(COLLEAGUE.id, COLLEAGUE.displayName);
  decided = console.explanation();
  review = drawnDecision(console, decided);
  waiting = colleagueDraft(console, console.explanation());
  askedOpinion(console, waiting, COLLEAGUE.id);
  keptView(console, memberId('COMPLIANCE_REVIEWER'), 'view');
  const sampled = console.explanation('AUTO_PUBLISHED');
  const row = { sampled_at: at, policy_version: 1, share: 5, outcome: 'OPEN', explanation_id: sampled } as const;
  console.ledger.write((tx) => tx.run(sqlite.insertInto('review_sample').values(row)));
  // No state of its explanation is forced past its history.
  console.ledger.write((tx) =>
    receive(tx, newEntry('told', { etf_ticker: '102110' }, { cursor: 99 }), 'PENDING_REVIEW', at),
  );
  beside = openLedger(console.file);
});
afterAll(async () => {
  beside.close();
  await console.close();
});

/** The addresses of each path: parameters name an object that exists, and queries narrow a list to one. */
function addresses(path: string): string[] {
  switch (path) {
    case '/api/v1/review/blind-reviews/{id}':
      return [path.replace('{id}', review)];
    case '/api/v1/screening/versions/{version}':
      return [path.replace('{version}', '1')];
    case '/api/v1/screening/versions/{version}/differences':
      return [`${path.replace('{version}', '1')}?from=1`];
    case '/api/v1/shown/moment':
      return [`${path}?ticker=102110&at=${console.now.toISOString()}`];
    case '/api/v1/shown/day':
      return [`${path}?ticker=102110&date=2026-11-20`];
    case '/api/v1/scope/effect':
      return [`${path}?type=MARKET&key=KRX`];
    case '/api/v1/review/items':
      return [path, `${path}?status=PENDING_REVIEW,PUBLISHED`];
    case '/api/v1/audit/actions':
      return [path, `${path}?targetId=${decided}`, `${path}?targetId=${waiting}`];
    default:
      return path.includes('{id}') ? [decided, waiting].map((id) => path.replace('{id}', id)) : [path];
  }
}

async function read(url: string, session: string, headers: Record<string, string> = {}): Promise<number> {
  const raw = await console.app.inject({
    method: 'GET',
    url,
    headers: { host: '127.0.0.1', cookie: `causeway_session=${session}`, ...headers },
    payloadAsStream: true,
  });
  // A stream of events has no end to wait for: its head is enough.
  if (url === '/api/v1/events') raw.stream().destroy();
  else for await (const part of raw.stream()) void part;
  return raw.statusCode;
}

describe.each(reads)('GET $path', ({ path }) => {
  test.each(Object.entries(ROLE))('as %s changes nothing', async (short, role) => {
    for (const url of addresses(path)) {
      const session = console.session(role);
      // The writes that were asked for before have had their turn.
      await console.context.write(() => undefined);
      const before = beside.dataVersion();
      const status = await read(url, session);
      // 403: the role may not see it; 409: a blind review comes first; 503: no relay to ask.
      expect([200, 403, 409, 503]).toContain(status);
      if (short === 'TA' && !path.startsWith('/api/v1/sync/certificate')) expect([url, status]).toEqual([url, 200]);
      expect(beside.dataVersion()).toBe(before);
      console.pass(5 * 60_000);
      await read(url, session, { [AUTOMATIC_HEADER]: '1' });
      expect(beside.dataVersion()).toBe(before);
      const rows = everything(console, ['session.last_seen_at']);
      await read(url, session);
      await console.context.write(() => undefined);
      expect(everything(console, ['session.last_seen_at'])).toEqual(rows);
    }
  });
});
