/** What `shownAt` tells, against the rule that serves: at now, and afterwards of every moment that was looked at. */
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { kstDayEnd, kstMidnight } from '../../../shared/time/kst.ts';
import { disclaimerText } from '../../screening/policy.ts';
import { SEED_POLICY } from '../../screening/seed/seed-policy.ts';
import { updateVendorFields } from '../explanations/explanations.ts';
import { activePolicy, publishPolicy } from '../policy/versions.ts';
import { approvalNumbering, setApprovalNumbering } from '../serving/approval.ts';
import { addChannel, channelNames, closeChannel, openChannel } from '../serving/channels.ts';
import { endTickerHold, holdTickers } from '../serving/record.ts';
import { setSector, toggleScope } from '../serving/scope.ts';
import { addServed } from '../serving/served.ts';
import { exposedExplanation } from '../serving/visibility.ts';
import { openLedger, type Ledger, type LedgerTransaction } from '../storage/ledger.ts';
import { newEntry, receive } from '../../../test/support/agent/ledger.ts';
import { applyMove } from '../transitions.ts';
import { servedBandOf } from './requests.ts';
import { shownAt } from './shown-at.ts';
import { RecordNotWholeError } from './errors.ts';
import { missing, readShownFacts } from './shown-facts.ts';
import { runs } from '../../../test/support/runs.ts';
import { vendorFields } from '../storage/vendor-fields.ts';

const TICKERS = ['069500', '102110'] as const;
const DAYS = ['2026-11-19', '2026-11-20', '2026-11-23'] as const;
const PERSON = { kind: 'MEMBER', id: 'm', displayName: '심사자', role: 'COMPLIANCE_REVIEWER' } as const;
const ADMIN = { kind: 'MEMBER', id: 'a', displayName: '관리자', role: 'TENANT_ADMIN' } as const;
const GROUNDS = { source_events: '[]', evidences: '[]' };

let ledger: Ledger;
beforeEach(() => begin());
afterEach(() => ledger.close());
let now: number;
/** The requests that were served a text. */
let asked: { at: string; ticker: string; channel: string }[];
function begin(): void {
  ledger = openLedger(':memory:');
  asked = [];
  now = Date.parse('2026-11-20T00:00:00.000Z');
}
const at = (): string => new Date(now).toISOString();

interface Exposed {
  id: string;
  text: string;
  number: string | null;
  disclaimer: string | null;
}
type Answers = Record<string, Exposed | null>;

/** What a channel would be served now: the rule that serves, with the disclaimer as provision adds it. */
function exposedNow(ticker: string): Answers {
  const policy = activePolicy(ledger);
  const disclaimer = policy === undefined ? null : disclaimerText(policy.snapshot);
  return Object.fromEntries(
    channelNames(ledger).map((channel) => {
      const found = exposedExplanation(ledger, ticker, channel, new Date(now));
      const isWithheld = found === undefined || (disclaimer === null && found.engine !== 'v2');
      return [
        channel,
        isWithheld ? null : { id: found.id, text: found.text, number: found.approval_number, disclaimer },
      ];
    }),
  );
}

function told(ticker: string, instant: string): Answers | string {
  const facts = readShownFacts(ledger, ticker, { from: instant, to: instant }, new Date(now));
  const showing = shownAt(facts, instant);
  if (showing.state === 'UNKNOWN') return showing.reason;
  return Object.fromEntries(
    showing.channels.map(({ channel, inside }) => [
      channel,
      inside && showing.state === 'GIVEN'
        ? { id: showing.id, text: showing.text, number: showing.approvalNumber, disclaimer: showing.disclaimer }
        : null,
    ]),
  );
}

const ticker = fc.constantFrom('069500', '069500', '069500', '102110');
const entry = fc.record({
  ticker,
  day: fc.constantFrom(...DAYS),
  hour: fc.constantFrom('01', '05'),
  market: fc.constantFrom('KRX', null),
  engine: fc.constantFrom('v1', 'v1', 'v2'),
});
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('receive'), entry, isExposable: fc.boolean() }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('move'),
      item: fc.nat(7),
      move: fc.constantFrom(
        ...['approve', 'approve', 'approve-edited', 'approve-edited', 'move-to-review', 'move-to-review'],
        ...['stop', 'correct', 'correct', 'reject', 'invalidate'],
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('again'), item: fc.nat(7), entry }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('scope'),
      type: fc.constantFrom('MARKET', 'CHANNEL', 'INSTRUMENT', 'SECTOR'),
      nth: fc.nat(1),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('sector'), ticker, sector: fc.constantFrom('반도체', null) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('policy'),
      hold: fc.constantFrom(0, 10, 60),
      expires: fc.constantFrom(null, null, '09:01', '14:30'),
      text: fc.constantFrom('하나', '둘'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('approvals'), days: fc.constantFrom(null, 1, 2) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('channel'), name: fc.constantFrom('MTS', 'HTS') }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('rebuild'), ticker, isBegun: fc.constantFrom(true, false, false) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('ask'), ticker }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('pass'),
      ms: fc.constantFrom(0, 0, 1, 9_700, 10_000, 60_000, 5_400_000, 86_400_000),
    }),
  },
);
const back = fc.record({ kind: fc.constant('back'), ms: fc.constantFrom(1, 5_000, 60_000, 86_400_000) });
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type Back = typeof back extends fc.Arbitrary<infer T> ? T : never;

