/**
 * Every searched text ends in two marks that nobody can ask for, so that its last two characters begin trigrams
 * too: a term of one or two characters is found at the end of a text as anywhere else in it.
 */
const MARKS = 'char(2, 2)';

/** The values of a row in the index, as the view has them. */
function indexed(row: string): string {
  const shown = `CASE WHEN ${row}published_summary <> ${row}summary THEN ${row}published_summary || ${MARKS} END`;
  return `${row}number, ${['etf_ticker', 'etf_name', 'summary'].map((name) => `${row}${name} || ${MARKS}`).join(', ')}, ${shown}`;
}

const COLUMNS = 'rowid, etf_ticker, etf_name, summary, shown_text';

export const sql = `
DROP TRIGGER explanation_is_searched_anew;
DROP TRIGGER explanation_is_searched_no_more;
DROP VIEW explanation_text;
CREATE VIEW explanation_text (number, etf_ticker, etf_name, summary, shown_text) AS
  SELECT ${indexed('')} FROM explanation;
CREATE TRIGGER explanation_is_searched_anew
AFTER UPDATE OF etf_ticker, etf_name, summary, published_summary ON explanation
WHEN OLD.number <= (SELECT indexed_to FROM search_progress)
  AND (OLD.etf_ticker, OLD.etf_name, OLD.summary, OLD.published_summary)
  IS NOT (NEW.etf_ticker, NEW.etf_name, NEW.summary, NEW.published_summary)
BEGIN
  INSERT INTO explanation_search (explanation_search, ${COLUMNS}) VALUES ('delete', ${indexed('OLD.')});
  INSERT INTO explanation_search (${COLUMNS}) VALUES (${indexed('NEW.')});
END;
CREATE TRIGGER explanation_is_searched_no_more AFTER DELETE ON explanation
WHEN OLD.number <= (SELECT indexed_to FROM search_progress)
BEGIN
  INSERT INTO explanation_search (explanation_search, ${COLUMNS}) VALUES ('delete', ${indexed('OLD.')});
END;
INSERT INTO explanation_search (explanation_search) VALUES ('rebuild');
UPDATE search_progress SET indexed_to = (SELECT coalesce(max(number), 0) FROM explanation);
`;
