/** The serving scope and the channels, the record of what channels are given, and the channels' requests. */
import { journal } from './guards.ts';

export const serving = `
CREATE TABLE serving_scope (
  scope_type TEXT NOT NULL CHECK (scope_type IN ('MARKET', 'CHANNEL', 'INSTRUMENT', 'SECTOR')),
  scope_key  TEXT NOT NULL,
  enabled    INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  changed_by TEXT NOT NULL,
  changed_at TEXT NOT NULL,
  version    INTEGER NOT NULL DEFAULT 1 CHECK (version > 0),
  PRIMARY KEY (scope_type, scope_key)
) STRICT, WITHOUT ROWID;

-- Why a switch is off, and who has confirmed that it is meant to be (D227).
CREATE TABLE scope_exclusion (
  scope_type       TEXT NOT NULL,
  scope_key        TEXT NOT NULL,
  reason           TEXT,
  confirmed_reason TEXT,
  confirmed_by     TEXT,
  confirmed_at     TEXT,
  PRIMARY KEY (scope_type, scope_key),
  FOREIGN KEY (scope_type, scope_key) REFERENCES serving_scope (scope_type, scope_key) DEFERRABLE INITIALLY DEFERRED,
  CHECK ((confirmed_by IS NULL) = (confirmed_at IS NULL) AND (confirmed_by IS NULL) = (confirmed_reason IS NULL)),
  CHECK (reason IS NOT NULL OR confirmed_reason IS NOT NULL)
) STRICT, WITHOUT ROWID;

-- No channel gets anything of these tickers while a rebuild sets their explanations right, however it ends.
CREATE TABLE held_ticker (
  etf_ticker TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

CREATE TABLE channel (
  channel    TEXT PRIMARY KEY,
  key_hash   TEXT NOT NULL UNIQUE,
  created_at TEXT NOT NULL
) STRICT;

-- With their times, the changes that decide what channels are given and that the state history lacks (D153).
CREATE TABLE serving_fact (
  seq    INTEGER PRIMARY KEY,
  at     TEXT NOT NULL,
  kind   TEXT NOT NULL CHECK (kind IN
    ('RESTORED', 'POLICY', 'SCOPE', 'CHANNEL', 'INSTRUMENT', 'FIELDS', 'REBUILD', 'CORRECTED')),
  -- Null where it concerns every ticker.
  ticker TEXT,
  value  TEXT NOT NULL
) STRICT;
CREATE INDEX serving_fact_of_ticker ON serving_fact (ticker, seq);${journal('serving_fact', 'the record of what is served', 'seq')}

-- Counts of given texts by Korean day and by the state on record that the answers followed from (D181), so that the
-- requests of each span of what was shown are known exactly. No key ties it to the explanation: a count that is written a
-- moment later must never be refused.
CREATE TABLE served_period (
  explanation_id TEXT NOT NULL,
  channel        TEXT NOT NULL,
  -- Days since 1970 in Korea.
  day            INTEGER NOT NULL,
  -- The latest rows of state_history and serving_fact about it.
  after_move     INTEGER NOT NULL,
  after_fact     INTEGER NOT NULL,
  times          INTEGER NOT NULL CHECK (times > 0),
  first_at       TEXT NOT NULL,
  last_at        TEXT NOT NULL,
  PRIMARY KEY (explanation_id, channel, day, after_move, after_fact)
) STRICT, WITHOUT ROWID;

CREATE TABLE traffic_minute (
  minute   INTEGER NOT NULL,
  channel  TEXT NOT NULL,
  outcome  TEXT NOT NULL,
  requests INTEGER NOT NULL CHECK (requests > 0),
  PRIMARY KEY (minute, channel, outcome)
) STRICT, WITHOUT ROWID;
-- The sums of minutes that no screen asks for any more.
CREATE TABLE traffic_hour (
  hour     INTEGER NOT NULL,
  channel  TEXT NOT NULL,
  outcome  TEXT NOT NULL,
  requests INTEGER NOT NULL CHECK (requests > 0),
  PRIMARY KEY (hour, channel, outcome)
) STRICT, WITHOUT ROWID;
`;
