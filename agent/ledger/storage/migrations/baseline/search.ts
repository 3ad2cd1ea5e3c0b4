/**
 * The full-text index of the explanations and the counts of their lists. The index is without white space, and has the
 * titles of the evidence (D214): `KODEX200` finds `KODEX 200`.
 *
 * FTS5 writes its pending words at every savepoint, and a trigger makes one. New rows are therefore indexed and counted
 * together at the end of their transaction (`search-index.ts`); `search_progress` holds the last indexed number.
 */

/** Tab, line ends, space, no-break space, zero-width space and ideographic space. */
const SPACES = [9, 10, 13, 32, 0xa0, 0x20_0b, 0x30_00];
/** Two marks end every searched text, so that a term of one or two characters begins a trigram at its end too. */
const MARKS = 'char(2, 2)';
const COLUMNS = 'texts, evidence_titles';

const folded = (text: string): string => SPACES.reduce((sql, code) => `replace(${sql}, char(${code}), '')`, text);

/**
 * The searched texts of a row, folded together: that costs less than each apart. A text that is shown as it came stands
 * there once. Evidence that is no list of objects has no title.
 */
function indexed(row: string): string {
  const shown = `CASE WHEN ${row}published_summary <> ${row}summary THEN ${row}published_summary || ${MARKS} ELSE '' END`;
  const texts = [...['etf_ticker', 'etf_name', 'summary'].map((one) => `${row}${one} || ${MARKS}`), shown].join(' || ');
  const titles = `(SELECT group_concat(atom || ${MARKS}, '')
    FROM json_tree(CASE WHEN json_valid(${row}evidences) THEN ${row}evidences ELSE '[]' END)
    WHERE key = 'title' AND path GLOB '$[[]*[]]' AND path NOT GLOB '*.*')`;
  return [`${row}number`, folded(texts), folded(titles)].join(', ');
}

const IS_INDEXED = 'OLD.number <= (SELECT indexed_to FROM search_progress)';

export const search = `
CREATE TABLE search_progress (id INTEGER PRIMARY KEY CHECK (id = 1), indexed_to INTEGER NOT NULL) STRICT;
INSERT INTO search_progress (id, indexed_to) VALUES (1, 0);
CREATE VIEW explanation_text (number, ${COLUMNS}) AS SELECT ${indexed('')} FROM explanation;
CREATE VIRTUAL TABLE explanation_search USING fts5(
  ${COLUMNS},
  content='explanation_text', content_rowid='number', tokenize='trigram', columnsize=0);
-- The trigrams of the index, so that a term shorter than three characters finds those that it begins.
CREATE VIRTUAL TABLE explanation_term USING fts5vocab('explanation_search', 'row');
CREATE TRIGGER explanation_is_searched_anew
AFTER UPDATE OF etf_ticker, etf_name, summary, published_summary, evidences ON explanation
WHEN ${IS_INDEXED}
  AND (OLD.etf_ticker, OLD.etf_name, OLD.summary, OLD.published_summary, OLD.evidences)
  IS NOT (NEW.etf_ticker, NEW.etf_name, NEW.summary, NEW.published_summary, NEW.evidences)
BEGIN
  INSERT INTO explanation_search (explanation_search, rowid, ${COLUMNS}) VALUES ('delete', ${indexed('OLD.')});
  INSERT INTO explanation_search (rowid, ${COLUMNS}) VALUES (${indexed('NEW.')});
END;
CREATE TRIGGER explanation_is_searched_no_more AFTER DELETE ON explanation
WHEN ${IS_INDEXED}
BEGIN
  INSERT INTO explanation_search (explanation_search, rowid, ${COLUMNS}) VALUES ('delete', ${indexed('OLD.')});
END;

-- By status, day and market; an unknown market is ''.
CREATE TABLE explanation_count (
  status     TEXT NOT NULL,
  trade_date TEXT NOT NULL,
  market     TEXT NOT NULL,
  n          INTEGER NOT NULL CHECK (n >= 0),
  PRIMARY KEY (status, trade_date, market)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER explanation_is_uncounted AFTER DELETE ON explanation
WHEN ${IS_INDEXED}
BEGIN
  UPDATE explanation_count SET n = n - 1
    WHERE status = OLD.status AND trade_date = OLD.trade_date AND market = coalesce(OLD.market, '');
END;
CREATE TRIGGER explanation_is_counted_anew AFTER UPDATE OF status, trade_date, market ON explanation
WHEN ${IS_INDEXED}
  AND (OLD.status <> NEW.status OR OLD.trade_date <> NEW.trade_date OR OLD.market IS NOT NEW.market)
BEGIN
  UPDATE explanation_count SET n = n - 1
    WHERE status = OLD.status AND trade_date = OLD.trade_date AND market = coalesce(OLD.market, '');
  INSERT INTO explanation_count (status, trade_date, market, n)
    VALUES (NEW.status, NEW.trade_date, coalesce(NEW.market, ''), 1)
    ON CONFLICT DO UPDATE SET n = n + 1;
END;

-- By status and the day since which it holds.
CREATE TABLE explanation_since (
  status TEXT NOT NULL,
  day    TEXT NOT NULL,
  n      INTEGER NOT NULL CHECK (n >= 0),
  PRIMARY KEY (status, day)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER explanation_waits_no_more AFTER DELETE ON explanation
WHEN ${IS_INDEXED}
BEGIN
  UPDATE explanation_since SET n = n - 1 WHERE status = OLD.status AND day = substr(OLD.status_since, 1, 10);
END;
CREATE TRIGGER explanation_waits_anew AFTER UPDATE OF status, status_since ON explanation
WHEN ${IS_INDEXED}
  AND (OLD.status <> NEW.status OR substr(OLD.status_since, 1, 10) <> substr(NEW.status_since, 1, 10))
BEGIN
  UPDATE explanation_since SET n = n - 1 WHERE status = OLD.status AND day = substr(OLD.status_since, 1, 10);
  INSERT INTO explanation_since (status, day, n) VALUES (NEW.status, substr(NEW.status_since, 1, 10), 1)
    ON CONFLICT DO UPDATE SET n = n + 1;
END;

-- Between which numbers the explanations of a day lie.
CREATE TABLE explanation_day (
  trade_date   TEXT PRIMARY KEY,
  first_number INTEGER NOT NULL,
  last_number  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER explanation_is_of_another_day AFTER UPDATE OF trade_date ON explanation
WHEN ${IS_INDEXED} AND OLD.trade_date <> NEW.trade_date
BEGIN
  INSERT INTO explanation_day (trade_date, first_number, last_number) VALUES (NEW.trade_date, NEW.number, NEW.number)
    ON CONFLICT DO UPDATE SET
      first_number = min(first_number, NEW.number), last_number = max(last_number, NEW.number);
END;
`;
