/**
 * How long it takes to tell what was shown of a ticker at a moment, in a ledger of 50,000 and of 1,000,000 explanations.
 * The rows are copies of one that came in by the ledger's own function, written by SQLite in one statement: through the
 * Intake a million would take an hour.
 */
import Database from 'better-sqlite3';
import { hashOf } from '../../../agent/ledger/audit/row-hash.ts';
import { addChannel } from '../../../agent/ledger/serving/channels.ts';
import { publishPolicy } from '../../../agent/ledger/policy/versions.ts';
import {
  ahead,
  below,
  factsOf,
  missing,
  ofDays,
  readShownFacts,
  walk,
} from '../../../agent/ledger/shown/shown-facts.ts';
import { shownAt } from '../../../agent/ledger/shown/shown-at.ts';
import { openLedger, type Ledger } from '../../../agent/ledger/storage/ledger.ts';
import { newEntry, receive } from '../../support/agent/ledger.ts';
import { SEED_POLICY } from '../../../agent/screening/seed/seed-policy.ts';
import { quantile, valueRow, type Bench, type Row } from '../bench.ts';

const SIZES = [50_000, 1_000_000];
const TICKERS = 1_000;
/** Snapshots of a ticker on each day. */
const A_DAY = 4;
const ASKED = 2_000;
const FIRST = Date.parse('2023-01-02T00:00:00.000Z');
const DAY_MS = 86_400_000;
const BEGAN = new Date(FIRST - DAY_MS).toISOString();
const TARGET_MS = 20;
/** Telling what was shown compares each row of the audit log with its hash, and not with the row before. */
const HASHED = [
  ...['seq', 'at', 'actor_id', 'actor', 'actor_role', 'action', 'target_type', 'target_id', 'detail', 'prev_hash'],
  'source_address',
] as const;

export const shown: Bench = {
  name: 'shown',
  about: 'what was shown of a ticker at a moment, in ledgers of 50,000 and 1,000,000 explanations',
  run: (fixture) => {
    const rows: Row[] = [];
    const p99: number[] = [];
    for (const size of SIZES) {
      const file = `${fixture.folder(`shown-${size}`)}/ledger.sqlite`;
      fill(file, size);
      fixture.say(`${size.toLocaleString('en')} explanations`);
      const ledger = openLedger(file);
      for (const line of plans(ledger)) fixture.say(line);
      const times = ask(ledger, Math.ceil(size / TICKERS / A_DAY));
      ledger.close();
      p99.push(quantile(times, 0.99));
      rows.push(
        valueRow(`p99 of ${size.toLocaleString('en')} explanations`, 'ms', p99.at(-1) ?? 0, { atMost: TARGET_MS }),
      );
    }
    const [small = 0, large = 0] = p99;
    rows.push(valueRow('p99 of twenty times as many, over that', 'ratio', large / small, { atMost: 2 }));
    return Promise.resolve(rows);
  },
};

/** Every look-up of a telling, by its plan. */
function plans(ledger: Ledger): string[] {
  const [ticker, first, last] = ['100000', '2024-01-01', '2024-01-02'] as const;
  const days = [ofDays, ahead, missing].map((lookUp) => lookUp(ticker, first, last));
  return [...days, walk(ticker, last, 0), below(ticker, first, ''), factsOf(ticker)].map(({ sql, parameters }) =>
    ledger
      .all<{ detail: string }>({ sql: `EXPLAIN QUERY PLAN ${sql}`, parameters })
      .map(({ detail }) => detail)
      .join('; '),
  );
}

/** Tickers and moments all over the ledger, drawn in the same order each time. */
function ask(ledger: Ledger, days: number): number[] {
  const now = new Date(FIRST + (days + 1) * DAY_MS);
  return Array.from({ length: ASKED }, (_, n) => {
    const ticker = String(100_000 + ((n * 7_919) % TICKERS));
    const instant = new Date(FIRST + ((n * 104_729) % days) * DAY_MS + 9 * 3_600_000).toISOString();
    const began = performance.now();
    const facts = ledger.read((reader) => readShownFacts(reader, ticker, { from: instant, to: instant }, now));
    const showing = shownAt(facts, instant);
    const took = performance.now() - began;
    if (showing.state !== 'GIVEN') throw new Error(`${ticker} at ${instant}: ${showing.state}`);
    return took;
  });
}

