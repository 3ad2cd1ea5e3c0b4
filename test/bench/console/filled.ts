/**
 * A ledger with five years of explanations, written without the Intake: the benchmark measures the console, not the
 * filling.
 */
import { positionIn } from '../../../agent/ledger/explanations/position.ts';
import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';
import { SEED_POLICY } from '../../../agent/screening/seed/seed-policy.ts';
import { seedDemo } from '../../../agent/ledger/demo/seed.ts';
import { openLedger } from '../../../agent/ledger/storage/ledger.ts';
import { forgetIndex, indexReceived } from '../../../agent/ledger/explanations/search-index.ts';
import { systemClock, systemIds } from '../../../shared/time/clock.ts';

const DAYS = 5 * 365;
const DAY_MS = 86_400_000;
const INSTRUMENTS = 900;
const WORDS = [
  '반도체',
  '2차전지',
  '은행',
  '코스닥150',
  '인버스',
  '레버리지',
  '나스닥100',
  '국고채',
  '배당성장',
  '조선',
];
/** Rows of one transaction. */
const BATCH = 50_000;

/** Waiting explanations, the newest ones. */
export const WAITING = 3_000;

/** One of the tickers of the ledger. */
export function tickerOf(row: number): string {
  return String(100_000 + (row % INSTRUMENTS));
}

export function idOf(row: number): string {
  return createHash('sha256').update(`bench-${row}`).digest('base64url').slice(0, 22);
}

/** @param waiting how many of the newest wait; every third of them for its confidence */
export function fillLedger(file: string, rows: number, say: (line: string) => void, waiting = WAITING): void {
  const ledger = openLedger(file);
  seedDemo(ledger, systemClock, systemIds);
  ledger.close();
  const db = new Database(file);
  // No measured write happens here.
  db.pragma('synchronous = OFF');
  db.pragma('cache_size = -400000');
  const insert = db.prepare(`INSERT INTO explanation
    (id, explanation_result_id, etf_instrument_id, etf_ticker, etf_name, market, trade_date, explanation_as_of,
     explanation_type, confidence_level, primary_thread_id, analysis_engine, summary, explanation_run_id, source_events,
     evidences, cursor, received_at, status, status_since, published_summary, policy_version, failed_checks, version,
     stated_position)
    VALUES (@id, @result, @instrument, @ticker, @name, 'KRX', @day, @at, 'EVENT_SUPPORTED', 'HIGH', 'thread', 'v1',
     @summary, 'run', @events, @evidences, @cursor, @at, @status, @at, @shown, 1, @failed, 1, @position)`);
  const instrument = db.prepare(
    "INSERT INTO instrument (etf_ticker, etf_instrument_id, etf_name, market) VALUES (?, ?, ?, 'KRX')",
  );
  const first = Date.now() - DAYS * DAY_MS;
  const fixed = { events: JSON.stringify(EVENTS), evidences: JSON.stringify(EVIDENCES) };
  for (let from = 0; from < rows; from += BATCH) {
    db.transaction(() => {
      for (let row = from; row < Math.min(from + BATCH, rows); row += 1) {
        const number = row % INSTRUMENTS;
        const ticker = tickerOf(row);
        const name = `KODEX ${WORDS[number % WORDS.length]} ${number}`;
        if (row < INSTRUMENTS) instrument.run(ticker, `KR7${ticker}`, name);
        const at = new Date(first + Math.floor((row / rows) * DAYS * DAY_MS)).toISOString();
        const summary = `${textOf(row, name)}${row < rows / 5 && row % 3 === 1 ? ` ${FORMER}` : ''}`;
        const status = row >= rows - waiting ? 'PENDING_REVIEW' : (STATUSES[row % STATUSES.length] ?? 'AUTO_PUBLISHED');
        const shown = status === 'AUTO_PUBLISHED' || status === 'PUBLISHED' ? summary : null;
        insert.run({
          id: idOf(row),
          result: `bench-${row}`,
          instrument: `KR7${ticker}`,
          ticker,
          name,
          day: at.slice(0, 10),
          at,
          summary,
          ...fixed,
          ...(status === 'PENDING_REVIEW' ? { evidences: evidencesOf(row) } : {}),
          cursor: row + 1,
          position: positionIn(0, row + 1),
          status,
          shown,
          failed: status === 'PENDING_REVIEW' && row % 3 === 0 ? '["CONFIDENCE"]' : '[]',
        });
      }
    })();
    say(`${Math.min(from + BATCH, rows).toLocaleString('en')} explanations`);
  }
  // A person decides only on a state that its last move tells of (D199).
  db.exec(`INSERT INTO state_history (explanation_id, move, to_status, actor, at, position)
    SELECT id, 'receive', status, 'SYSTEM', received_at, stated_position FROM explanation WHERE status = 'PENDING_REVIEW'`);
  db.close();
  const filled = openLedger(file);
  filled.write(forgetIndex);
  while (filled.write(indexReceived));
  filled.close();
}

const STATUSES = ['AUTO_PUBLISHED', 'AUTO_PUBLISHED', 'AUTO_PUBLISHED', 'PUBLISHED', 'REJECTED', 'STOPPED', 'BLOCKED'];

/** One text in `ENDING_EVERY` ends with this, without a full stop. */
export const ENDING = '급락';
export const ENDING_EVERY = 20_000;

/** Occurs in every third text of the first of the five years, and in none since. */
export const FORMER = '감산 합의';

/** Ordinary words everywhere, and some that occur in one text of four hundred or of twenty thousand. */
function textOf(row: number, name: string): string {
  const ending = row % ENDING_EVERY === 11 ? ` 한때 ${ENDING}` : '';
  const rare = row % 20_000 === 7 ? ' 특별배당락 발생.' : row % 400 === 9 ? ' 유상증자 공시.' : '';
  return `${name}은(는) ${WORDS[(row >> 3) % WORDS.length]} 업종의 수출 증가 소식으로 ${(row % 300) / 100}% 움직였습니다. 거래대금은 ${row}억 원입니다.${rare}${ending}`;
}

const EVENTS = ['a', 'b'].map((id) => ({
  source_event_id: id,
  source_class: 'NEWS',
  event_type_code: 'EARNINGS',
  event_date: null,
}));
/** Of an item that waits: it supports the text's figures, so that a decision has nothing to acknowledge (D221). */
function evidencesOf(row: number): string {
  const output = { return_pct: (row % 300) / 100, turnover_100m_krw: row };
  return JSON.stringify(
    EVIDENCES.map((one) => ('output' in one ? { ...one, output: { ...one.output, ...output } } : one)),
  );
}

const EVIDENCES = [
  { kind: 'NEWS', title: '수출 증가', source: 'HANKANG', published_at: '2026-11-20T01:00:00.000Z', news_id: 'n' },
  {
    kind: 'CALCULATION',
    title: '수익률',
    source: '종가',
    published_at: null,
    as_of: '2026-11-20',
    tool_run_id: 't',
    item_ids: ['i'],
    arguments: { window: 5 },
    output: { values: SEED_POLICY.words.map((_, index) => index * 1.5) },
    formula_latex: 'r_t = \\frac{p_t}{p_{t-1}} - 1',
    description: '종가의 변화율',
  },
];
