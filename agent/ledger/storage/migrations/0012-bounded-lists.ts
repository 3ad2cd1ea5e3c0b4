/**
 * What the lists of the console need, so that no page of them costs more in a larger ledger: an order over all
 * states by the time of waiting, indexes of those that a check has held back, how many stand in a state since
 * which day, and between which numbers the explanations of a day lie.
 *
 * An instrument has a version of its own, because its sector is changed by people (D13). And what a screening
 * has found is never changed, like the other journals.
 */
const CHECKS = ['FORBIDDEN_WORDS', 'SOURCE_COUNT', 'CONFIDENCE', 'EXPLANATION_TYPE', 'SERVING_SCOPE'];

/** Only those that the check has held back are in them: most explanations are in none. */
const heldBack = (check: string): string => {
  const name = `explanation_${check.toLowerCase()}`;
  const condition = `WHERE instr(failed_checks, '"${check}"') > 0`;
  return `
CREATE INDEX ${name}_waiting ON explanation (status, status_since, id) ${condition};
CREATE INDEX ${name}_by_status ON explanation (status, trade_date DESC, explanation_as_of DESC, id) ${condition};
CREATE INDEX ${name}_by_ticker ON explanation (etf_ticker, trade_date DESC, explanation_as_of DESC, id, status) ${condition};`;
};

export const sql = `
CREATE INDEX explanation_by_waiting ON explanation (status_since, id, status);
${CHECKS.map(heldBack).join('')}

-- Kept like explanation_count: a row counts from when it is indexed.
CREATE TABLE explanation_since (
  status TEXT NOT NULL,
  day    TEXT NOT NULL,
  n      INTEGER NOT NULL CHECK (n >= 0),
  PRIMARY KEY (status, day)
) STRICT, WITHOUT ROWID;
CREATE TABLE explanation_day (
  trade_date   TEXT PRIMARY KEY,
  first_number INTEGER NOT NULL,
  last_number  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO explanation_since (status, day, n)
  SELECT status, substr(status_since, 1, 10), count(*) FROM explanation
  WHERE number <= (SELECT indexed_to FROM search_progress) GROUP BY 1, 2;
INSERT INTO explanation_day (trade_date, first_number, last_number)
  SELECT trade_date, min(number), max(number) FROM explanation
  WHERE number <= (SELECT indexed_to FROM search_progress) GROUP BY 1;
CREATE TRIGGER explanation_waits_no_more AFTER DELETE ON explanation
WHEN OLD.number <= (SELECT indexed_to FROM search_progress)
BEGIN
  UPDATE explanation_since SET n = n - 1 WHERE status = OLD.status AND day = substr(OLD.status_since, 1, 10);
END;
CREATE TRIGGER explanation_waits_anew AFTER UPDATE OF status, status_since ON explanation
WHEN OLD.number <= (SELECT indexed_to FROM search_progress)
  AND (OLD.status <> NEW.status OR substr(OLD.status_since, 1, 10) <> substr(NEW.status_since, 1, 10))
BEGIN
  UPDATE explanation_since SET n = n - 1 WHERE status = OLD.status AND day = substr(OLD.status_since, 1, 10);
  INSERT INTO explanation_since (status, day, n) VALUES (NEW.status, substr(NEW.status_since, 1, 10), 1)
    ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER explanation_is_of_another_day AFTER UPDATE OF trade_date ON explanation
WHEN OLD.number <= (SELECT indexed_to FROM search_progress) AND OLD.trade_date <> NEW.trade_date
BEGIN
  INSERT INTO explanation_day (trade_date, first_number, last_number) VALUES (NEW.trade_date, NEW.number, NEW.number)
    ON CONFLICT DO UPDATE SET
      first_number = min(first_number, NEW.number), last_number = max(last_number, NEW.number);
END;

ALTER TABLE instrument ADD COLUMN version INTEGER NOT NULL DEFAULT 1 CHECK (version > 0);

CREATE TRIGGER screening_is_never_updated BEFORE UPDATE ON screening
BEGIN SELECT RAISE(ABORT, 'a screening is never changed'); END;
CREATE TRIGGER screening_is_never_deleted BEFORE DELETE ON screening
BEGIN SELECT RAISE(ABORT, 'a screening is never deleted'); END;
CREATE TRIGGER screening_is_never_replaced BEFORE INSERT ON screening
WHEN EXISTS (SELECT 1 FROM screening WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'a screening is never replaced'); END;
`;
