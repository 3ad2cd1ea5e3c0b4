import Database from 'better-sqlite3';
import { beforeEach, describe, expect, test } from 'vitest';
import type { NewEntry } from '../../../shared/wire/bundle.ts';
import { rememberInstrument } from '../../ledger/explanations/explanations.ts';
import { remembering, type Ledger, type LedgerReader } from '../../ledger/storage/ledger.ts';
import { sqlite } from '../../ledger/storage/query.ts';
import { publishPolicy } from '../../ledger/policy/versions.ts';
import { newEntry, testLedger } from '../../../test/support/agent/ledger.ts';
import { SEED_POLICY } from '../../screening/seed/seed-policy.ts';
import { RecordKeyFile, recordKeyFile } from '../../ledger/made/record-key.ts';
import { ALTERED_REASON, createEntryScreening } from './screening.ts';
import { readableLog } from '../../../test/support/agent/intake.ts';

let ledger: Ledger;
beforeEach(() => {
  ({ ledger } = testLedger());
  ledger.write((tx) =>
    publishPolicy(tx, {
      snapshot: SEED_POLICY,
      changes: [],
      actor: { kind: 'SYSTEM' },
      at: '2026-11-20T00:00:00.000Z',
    }),
  );
});

/** A ledger whose disk fails at the read with this number, counted from zero. */
function failingAt(place: number): { reader: LedgerReader; failed(): boolean } {
  let readings = 0;
  const spend = (): void => {
    if (readings++ === place) throw new Database.SqliteError('disk I/O error', 'SQLITE_IOERR');
  };
  return {
    failed: () => readings > place,
    reader: {
      all: (query) => {
        spend();
        return ledger.all(query);
      },
      first: (query) => {
        spend();
        return ledger.first(query);
      },
    },
  };
}

test('a fault of the disk while the policy is read is the ledger’s: nothing waits for a reviewer because of it', () => {
  const { log, lines } = readableLog();
  let place = 0;
  for (let whole = false; !whole; place++) {
    const screen = createEntryScreening(log);
    const { reader, failed } = failingAt(place);
    try {
      screen(reader, newEntry('a'));
    } catch (error) {
      expect(error).toMatchObject({ code: 'SQLITE_IOERR' });
    }
    whole = !failed();
    // The same screening, when the disk is well again.
    expect(screen(ledger, newEntry('a')).screened).toMatchObject({ outcome: 'AUTO_PUBLISHED', policyVersion: 1 });
  }
  expect(place).toBeGreaterThan(3);
  expect(lines).toEqual([]);
});

test('a notice that the policy requires is checked after the five checks, in every later entry', () => {
  const screened = (summary: string) =>
    createEntryScreening(readableLog().log)(ledger, newEntry('a', { summary })).screened;
  expect(screened('반도체가 올랐습니다.').checks).toHaveLength(5);
  const notice = { id: 'n', name: '손실 고지', active: true, terms: ['원금 손실'], onlyWith: [] };
  ledger.write((tx) =>
    publishPolicy(tx, {
      snapshot: { ...SEED_POLICY, notices: [{ ...notice, severity: 'BLOCK' }] },
      changes: [],
      actor: { kind: 'SYSTEM' },
      at: '2026-11-20T00:00:00.000Z',
    }),
  );
  const missing = screened('반도체가 올랐습니다.');
  expect([missing.outcome, missing.checks.map(({ check }) => check).at(-1)]).toEqual(['BLOCKED', 'REQUIRED_NOTICE']);
  expect(screened('반도체가 올랐습니다. 원금 손실이 있을 수 있습니다.').outcome).toBe('AUTO_PUBLISHED');
});

test('a policy can send returns beyond ±100 % to review (D226)', () => {
  const screened = (observed_return: number | null) =>
    createEntryScreening(readableLog().log)(ledger, newEntry('a', { observed_return })).screened;
  expect(screened(13.912).outcome).toBe('AUTO_PUBLISHED');
  ledger.write((tx) =>
    publishPolicy(tx, {
      snapshot: { ...SEED_POLICY, criteria: { ...SEED_POLICY.criteria, suspectToReview: true } },
      changes: [],
      actor: { kind: 'SYSTEM' },
      at: '2026-11-20T00:00:00.000Z',
    }),
  );
  expect(screened(13.912).outcome).toBe('PENDING_REVIEW');
  expect(screened(0.0123).outcome).toBe('AUTO_PUBLISHED');
});