/** Makes the step by the real functions. A refused one changes nothing. */
function make(each: Step | Back, n: number, ids: string[], entries: Map<string, string>): void {
  if (!('kind' in each)) return;
  const vendor = (told: (typeof each & { kind: 'receive' | 'again' })['entry'], name: string) =>
    newEntry(
      name,
      {
        etf_ticker: told.ticker,
        etf_name: `이름 ${n}`,
        trade_date: told.day,
        explanation_as_of: `${told.day}T${told.hour}:00:00.000Z`,
        market: told.market,
        analysis_engine: told.engine,
        summary: `문장 ${name}`,
      },
      { cursor: n + 1 },
    );
  try {
    ledger.write((tx) => {
      switch (each.kind) {
        case 'receive': {
          if (!('isExposable' in each)) return;
          const id = receive(
            tx,
            vendor(each.entry, `e${n}`),
            each.isExposable ? 'AUTO_PUBLISHED' : 'PENDING_REVIEW',
            at(),
          );
          ids.push(id);
          entries.set(id, `e${n}`);
          return;
        }
        case 'again': {
          const id = 'item' in each ? ids[each.item % ids.length] : undefined;
          if (id === undefined || !('entry' in each)) return;
          const fields = vendorFields(vendor(each.entry, entries.get(id) ?? ''), GROUNDS);
          updateVendorFields(tx, id, fields, { cursor: n + 1, at: at() });
          return;
        }
        case 'move': {
          const id = 'item' in each ? ids[each.item % ids.length] : undefined;
          if (id === undefined || !('move' in each)) return;
          const actor = each.move === 'invalidate' ? ({ kind: 'SYSTEM' } as const) : PERSON;
          applyMove(tx, {
            id,
            move: each.move as 'approve',
            actor,
            at: at(),
            reason: '사유',
            // A withdrawal of a backlog goes ahead of what came with it.
            ...(each.move === 'invalidate' ? { cursor: Math.max(1, n + 1 - (each.item % 4)) } : {}),
            editedSummary: `고침 ${n}`,
          });
          return;
        }
        case 'scope': {
          if (!('type' in each)) return;
          const keys = {
            MARKET: ['KRX', 'KOSDAQ'],
            CHANNEL: ['MTS', 'HTS'],
            INSTRUMENT: TICKERS,
            SECTOR: ['반도체', 'x'],
          };
          const { type } = each;
          toggleScope(tx, { type, key: keys[type][each.nth] ?? '', actor: ADMIN, at: at() });
          return;
        }
        case 'sector':
          if ('sector' in each) setSector(tx, { code: each.ticker, sector: each.sector, actor: PERSON, at: at() });
          return;
        case 'policy': {
          if (!('hold' in each)) return;
          const criteria = { ...SEED_POLICY.criteria, holdSeconds: each.hold, expiresAt: each.expires };
          const disclaimer = { ...SEED_POLICY.disclaimer, text: each.text };
          publishPolicy(tx, {
            snapshot: { ...SEED_POLICY, criteria, disclaimer },
            changes: [],
            actor: PERSON,
            at: at(),
          });
          return;
        }
        case 'approvals': {
          if (!('days' in each)) return;
          const next = approvalNumbering(tx, new Date(now)).pattern === null ? { next: 1 } : {};
          setApprovalNumbering(tx, { pattern: '{SEQ}', validDays: each.days, ...next }, { actor: PERSON, at: at() });
          return;
        }
        case 'channel': {
          if (!('name' in each)) return;
          if (channelNames(tx).includes(each.name)) closeChannel(tx, { channel: each.name, at: at() });
          else openChannel(tx, { channel: each.name, key: `k${n}`, at: at() });
          return;
        }
        case 'rebuild':
          if (!('isBegun' in each)) return;
          if (each.isBegun) holdTickers(tx, [each.ticker], at());
          else endTickerHold(tx, at());
          return;
        case 'pass':
        case 'back':
          return;
        case 'ask': {
          if (!('ticker' in each)) return;
          for (const [channel, found] of Object.entries(exposedNow(each.ticker))) {
            const exposed = exposedExplanation(tx, each.ticker, channel, new Date(now));
            if (found === null || exposed === undefined) continue;
            const { id, afterMove, afterFact } = exposed;
            const counted = { times: 1, firstAt: new Date(now), lastAt: new Date(now) };
            addServed(tx, [{ id, channel, afterMove, afterFact, ...counted }]);
            asked.push({ at: at(), ticker: each.ticker, channel });
          }
        }
      }
    });
  } catch (error) {
    if (!(error instanceof Error) || !/NotAllowed|UnknownScope|Channel/.test(error.name)) throw error;
  }
  // 0: to the next minute.
  if (each.kind === 'pass' && 'ms' in each) now += each.ms === 0 ? 60_000 - (now % 60_000) : each.ms;
  if (each.kind === 'back' && 'ms' in each) now -= each.ms;
}

