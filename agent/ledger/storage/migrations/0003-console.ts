/** What the console needs beside the explanations: claims, versions of what it changes, counts that need no scan. */
export const sql = `
CREATE TABLE review_claim (
  explanation_id TEXT PRIMARY KEY REFERENCES explanation (id),
  member_id      TEXT NOT NULL REFERENCES member (id),
  claimed_at     TEXT NOT NULL,
  expires_at     TEXT NOT NULL
) STRICT, WITHOUT ROWID;

ALTER TABLE member ADD COLUMN version INTEGER NOT NULL DEFAULT 1 CHECK (version > 0);
ALTER TABLE serving_scope ADD COLUMN version INTEGER NOT NULL DEFAULT 1 CHECK (version > 0);

CREATE TABLE explanation_count (
  status     TEXT NOT NULL,
  trade_date TEXT NOT NULL,
  market     TEXT NOT NULL,
  n          INTEGER NOT NULL CHECK (n >= 0),
  PRIMARY KEY (status, trade_date, market)
) STRICT, WITHOUT ROWID;
INSERT INTO explanation_count (status, trade_date, market, n)
  SELECT status, trade_date, coalesce(market, ''), count(*) FROM explanation GROUP BY 1, 2, 3;
CREATE TRIGGER explanation_is_counted AFTER INSERT ON explanation
BEGIN
  INSERT INTO explanation_count (status, trade_date, market, n)
    VALUES (NEW.status, NEW.trade_date, coalesce(NEW.market, ''), 1)
    ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER explanation_is_uncounted AFTER DELETE ON explanation
BEGIN
  UPDATE explanation_count SET n = n - 1
    WHERE status = OLD.status AND trade_date = OLD.trade_date AND market = coalesce(OLD.market, '');
END;
CREATE TRIGGER explanation_is_counted_anew AFTER UPDATE OF status, trade_date, market ON explanation
WHEN OLD.status <> NEW.status OR OLD.trade_date <> NEW.trade_date OR OLD.market IS NOT NEW.market
BEGIN
  UPDATE explanation_count SET n = n - 1
    WHERE status = OLD.status AND trade_date = OLD.trade_date AND market = coalesce(OLD.market, '');
  INSERT INTO explanation_count (status, trade_date, market, n)
    VALUES (NEW.status, NEW.trade_date, coalesce(NEW.market, ''), 1)
    ON CONFLICT DO UPDATE SET n = n + 1;
END;

CREATE INDEX explanation_by_ticker ON explanation (etf_ticker, trade_date DESC, explanation_as_of DESC, id);

CREATE INDEX console_action_of_people ON console_action_log (seq) WHERE actor_role IS NOT 'SYSTEM';
CREATE INDEX console_action_of_people_by_action ON console_action_log (action, seq) WHERE actor_role IS NOT 'SYSTEM';
CREATE INDEX console_action_of_people_by_actor ON console_action_log (actor_id, seq) WHERE actor_role IS NOT 'SYSTEM';
CREATE INDEX console_action_of_people_by_target ON console_action_log (target_id, seq) WHERE actor_role IS NOT 'SYSTEM';

CREATE TABLE sync_event (
  id      INTEGER PRIMARY KEY,
  at      TEXT NOT NULL,
  state   TEXT NOT NULL,
  code    TEXT,
  message TEXT
) STRICT;
`;