describe('D14, sentence by sentence', () => {
  const screened = (result: Partial<NewEntry['explanation_result']> = {}, entry: Partial<NewEntry> = {}) =>
    createEntryScreening(readableLog().log)(ledger, newEntry('a', result, entry)).screened;
  const failed = ({ checks }: ReturnType<typeof screened>) =>
    checks.filter(({ verdict }) => verdict !== 'PASS').map(({ check }) => check);
  const switchOff = (scope_type: 'MARKET' | 'CHANNEL' | 'INSTRUMENT' | 'SECTOR', scope_key: string): void =>
    void ledger.write((tx) =>
      tx.run(
        sqlite
          .insertInto('serving_scope')
          .values({ scope_type, scope_key, enabled: 0, changed_by: 'x', changed_at: '2026-11-20T00:00:00.000Z' }),
      ),
    );
  const source = (id: string): NewEntry['source_events'][number] => ({
    source_event_id: id,
    source_class: 'NEWS',
    event_type_code: 'EARNINGS',
    event_date: null,
  });
  const calculation: NewEntry['evidences'][number] = {
    kind: 'CALCULATION',
    title: '수익률',
    source: 'PRICES',
    published_at: null,
    as_of: null,
    tool_run_id: 't',
    item_ids: [],
    arguments: {},
    output: {},
    formula_latex: null,
    description: 'd',
  };

  test('the checks are made in this order, each on record with verdict, evidence and policy version', () => {
    switchOff('INSTRUMENT', '069500');
    const { outcome, checks, policyVersion } = screened(
      { summary: '지금은 매수 시점입니다.', confidence_level: 'LOW', explanation_type: 'UNCERTAIN' },
      { source_events: [source('only')] },
    );
    expect([outcome, policyVersion]).toEqual(['PENDING_REVIEW', 1]);
    expect(checks.map(({ check, verdict, parameters }) => [check, verdict, parameters])).toEqual([
      ['FORBIDDEN_WORDS', 'REVIEW', { words: '“매수”', count: 1, hits: 1, kept: 1 }],
      ['SOURCE_COUNT', 'REVIEW', { count: 1, least: 2 }],
      ['CONFIDENCE', 'REVIEW', { level: 'LOW', least: 'MEDIUM' }],
      ['EXPLANATION_TYPE', 'REVIEW', {}],
      ['SERVING_SCOPE', 'REVIEW', { instrument: '069500' }],
    ]);
    expect(checks[0]?.hits).toMatchObject([{ word: '매수', start: 4, end: 6 }]);
    for (const check of checks) expect(check.policyVersion).toBe(1);
  });
  test('forbidden words are searched for in the summary alone', () => {
    const elsewhere = { etf_name: '무위험 수익', primary_thread_id: '무위험' };
    expect(screened(elsewhere, { source_events: [source('무위험'), source('b')] }).outcome).toBe('AUTO_PUBLISHED');
    expect(screened({ ...elsewhere, summary: '무위험' }).outcome).toBe('BLOCKED');
  });
  test('neither calculation evidences nor documents count as sources', () => {
    const [document] = newEntry('a').evidences;
    if (document === undefined) throw new Error('the entry has no document');
    const evidences = [calculation, calculation, document, { ...document, title: '다른 기사' }];
    expect(failed(screened({}, { source_events: [source('a')], evidences }))).toEqual(['SOURCE_COUNT']);
    expect(failed(screened({}, { source_events: [source('a'), source('b')], evidences: [] }))).toEqual([]);
  });
  test.each(['MARKET', 'INSTRUMENT', 'SECTOR'] as const)('outside the serving scope by %s goes to review', (type) => {
    ledger.write((tx) =>
      rememberInstrument(tx, { etf_ticker: '069500', etf_instrument_id: 'i', etf_name: 'n', market: 'KRX' }, 'now'),
    );
    ledger.write((tx) => tx.run(sqlite.updateTable('instrument').set({ sector: '반도체' })));
    expect(failed(screened())).toEqual([]);
    switchOff(type, { MARKET: 'KRX', INSTRUMENT: '069500', SECTOR: '반도체' }[type]);
    expect(failed(screened())).toEqual(['SERVING_SCOPE']);
    expect(failed(screened({ etf_ticker: '102110', market: 'KOSDAQ' }))).toEqual([]);
  });
  test('a switched-off channel does not affect the screening: it is checked at the channel’s request', () => {
    switchOff('CHANNEL', 'MTS');
    expect(screened().outcome).toBe('AUTO_PUBLISHED');
  });
  test.each(['v1', 'V2', 'v3', ''])('only v2 is exempt from checks: %j is screened', (analysis_engine) => {
    expect(screened({ analysis_engine, summary: '무위험' }).outcome).toBe('BLOCKED');
  });
});

test('an altered active policy exposes no text by itself, until it is as the audit log tells again (D199)', () => {
  const { log, lines } = readableLog();
  const screen = createEntryScreening(log, undefined, new RecordKeyFile(recordKeyFile(ledger.file)));
  const screened = (id: string) => ledger.write((tx) => screen(remembering(tx), newEntry(id)));
  expect(screened('a').screened.outcome).toBe('AUTO_PUBLISHED');
  const db = new Database(ledger.file);
  const guard = db
    .prepare("SELECT sql FROM sqlite_schema WHERE name = 'policy_version_is_never_updated'")
    .pluck()
    .get() as string;
  const put = (snapshot: string): void => {
    db.exec('DROP TRIGGER policy_version_is_never_updated');
    db.prepare('UPDATE policy_version SET snapshot = ?').run(snapshot);
    db.exec(guard);
  };
  const right = db.prepare('SELECT snapshot FROM policy_version').pluck().get() as string;
  put(JSON.stringify({ ...SEED_POLICY, words: [] }));
  expect(screened('b')).toMatchObject({
    screened: { outcome: 'PENDING_REVIEW', policyVersion: 1 },
    reason: ALTERED_REASON,
  });
  // Also where it is read for the first time.
  const anew = createEntryScreening(log, undefined, new RecordKeyFile(recordKeyFile(ledger.file)));
  expect(anew(ledger, newEntry('c', { summary: '확정 수익을 드립니다.' })).screened.outcome).toBe('PENDING_REVIEW');
  put(right);
  db.close();
  expect(screened('d').screened.outcome).toBe('AUTO_PUBLISHED');
  expect(anew(ledger, newEntry('e', { summary: '확정 수익을 드립니다.' })).screened.outcome).toBe('BLOCKED');
  expect(lines.filter(({ msg }) => msg.includes('the active policy is not as the audit log tells'))).toHaveLength(2);
});