/** Three exposed texts and one that waits, so that most acts change something. */
function start(ids: string[], entries: Map<string, string>): void {
  ledger.close();
  begin();
  ledger.write((tx) => {
    addChannel(tx, { channel: 'MTS', key: 'k', at: at() });
    publishPolicy(tx, { snapshot: SEED_POLICY, changes: [], actor: PERSON, at: at() });
    for (const [n, etf_ticker] of ['069500', '069500', '069500', '102110'].entries()) {
      const fields = { etf_ticker, explanation_as_of: `2026-11-19T2${n}:30:00.000Z`, summary: `문장 s${n}` };
      const id = receive(
        tx,
        newEntry(`s${n}`, fields, { cursor: 0 }),
        n === 2 ? 'PENDING_REVIEW' : 'AUTO_PUBLISHED',
        at(),
      );
      ids.push(id);
      entries.set(id, `s${n}`);
    }
  });
}

test('at now it agrees with the rule that serves, for any acts and any setting of the clock', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof({ weight: 12, arbitrary: step }, { weight: 1, arbitrary: back }), {
        minLength: 10,
        maxLength: 40,
        size: 'max',
      }),
      (steps) => {
        const ids: string[] = [];
        const entries = new Map<string, string>();
        start(ids, entries);
        for (const [n, each] of steps.entries()) {
          make(each, n, ids, entries);
          for (const one of TICKERS) expect(told(one, at())).toEqual(exposedNow(one));
        }
      },
    ),
    { numRuns: runs(2, 25) },
  );
});

/** What was asked of a ticker in a span, by channel. */
function requestsIn(
  span: { from: string; to: string },
  one: string,
): { channel: string; times: number; most: number }[] {
  const within = asked.filter((each) => each.ticker === one && each.at >= span.from && each.at < span.to);
  return [...new Set(within.map(({ channel }) => channel))].map((channel) => {
    const times = within.filter((each) => each.channel === channel).length;
    return { channel, times, most: times };
  });
}
const countsOf = (requests: readonly { channel: string; times: number; most: number }[]): string[] =>
  requests.map(({ channel, times, most }) => `${channel} ${times} ${most}`).toSorted();

/** Makes the steps, and looks at each ticker after each. */
function lived(steps: readonly Step[]): {
  ids: string[];
  seen: { instant: string; ticker: string; exposed: Answers }[];
} {
  const ids: string[] = [];
  const entries = new Map<string, string>();
  start(ids, entries);
  const seen = steps.flatMap((each, n) => {
    make(each, n, ids, entries);
    const looks = TICKERS.map((one) => ({ instant: at(), ticker: one, exposed: exposedNow(one) }));
    // A request that comes while nothing else happens: each change has a moment of its own.
    now += 1;
    return looks;
  });
  now += 3_600_000;
  return { ids, seen };
}

