/** Tables of the serving scope and the channels, and of the channels' requests. */
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

-- No channel gets anything of these tickers while a rebuild sets their explanations right, however it ends.
CREATE TABLE held_ticker (
  etf_ticker TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

CREATE TABLE channel (
  channel    TEXT PRIMARY KEY,
  key_hash   TEXT NOT NULL UNIQUE,
  created_at TEXT NOT NULL
) STRICT;

-- No key ties it to the explanation: a count that is written a moment later must never be refused.
CREATE TABLE served_explanation (
  explanation_id TEXT NOT NULL,
  channel        TEXT NOT NULL,
  times          INTEGER NOT NULL CHECK (times > 0),
  first_at       TEXT NOT NULL,
  last_at        TEXT NOT NULL,
  PRIMARY KEY (explanation_id, channel)
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
