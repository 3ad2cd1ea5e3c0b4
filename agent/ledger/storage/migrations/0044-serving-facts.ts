/**
 * Records with their times the changes that decide what channels are given and that the state history lacks (D153). In
 * an older ledger a row BEGIN marks the start of the record, with the values of that moment.
 */
import { journal } from './baseline/guards.ts';

const NOW = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')";

/** SQLite's now differs between statements: all rows take the time of the first. */
const BEGUN = `coalesce((SELECT at FROM serving_fact WHERE kind = 'BEGIN'), ${NOW})`;

const begins = (kind: string, ticker: string, value: string, from: string): string => `
INSERT INTO serving_fact (at, kind, ticker, value)
  SELECT ${BEGUN}, '${kind}', ${ticker}, ${value} FROM ${from};`;

export const sql = `
CREATE TABLE serving_fact (
  seq    INTEGER PRIMARY KEY,
  at     TEXT NOT NULL,
  kind   TEXT NOT NULL CHECK (kind IN
    ('BEGIN', 'RESTORED', 'POLICY', 'SCOPE', 'CHANNEL', 'INSTRUMENT', 'FIELDS', 'REBUILD', 'CORRECTED')),
  -- Null where it concerns every ticker.
  ticker TEXT,
  value  TEXT NOT NULL
) STRICT;
CREATE INDEX serving_fact_of_ticker ON serving_fact (ticker, seq);
-- Explanations that came before the day before their trade date: nearly none.
CREATE INDEX explanation_ahead ON explanation (etf_ticker, trade_date) WHERE trade_date > date(received_at, '+1 day');
${journal('serving_fact', 'the record of what is served', 'seq')}
-- Where the ledger was in use: a new one has its whole record.${begins('BEGIN', 'NULL', "'{}'", 'console_action_log WHERE seq = 1')}
${begins(
  'POLICY',
  'NULL',
  `json_object('version', v.version, 'expiresAt', t.expires_at, 'by', v.author,
    'disclaimer', json_extract(v.snapshot, '$.disclaimer.aiNotice') || ' ' || json_extract(v.snapshot, '$.disclaimer.text'))`,
  `policy_version AS v JOIN policy_timing AS t ON t.version = v.version
  WHERE v.version = (SELECT max(version) FROM policy_version)`,
)}
${begins(
  'SCOPE',
  "CASE scope_type WHEN 'INSTRUMENT' THEN scope_key END",
  "json_object('type', scope_type, 'key', scope_key, 'enabled', enabled, 'by', changed_by)",
  'serving_scope',
)}
${begins('CHANNEL', 'NULL', "json_object('channel', channel, 'open', 1)", 'channel')}
${begins('INSTRUMENT', 'etf_ticker', "json_object('market', market, 'sector', sector)", 'instrument')}
${begins('REBUILD', 'etf_ticker', "json_object('held', 1)", 'held_ticker')}
`;