test('afterwards it tells of every moment what the rule gave then, and the band of a day the same with every request', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 10, maxLength: 40, size: 'max' }), (steps) => {
      const { seen } = lived(steps);
      for (const { instant, ticker: one, exposed } of seen)
        expect([instant, told(one, instant)]).toEqual([instant, exposed]);
      for (const one of TICKERS)
        for (const day of DAYS) {
          const [from, end] = [kstMidnight(day).toISOString(), kstDayEnd(day).toISOString()];
          if (from > at()) continue;
          const facts = readShownFacts(ledger, one, { from, to: end }, new Date(now));
          const spans = servedBandOf(facts, from, end < at() ? end : at());
          for (const { instant } of seen.filter(
            (each) => each.ticker === one && each.instant >= from && each.instant < end,
          )) {
            const span = spans.findLast((each) => each.from <= instant);
            expect(span?.showing).toEqual(shownAt(facts, instant));
          }
          for (const span of spans) expect(countsOf(span.requests)).toEqual(countsOf(requestsIn(span, one)));
          expect(spans.every(({ causes }, index) => index === 0 || causes.length > 0)).toBe(true);
          expect(spans.flatMap(({ causes }) => causes).filter(({ kind }) => kind === 'CLOCK')).toEqual([]);
        }
    }),
    { numRuns: runs(2, 25) },
  );
});

/** Runs `look` while a row is gone past the guards; then all is as it was. */
function without(id: string, look: () => void): void {
  const run = (tx: LedgerTransaction, sql: string, ...parameters: unknown[]): void => void tx.run({ sql, parameters });
  const isOver = new Error('looked');
  expect(() =>
    ledger.write((tx) => {
      run(tx, 'PRAGMA defer_foreign_keys = ON');
      run(tx, 'DROP TRIGGER explanation_is_never_deleted');
      run(tx, 'DELETE FROM explanation WHERE id = ?', id);
      look();
      throw isOver;
    }),
  ).toThrow(isOver);
}

test('of a ledger that has lost any row it tells a moment as it was, or refuses: never that nothing was shown', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 10, maxLength: 30, size: 'max' }), (steps) => {
      const { ids, seen } = lived(steps);
      for (const id of new Set(ids))
        without(id, () => {
          for (const { instant, ticker: one, exposed } of seen) {
            const wasExposed = Object.values(exposed).some((answer) => answer?.id === id);
            let answer: Answers | string;
            try {
              answer = told(one, instant);
            } catch (error) {
              expect(error).toBeInstanceOf(RecordNotWholeError);
              continue;
            }
            expect([wasExposed, answer]).toEqual([false, exposed]);
          }
        });
    }),
    { numRuns: runs(1, 8) },
  );
});

test('a lost row is missed where it came days ahead of its trade date, and where a person had approved it after a later one', () => {
  const ids: string[] = [];
  start(ids, new Map());
  const [, , waits = ''] = ids;
  const ahead = ledger.write((tx) => {
    const fields = { etf_ticker: '102110', trade_date: DAYS[2], explanation_as_of: `${DAYS[2]}T01:00:00.000Z` };
    return receive(tx, newEntry('ahead', fields, { cursor: 5 }), 'AUTO_PUBLISHED', at());
  });
  const later = ledger.write((tx) => {
    const fields = { trade_date: DAYS[2], explanation_as_of: `${DAYS[2]}T01:00:00.000Z` };
    return receive(tx, newEntry('later', fields, { cursor: 6 }), 'AUTO_PUBLISHED', at());
  });
  now += 5 * 86_400_000;
  const move = (id: string, made: 'stop' | 'approve'): void =>
    ledger.write((tx) => void applyMove(tx, { id, move: made, actor: PERSON, at: at(), reason: 'x' }));
  move(later, 'stop');
  move(waits, 'approve');
  now += 120_000;
  const approved = at();
  now += 60_000;
  expect(told('069500', approved)).toMatchObject({ MTS: { id: waits } });
  without(waits, () => expect(() => told('069500', approved)).toThrow(RecordNotWholeError));
  const first = '2026-11-20T00:00:00.000Z';
  expect(told('102110', first)).toMatchObject({ MTS: { text: '문장 s3' } });
  without(ahead, () => expect(() => told('102110', first)).toThrow(RecordNotWholeError));
});

test('an explanation is never deleted', () => {
  start([], new Map());
  const sql = 'DELETE FROM explanation';
  expect(() => ledger.write((tx) => tx.run({ sql, parameters: [] }))).toThrow('an explanation is never deleted');
});

test('the look for missing rows reads the places of the span alone, by keys', () => {
  const { sql, parameters } = missing('t', DAYS[0], DAYS[1]);
  const plan = ledger.all<{ detail: string }>({ sql: `EXPLAIN QUERY PLAN ${sql}`, parameters });
  expect(plan.map(({ detail }) => detail)).toEqual([
    'SEARCH explanation_place USING PRIMARY KEY (etf_ticker=? AND day>? AND day<?)',
    'CORRELATED SCALAR SUBQUERY 1',
    'SEARCH explanation USING INDEX sqlite_autoindex_explanation_1 (id=?)',
  ]);
});