export function fill(file: string, size: number): void {
  const ledger = openLedger(file, { synced: false });
  const at = BEGAN;
  ledger.write((tx) => {
    addChannel(tx, { channel: 'MTS', key: 'k', at });
    publishPolicy(tx, { snapshot: SEED_POLICY, changes: [], actor: { kind: 'SYSTEM' }, at });
    for (let n = 0; n < TICKERS; n += 1) {
      const ticker = String(100_000 + n);
      const result = { etf_ticker: ticker, trade_date: BEGAN.slice(0, 10), explanation_as_of: BEGAN };
      receive(tx, newEntry(`model-${ticker}`, result), 'AUTO_PUBLISHED', at);
    }
  });
  ledger.close();
  const db = new Database(file);
  db.pragma('synchronous = OFF');
  db.pragma('cache_size = -400000');
  db.function('hash_of', { varargs: true }, (...values: unknown[]) =>
    hashOf(Object.fromEntries(HASHED.map((name, n) => [name, values[n]])) as unknown as Parameters<typeof hashOf>[0]),
  );
  const columns = (table: string, but: readonly string[]): string[] =>
    (db.pragma(`table_info(${table})`) as { name: string }[])
      .map(({ name }) => name)
      .filter((name) => !but.includes(name));
  // A snapshot of all tickers comes in within a second.
  const moment = `strftime('%Y-%m-%dT%H:%M:%fZ', ${FIRST / 1_000} + day * 86400 + snapshot * 7200 + nth / ${TICKERS}.0, 'unixepoch')`;
  const made = `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${size - TICKERS - 1}),
    copy AS (SELECT i, i % ${TICKERS} AS nth, i / ${TICKERS} / ${A_DAY} AS day, i / ${TICKERS} % ${A_DAY} AS snapshot FROM n)`;
  const copied = columns('explanation', ['number', 'id', 'trade_date', 'explanation_as_of', 'cursor', 'received_at']);
  const moves = columns('state_history', ['id', 'explanation_id', 'at']);
  const logged = columns('console_action_log', ['seq', 'at', 'target_id', 'prev_hash', 'hash']);
  const model = `JOIN explanation AS model ON model.number = copy.nth + 1`;
  const list = (names: readonly string[], of: string): string => names.map((name) => `${of}.${name}`).join(', ');
  db.exec(`${made} INSERT INTO explanation (id, trade_date, explanation_as_of, cursor, received_at, ${copied.join(', ')})
    SELECT 'copy-' || i, substr(${moment}, 1, 10), ${moment}, i + ${TICKERS + 1}, ${moment}, ${list(copied, 'model')} FROM copy ${model};
    ${made} INSERT INTO state_history (explanation_id, at, ${moves.join(', ')})
    SELECT 'copy-' || i, ${moment}, ${list(moves, 'move')} FROM copy ${model}
    JOIN state_history AS move ON move.explanation_id = model.id;
    ${made}, row AS (SELECT (SELECT max(seq) FROM console_action_log) + 1 + i AS seq, ${moment} AS at, 'copy-' || i AS target_id,
      printf('%064x', i) AS prev_hash, ${list(logged, 'log')}
    FROM copy ${model} JOIN console_action_log AS log ON log.seq = (SELECT min(seq) FROM console_action_log WHERE action = 'explanation.receive') + nth)
    INSERT INTO console_action_log (${HASHED.join(', ')}, hash)
    SELECT ${HASHED.join(', ')}, hash_of(${HASHED.join(', ')}) FROM row ORDER BY seq;
    INSERT OR IGNORE INTO explanation_place SELECT etf_ticker, trade_date, id FROM explanation;`);
  db.close();
}
